#include "runtime/core/devices/plugin_device.h"

#include <utility>

namespace gantry::core {

Result<PluginDevice> PluginDevice::open(const Plugin& plugin, std::int32_t index,
                                        const Settings& settings) {
  const gantry_device_settings wanted = {
      .size = sizeof wanted,
      .openmp_number = settings.openmp_number,
      .options = settings.options.c_str(),
      .time_limit = settings.time_limit,
      .check_memory = settings.check_memory ? 1 : 0,
      .processors = settings.processors.data(),
      .processor_words = settings.processors.size(),
      .function_check = settings.function_check,
  };
  gantry_device* handle = nullptr;
  GANTRY_TRY(plugin.check(plugin.functions().open_device(index, &wanted, &handle)));
  PluginDevice device(plugin, index, handle, settings.openmp_number);
  GANTRY_TRY(device.read_properties());
  if (const char* const missing = plugin.missing_queue_function();
      device.has_queues() && missing != nullptr) {
    return fail("the device has queues and its plugin lacks the function {}, which "
                "gantry/plugin.h requires then",
                missing);
  }
  return device;
}

PluginDevice::PluginDevice(PluginDevice&& other) noexcept
    : plugin_(other.plugin_), index_(other.index_), handle_(std::exchange(other.handle_, nullptr)),
      capabilities_(other.capabilities_.load()), description_(other.description_),
      clock_(other.clock_), own_name_(std::move(other.own_name_)), name_(std::move(other.name_)) {}

PluginDevice::~PluginDevice() {
  if (handle_ != nullptr) {
    (void)call().close_device(handle_); // nobody is there to whom a failure could be told
  }
}

Status PluginDevice::read_properties() {
  gantry_device_properties properties{};
  properties.size = sizeof properties;
  GANTRY_TRY(plugin_->check(call().get_properties(handle_, &properties)));
  capabilities_ = properties.capabilities;
  description_ = properties.description == nullptr ? "" : properties.description;
  clock_ = properties.clock;
  if (properties.name != nullptr) {
    own_name_ = properties.name;
    name_.label = fmt::format("device {} ({})", name_.number, own_name_);
  }
  return {};
}

Status PluginDevice::use_host_memory() {
  if (host_accessible()) {
    return {};
  }
  auto* const use = call().use_host_memory;
  if (use == nullptr) {
    return fail("the device has memory of its own alone");
  }
  GANTRY_TRY(plugin_->check(use(handle_)));
  return read_properties();
}

std::string PluginDevice::launch_hint(gantry_kernel* kernel, const gantry_launch& launch) const {
  auto* const ask = call().launch_hint;
  const char* const hint = ask == nullptr ? nullptr : ask(handle_, kernel, &launch);
  return hint == nullptr ? std::string() : hint;
}

Result<ImageHandle> PluginDevice::create_image(std::span<const std::byte> bytes,
                                               const std::string& file) const {
  gantry_image* image = nullptr;
  GANTRY_TRY(plugin_->check(call().create_image(handle_, bytes.data(), bytes.size(),
                                                file.empty() ? nullptr : file.c_str(), &image)));
  return ImageHandle(image, ImageDeleter{plugin_});
}

Status PluginDevice::load_image(gantry_image* image) const {
  return plugin_->check(call().load_image(image));
}

Status PluginDevice::find_symbols(gantry_image* image, std::span<gantry_symbol> symbols,
                                  std::string& why_not_found) const {
  const gantry_status result = call().find_symbols(image, symbols.data(), symbols.size());
  if (result == GANTRY_NOT_FOUND) {
    why_not_found = call().error_message();
    return {};
  }
  return plugin_->check(result);
}

Status PluginDevice::set_function_map(std::span<__omp_offloading_fptr_map_ty> table) const {
  if (auto* const set = call().set_function_map; set != nullptr) {
    return plugin_->check(set(handle_, table.data(), table.size()));
  }
  plugin_->founding_map()(index_, table.size(), table.data());
  return {};
}

Result<void*> PluginDevice::allocate(const gantry_allocation& request) const {
  void* address = nullptr;
  GANTRY_TRY(plugin_->check(call().allocate(handle_, &request, &address)));
  return address;
}

Result<void*> PluginDevice::allocate(std::uint64_t size) const {
  return allocate({.size = sizeof(gantry_allocation),
                   .bytes = size,
                   .alignment = kAlignment,
                   .offset = 0,
                   .address = 0});
}

Result<PluginDevice::Place> PluginDevice::place(std::uint64_t size, std::uint64_t alignment,
                                                std::uint64_t offset) const {
  const bool placed = can(GANTRY_CAPABILITY_PLACED_MEMORY);
  if (!placed && alignment > kAlignment && can(GANTRY_CAPABILITY_CHECKED_MEMORY)) {
    // Without room behind it, so that an access there is noticed: most blocks are aligned better.
    void* const exact = GANTRY_TRY(allocate(size + offset));
    const auto begin = reinterpret_cast<std::uintptr_t>(exact);
    if (begin % alignment == 0) {
      return Place{exact, begin + offset};
    }
    GANTRY_TRY(release(exact));
  }
  auto allocated = GANTRY_TRY(placed ? allocate({.size = sizeof(gantry_allocation),
                                                 .bytes = size,
                                                 .alignment = alignment,
                                                 .offset = offset,
                                                 .address = 0})
                                     : allocate(size + offset + (alignment - kAlignment)));
  const auto begin = reinterpret_cast<std::uintptr_t>(allocated);
  return Place{allocated,
               placed ? begin : (begin + alignment - 1) / alignment * alignment + offset};
}

Status PluginDevice::release(void* device_address) const {
  return plugin_->check(call().release(handle_, device_address));
}

Status PluginDevice::submit(void* device_address, const void* host, std::uint64_t size) const {
  return plugin_->check(call().copy_to_device(handle_, device_address, host, size));
}

Status PluginDevice::retrieve(void* host, const void* device_address, std::uint64_t size) const {
  return plugin_->check(call().copy_to_host(handle_, host, device_address, size));
}

Status PluginDevice::launch(gantry_kernel* kernel, const gantry_launch& launch) const {
  return plugin_->check(call().launch(handle_, kernel, &launch));
}

Result<gantry_queue*> PluginDevice::create_queue() const {
  gantry_queue* queue = nullptr;
  GANTRY_TRY(plugin_->check(call().create_queue(handle_, &queue)));
  return queue;
}

bool PluginDevice::is_lost() const {
  if (!has_queues()) {
    return false;
  }
  const auto made = create_queue();
  if (made) {
    (void)call().destroy_queue(*made);
  }
  return !made && made.error().device_lost;
}

std::optional<gantry_fault> PluginDevice::fault() const {
  auto* const get_fault = call().get_fault;
  gantry_fault fault{};
  fault.size = sizeof fault;
  return get_fault != nullptr && get_fault(handle_, &fault) == GANTRY_SUCCESS ? std::optional(fault)
                                                                              : std::nullopt;
}

} // namespace gantry::core
