#include "runtime/core/plugin.h"

#include "base/nearest.h"
#include "runtime/core/module_path.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include <dlfcn.h>
#include <unistd.h>

namespace gantry::core {

namespace {

constexpr std::string_view kLinkedIn = "cpu";
constexpr std::string_view kLibraryPrefix = "libgantry-plugin-";
constexpr std::string_view kLibrarySuffix = ".so";

PluginFunctions linked_in_functions() {
  PluginFunctions functions{};
#define GANTRY_ADDRESS(name) functions.name = &::__tgt_rtl_##name;
  GANTRY_PLUGIN_FUNCTIONS(GANTRY_ADDRESS)
  GANTRY_INDIRECT_FUNCTIONS(GANTRY_ADDRESS)
#undef GANTRY_ADDRESS
  functions.launch_hint = &::__tgt_rtl_launch_hint;
  return functions;
}

std::string library_path(std::string_view name) {
  return fmt::format("{}/{}{}{}", library_folder(), kLibraryPrefix, name, kLibrarySuffix);
}

} // namespace

Status Plugin::failure(std::int32_t code) const {
  const bool refused = code != GANTRY_INVALID_OPTION && code != GANTRY_NOT_FOUND;
  return tl::unexpected(Error{functions_.error_message(), refused, code == GANTRY_DEVICE_LOST});
}

bool is_known_plugin(std::string_view name) {
  return name == kLinkedIn || (name.find('/') == std::string_view::npos &&
                               access(library_path(name).c_str(), R_OK) == 0);
}

std::vector<std::string> known_plugins() {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& file : std::filesystem::directory_iterator(library_folder(), ignored)) {
    const std::string name = file.path().filename().string();
    if (name.starts_with(kLibraryPrefix) && name.ends_with(kLibrarySuffix)) {
      names.push_back(name.substr(kLibraryPrefix.size(),
                                  name.size() - kLibraryPrefix.size() - kLibrarySuffix.size()));
    }
  }
  std::ranges::sort(names);
  names.insert(names.begin(), std::string(kLinkedIn));
  return names;
}

std::string why_unknown(std::string_view name) {
  const std::vector<std::string> kinds = known_plugins();
  const std::vector<std::string_view> names(kinds.begin(), kinds.end());
  if (std::ranges::find(names, name) != names.end()) {
    const std::string path = library_path(name);
    const int error = access(path.c_str(), R_OK) == 0 ? 0 : errno;
    return fmt::format("the plugin of '{}', '{}', cannot be read: {}; give this user the right to, "
                       "or install Gantry again",
                       name, path, std::strerror(error));
  }
  return fmt::format(
      "'{}' is not a kind of device{}; the kinds here are: {}; `gantry doctor` says what to "
      "install for others",
      name, suggestion(name, names), fmt::join(names, ", "));
}

Result<std::unique_ptr<Plugin>> bind_plugin(std::string_view name) {
  if (name == kLinkedIn) {
    return std::make_unique<Plugin>(std::string(name), linked_in_functions());
  }
  expect_no_lock("a plugin is loaded");
  const std::string path = library_path(name);
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return fail("the plugin '{}' does not load: {}; install Gantry again", name, dlerror());
  }
  PluginFunctions functions{};
#define GANTRY_LOOK_UP(function)                                                                   \
  functions.function =                                                                             \
      reinterpret_cast<decltype(functions.function)>(dlsym(library, "__tgt_rtl_" #function));
  GANTRY_PLUGIN_FUNCTIONS(GANTRY_LOOK_UP)
  GANTRY_QUEUE_FUNCTIONS(GANTRY_LOOK_UP)
  GANTRY_INDIRECT_FUNCTIONS(GANTRY_LOOK_UP)
  GANTRY_OPTIONAL_FUNCTIONS(GANTRY_LOOK_UP)
#undef GANTRY_LOOK_UP
#define GANTRY_REQUIRE(function)                                                                   \
  if (functions.function == nullptr) {                                                             \
    return fail("the plugin '{}' lacks the function __tgt_rtl_" #function, path);                  \
  }
  GANTRY_PLUGIN_FUNCTIONS(GANTRY_REQUIRE)
#undef GANTRY_REQUIRE
  if (const std::int32_t version = functions.api_version(); version != GANTRY_PLUGIN_API_VERSION) {
    return fail("the plugin '{}' is written for version {} of the plugin interface and this "
                "runtime speaks version {}; rebuild the plugin",
                path, version, GANTRY_PLUGIN_API_VERSION);
  }
  return std::make_unique<Plugin>(std::string(name), functions);
}

Result<PluginDevice> PluginDevice::open(const Plugin& plugin, std::int32_t device,
                                        std::int32_t openmp_number, const std::string& options) {
  const PluginFunctions& call = plugin.functions();
  if (Status status = plugin.check(call.init_device(device, openmp_number, options.c_str()));
      !status) {
    return tl::unexpected(status.error());
  }
  const std::uint32_t capabilities = call.capabilities(device);
#define GANTRY_REQUIRE(function)                                                                   \
  if ((capabilities & GANTRY_CAPABILITY_QUEUES) != 0 && call.function == nullptr) {                \
    return fail("the device has queues and its plugin lacks the function __tgt_rtl_" #function);   \
  }
  GANTRY_QUEUE_FUNCTIONS(GANTRY_REQUIRE)
#undef GANTRY_REQUIRE
  return PluginDevice(plugin, device, capabilities);
}

Status PluginDevice::use_host_memory() const {
  if (host_accessible()) {
    return {};
  }
  decltype(&__tgt_rtl_use_host_memory) const call = plugin_->functions().use_host_memory;
  return call == nullptr ? fail("the device has memory of its own alone")
                         : plugin_->check(call(device_));
}

std::string PluginDevice::launch_hint(gantry_kernel* kernel, const gantry_launch& launch) const {
  decltype(&__tgt_rtl_launch_hint) const ask = plugin_->functions().launch_hint;
  const char* const hint = ask == nullptr ? nullptr : ask(device_, kernel, &launch);
  return hint == nullptr ? std::string() : hint;
}

std::string_view PluginDevice::description() const {
  return plugin_->functions().device_description(device_);
}

Result<ImageHandle> PluginDevice::create_image(std::span<const std::byte> bytes,
                                               const std::string& file) const {
  gantry_image* image = nullptr;
  if (Status status = plugin_->check(plugin_->functions().create_image(
          device_, bytes.data(), bytes.size(), file.empty() ? nullptr : file.c_str(), &image));
      !status) {
    return tl::unexpected(status.error());
  }
  return ImageHandle(image, ImageDeleter{plugin_});
}

Status PluginDevice::load_image(gantry_image* image) const {
  return plugin_->check(plugin_->functions().load_image(image));
}

Result<gantry_kernel*> PluginDevice::find_kernel(gantry_image* image, const char* name) const {
  gantry_kernel* kernel = nullptr;
  if (Status status = plugin_->check(plugin_->functions().find_kernel(image, name, &kernel));
      !status) {
    return tl::unexpected(status.error());
  }
  return kernel;
}

Result<PluginDevice::Variable> PluginDevice::find_variable(gantry_image* image,
                                                           const char* name) const {
  Variable variable;
  if (Status status = plugin_->check(plugin_->functions().find_variable(
          image, name, &variable.device_address, &variable.size));
      !status) {
    return tl::unexpected(status.error());
  }
  return variable;
}

Result<void*> PluginDevice::allocate(std::uint64_t size) const {
  void* address = nullptr;
  if (Status status = plugin_->check(plugin_->functions().data_alloc(device_, size, &address));
      !status) {
    return tl::unexpected(status.error());
  }
  return address;
}

Result<PluginDevice::Place> PluginDevice::place(std::uint64_t size, std::uint64_t alignment,
                                                std::uint64_t offset) const {
  if (auto* const data_place = plugin_->functions().data_place; data_place != nullptr) {
    Place placed;
    if (Status status =
            plugin_->check(data_place(device_, size, alignment, offset, &placed.allocation));
        !status) {
      return tl::unexpected(status.error());
    }
    placed.begin = reinterpret_cast<std::uintptr_t>(placed.allocation);
    return placed;
  }
  auto allocated = allocate(size + offset + (alignment - kAlignment));
  if (!allocated) {
    return tl::unexpected(allocated.error());
  }
  const auto begin = reinterpret_cast<std::uintptr_t>(*allocated);
  return Place{*allocated, (begin + alignment - 1) / alignment * alignment + offset};
}

Status PluginDevice::release(void* device_address) const {
  return plugin_->check(plugin_->functions().data_delete(device_, device_address));
}

Status PluginDevice::submit(void* device_address, const void* host, std::uint64_t size) const {
  return plugin_->check(plugin_->functions().data_submit(device_, device_address, host, size));
}

Status PluginDevice::retrieve(void* host, const void* device_address, std::uint64_t size) const {
  return plugin_->check(plugin_->functions().data_retrieve(device_, host, device_address, size));
}

Result<gantry_queue*> PluginDevice::create_queue() const {
  gantry_queue* queue = nullptr;
  if (Status status = plugin_->check(plugin_->functions().create_queue(device_, &queue)); !status) {
    return tl::unexpected(status.error());
  }
  return queue;
}

void PluginDevice::set_limits(std::uint64_t time_limit, bool check_memory,
                              std::span<const unsigned long> processors) const {
  const PluginFunctions& call = plugin_->functions();
  if (time_limit != 0 && call.set_time_limit != nullptr) {
    call.set_time_limit(device_, time_limit);
  }
  if (check_memory && call.set_memory_check != nullptr) {
    call.set_memory_check(device_);
  }
  if (call.set_processors != nullptr) {
    call.set_processors(device_, processors.data(), processors.size());
  }
}

std::optional<gantry_fault> PluginDevice::fault() const {
  auto* const device_fault = plugin_->functions().device_fault;
  gantry_fault fault{};
  return device_fault != nullptr && device_fault(device_, &fault) == GANTRY_SUCCESS
             ? std::optional(fault)
             : std::nullopt;
}

Status PluginDevice::launch(gantry_kernel* kernel, const gantry_launch& launch) const {
  return plugin_->check(plugin_->functions().launch_kernel(device_, kernel, &launch));
}

} // namespace gantry::core
