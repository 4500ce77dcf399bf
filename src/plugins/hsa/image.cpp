#include "plugins/hsa/image.h"

#include "plugins/hsa/code.h"
#include "plugins/hsa/entries.h"
#include "plugins/hsa/gcc.h"
#include "plugins/image_entries.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <optional>
#include <utility>

#include <unistd.h>

using namespace gantry::hsa;

namespace gantry::hsa {

namespace {

constexpr const char* kDeviceEnvironment = "__omp_rtl_device_environment";
/// The version of code objects that every runtime loads whose kernels Gantry makes.
constexpr unsigned kOldestLoaded = 5;
constexpr const char* kOutput = "__gantry_output";
/// A kernel's symbol is that of its descriptor.
constexpr const char* kDescriptor = ".kd";

/// An element of the table of GCC's variables.
struct GccVariable {
  std::uint64_t address;
  std::uint64_t size;
};

/// Waves that a compute unit has at once, by the registers that each takes.
std::uint32_t waves_by_registers(const KernelMetadata& kernel, const Device& device) {
  const std::string_view name = device.processor.name;
  const bool is_gfx9 = name.starts_with("gfx9");
  // Both kinds of registers are one file.
  const bool is_unified = name == "gfx90a" || name.starts_with("gfx94") || name == "gfx950";
  const std::uint32_t used = is_unified
                                 ? kernel.vector_registers + kernel.accumulation_registers
                                 : std::max(kernel.vector_registers, kernel.accumulation_registers);
  const std::uint32_t units = is_gfx9 ? 4 : 2;
  const std::uint32_t there = is_unified               ? 512
                              : is_gfx9                ? 256
                              : kernel.wave_size == 32 ? 1024
                                                       : 512;
  const std::uint32_t granule = is_gfx9 && !is_unified ? 4 : 8;
  if (used == 0) {
    return device.waves_per_unit;
  }
  const std::uint32_t waves = units * (there / ((used + granule - 1) / granule * granule));
  return std::clamp(waves, 1U, std::max(device.waves_per_unit, 1U));
}

} // namespace

gpu::LoadedImages& loaded_images() {
  // Exit handlers use it.
  static auto* const images = new gpu::LoadedImages([](gantry_image* image) { image->end(); });
  return *images;
}

} // namespace gantry::hsa

std::int32_t gantry_image::unload() {
  if (!loaded_ || ended_) {
    return GANTRY_SUCCESS;
  }
  loaded_images().remove(this);
  std::int32_t status = usable(device_);
  if (is_forked()) {
    return status;
  }
  if (status == GANTRY_SUCCESS) {
    status = destroy();
  }
  keep_failure(status, withdraw());
  return status;
}

std::int32_t gantry_image::destroy() {
  return std::exchange(destroyed_, true)
             ? GANTRY_SUCCESS
             : run_alone(of_gcc_ ? kGccDestructors : "__gantry_destroy");
}

void gantry_image::end() {
  if (usable(device_) == GANTRY_SUCCESS) {
    (void)destroy();
  }
  ended_ = true;
}

std::int32_t gantry_image::withdraw() {
  {
    const std::lock_guard lock(device_.mutex);
    std::erase(device_.images, this);
  }
  std::int32_t status = GANTRY_SUCCESS;
  if (heap_ != 0) {
    keep_failure(status, device_.source.free(std::exchange(heap_, 0)));
  }
  if (executable_.handle != 0) {
    keep_failure(status, check(library().hsa_executable_destroy(std::exchange(executable_, {})),
                               "hsa_executable_destroy"));
  }
  return status;
}

std::int32_t gantry_image::load() {
  const std::lock_guard lock(mutex_);
  if (loaded_) {
    return GANTRY_SUCCESS;
  }
  GANTRY_STATUS_TRY(usable(device_));
  std::int32_t code = load_code();
  if (code == GANTRY_SUCCESS) {
    code = prepare();
  }
  if (code != GANTRY_SUCCESS) {
    // Not half: the next call begins anew.
    const std::string message = gantry::plugins::last_error();
    (void)withdraw();
    return set_error(code, message);
  }
  loaded_ = true;
  // Registered after those of the runtime's library, this handler runs before them.
  [[maybe_unused]] static const bool registered =
      (at_library_end([] { loaded_images().end(); }), true);
  loaded_images().add(this);
  return GANTRY_SUCCESS;
}

std::int32_t gantry_image::load_code() {
  const Library& hsa = library();
  hsa_code_object_reader_t reader = {};
  GANTRY_HSA_TRY(hsa_code_object_reader_create_from_memory, bytes_.data(), bytes_.size(), &reader);
  hsa_status_t status = hsa.hsa_executable_create_alt(
      HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR, "", &executable_);
  const char* call = "hsa_executable_create_alt";
  if (status == HSA_STATUS_SUCCESS) {
    call = "hsa_executable_load_agent_code_object";
    status =
        hsa.hsa_executable_load_agent_code_object(executable_, device_.agent, reader, "", nullptr);
  }
  if (status == HSA_STATUS_SUCCESS) {
    call = "hsa_executable_freeze";
    status = hsa.hsa_executable_freeze(executable_, "");
  }
  // What was loaded is its own.
  (void)hsa.hsa_code_object_reader_destroy(reader);
  if (status != HSA_STATUS_SUCCESS) {
    const auto code = gantry::amd_processor_of(gantry::as_bytes(bytes_));
    return report(status == HSA_STATUS_ERROR_OUT_OF_RESOURCES ? GANTRY_OUT_OF_MEMORY
                                                              : GANTRY_FAILURE,
                  "the HSA runtime does not load the image, a code object of version {} for {}: "
                  "{}: {}{}",
                  code ? code->version : 0, code ? text_of(*code) : "", call, text_of(status),
                  code && code->version > kOldestLoaded ? remedy_for_new_code() : "");
  }
  metadata_ = read_metadata(gantry::as_bytes(bytes_));
  hsa_executable_symbol_t symbol = {};
  of_gcc_ =
      find(kGccVariables, symbol) || find(std::string(kGccConstructors) + kDescriptor, symbol);
  return GANTRY_SUCCESS;
}

std::int32_t gantry_image::prepare() {
  if (of_gcc_) {
    const GccHeap heap = {static_cast<std::int64_t>(*device_.options.heap)};
    GANTRY_STATUS_TRY(device_.source.allocate(*device_.options.heap + sizeof heap, heap_));
    GANTRY_STATUS_TRY(write(device_, pointer_to(heap_), &heap, sizeof heap));
    GANTRY_STATUS_TRY(introduce_device(device_.openmp_number,
                                       [&](const char* name, const void* bytes, std::size_t size) {
                                         void* address = nullptr;
                                         std::uint64_t there = 0;
                                         return find_address(name, address, there) && there >= size
                                                    ? write(device_, address, bytes, size)
                                                    : std::int32_t{GANTRY_SUCCESS};
                                       }));
  }
  GANTRY_STATUS_TRY(write_output());
  GANTRY_STATUS_TRY(publish());
  return run_alone(of_gcc_ ? kGccConstructors : "__gantry_construct");
}

std::int32_t gantry_image::write_output() {
  void* place = nullptr;
  std::uint64_t size = 0;
  gantry::gpu::DeviceAddress address = 0;
  if (!find_address(kOutput, place, size) || size != sizeof address) {
    return GANTRY_SUCCESS; // the image's code prints nothing
  }
  GANTRY_STATUS_TRY(device_.output.get_address(address));
  return write(device_, place, &address, sizeof address);
}

std::int32_t gantry_image::publish() {
  const std::lock_guard lock(device_.mutex);
  device_.images.push_back(this);
  return write_device_environment();
}

std::int32_t gantry_image::run_alone(const char* name) {
  hsa_executable_symbol_t symbol = {};
  const std::string descriptor = std::string(name) + kDescriptor;
  if (!find(descriptor, symbol)) {
    return GANTRY_SUCCESS;
  }
  gantry_kernel& kernel = kernels_[name]; // which a fault may name
  kernel = {};
  GANTRY_STATUS_TRY(describe(symbol, name, kernel));
  const gantry_launch launch = {.size = sizeof launch,
                                .kind = GANTRY_LAUNCH_TARGET,
                                .argument_count = 0,
                                .arguments = nullptr,
                                .num_teams = {1, 0, 0},
                                .thread_limit = {1, 0, 0},
                                .trip_count = 0,
                                .dynamic_memory = 0};
  return entries::launch(&device_, &kernel, &launch);
}

bool gantry_image::find(const std::string& name, hsa_executable_symbol_t& symbol) const {
  return library().hsa_executable_get_symbol_by_name(executable_, name.c_str(), &device_.agent,
                                                     &symbol) == HSA_STATUS_SUCCESS;
}

bool gantry_image::find_address(const std::string& name, void*& address,
                                std::uint64_t& size) const {
  hsa_executable_symbol_t symbol = {};
  hsa_symbol_kind_t kind = HSA_SYMBOL_KIND_KERNEL;
  std::uint64_t place = 0;
  std::uint32_t bytes = 0;
  const auto ask = [&](hsa_executable_symbol_info_t what, void* value) {
    return library().hsa_executable_symbol_get_info(symbol, what, value) == HSA_STATUS_SUCCESS;
  };
  if (!find(name, symbol) || !ask(HSA_EXECUTABLE_SYMBOL_INFO_TYPE, &kind) ||
      kind != HSA_SYMBOL_KIND_VARIABLE ||
      !ask(HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS, &place) ||
      !ask(HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SIZE, &bytes)) {
    return false;
  }
  address = pointer_to(place);
  size = bytes;
  return true;
}

std::int32_t gantry_image::describe(hsa_executable_symbol_t symbol, const std::string& name,
                                    gantry_kernel& kernel) {
  bool dynamic_stack = false;
  const std::pair<hsa_executable_symbol_info_t, void*> wanted[] = {
      {HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &kernel.object},
      {HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE, &kernel.argument_bytes},
      {HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE, &kernel.group_bytes},
      {HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE, &kernel.private_bytes},
      {HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_DYNAMIC_CALLSTACK, &dynamic_stack},
  };
  for (const auto& [what, value] : wanted) {
    GANTRY_HSA_TRY(hsa_executable_symbol_get_info, symbol, what, value);
  }
  if (dynamic_stack) { // behind the kernel's own frame
    kernel.private_bytes += static_cast<std::uint32_t>(*device_.options.stack);
  }
  const auto known = metadata_.find(name);
  if (known == metadata_.end()) {
    return report(GANTRY_FAILURE,
                  "the metadata of the image does not have kernel '{}': the image is damaged",
                  name);
  }
  const KernelMetadata& metadata = known->second;
  if (!metadata.unknown_argument.empty()) {
    return report(GANTRY_FAILURE,
                  "kernel '{}' has an argument of the kind '{}', which is none that is known: the "
                  "image is damaged, or newer than this plugin",
                  name, metadata.unknown_argument);
  }
  kernel.device = &device_;
  kernel.image = this;
  kernel.name = name;
  kernel.of_gcc = of_gcc_;
  kernel.wave_size = metadata.wave_size != 0 ? metadata.wave_size : device_.wave_size;
  kernel.max_block_size = metadata.max_block_size != 0
                              ? std::min(metadata.max_block_size, device_.max_block_size)
                              : device_.max_block_size;
  kernel.waves_at_once = waves_by_registers(metadata, device_);
  kernel.hidden = metadata.hidden;
  return GANTRY_SUCCESS;
}

std::int32_t gantry_image::write_device_environment() const {
  void* address = nullptr;
  std::uint64_t size = 0;
  if (!find_address(kDeviceEnvironment, address, size) ||
      size != sizeof(gantry_device_environment)) {
    return GANTRY_SUCCESS; // nothing in the image asks
  }
  gantry_device_environment environment = {};
  environment.clock_frequency = device_.clock_frequency;
  // Those that are known of; images for CPUs say the same (device/cpu/api.cpp).
  environment.device_count = static_cast<std::uint32_t>(device_.openmp_number + 1);
  environment.device_number = static_cast<std::uint32_t>(device_.openmp_number);
  environment.functions = device_.functions.address();
  environment.function_count = device_.functions.count();
  return write(device_, address, &environment, sizeof environment);
}

std::int32_t gantry_image::find_kernel(const char* name, gantry_kernel*& kernel) {
  GANTRY_STATUS_TRY(usable(device_));
  const std::lock_guard lock(mutex_);
  if (const auto known = kernels_.find(name); known != kernels_.end()) {
    kernel = &known->second;
    return GANTRY_SUCCESS;
  }
  hsa_executable_symbol_t symbol = {};
  if (!find(std::string(name) + kDescriptor, symbol)) {
    return report(GANTRY_NOT_FOUND, "there is no such kernel in the image");
  }
  gantry_kernel found;
  GANTRY_STATUS_TRY(describe(symbol, name, found));
  void* address = nullptr;
  std::uint64_t size = 0;
  if (find_address(std::string(name) + "_kernel_environment", address, size) &&
      size == sizeof found.environment) {
    GANTRY_STATUS_TRY(read(device_, &found.environment, address, size));
  }
  kernel = &kernels_.emplace(name, std::move(found)).first->second;
  return GANTRY_SUCCESS;
}

std::int32_t gantry_image::find_variable(const char* name, void*& device_address,
                                         std::uint64_t& size) {
  GANTRY_STATUS_TRY(usable(device_));
  const std::string_view text = name;
  if (of_gcc_ && text.starts_with('#')) {
    std::uint64_t number = 0;
    std::from_chars(text.data() + 1, text.data() + text.size(), number);
    void* table = nullptr;
    std::uint64_t bytes = 0; // the symbol has none
    GccVariable variable = {};
    if (find_address(kGccVariables, table, bytes)) {
      GANTRY_STATUS_TRY(read(device_, &variable,
                             static_cast<std::byte*>(table) + number * sizeof variable,
                             sizeof variable));
      device_address = pointer_to(variable.address);
      size = variable.size;
      return GANTRY_SUCCESS;
    }
  } else if (find_address(name, device_address, size)) {
    return GANTRY_SUCCESS;
  }
  return report(GANTRY_NOT_FOUND, "there is no such variable in the image");
}

namespace gantry::hsa::entries {

namespace {

std::optional<AmdProcessor> processor_of(const void* bytes, std::size_t size) {
  return amd_processor_of({static_cast<const std::byte*>(bytes), size});
}

} // namespace

std::int32_t accepts_image(const void* bytes, std::size_t size) noexcept {
  return processor_of(bytes, size) ? 1 : 0;
}

std::uint32_t rank_image(gantry_device* device, const void* bytes, std::size_t size) noexcept {
  const auto code = processor_of(bytes, size);
  return code ? rank_of(*code, device->processor) : 0;
}

gantry_status create_image(gantry_device* device, const void* bytes, std::size_t size,
                           const char* file, gantry_image** image) noexcept {
  GANTRY_STATUS_TRY(usable(*device));
  const auto code = processor_of(bytes, size);
  if (!code) {
    return report(GANTRY_FAILURE, "the image is no code object for AMD's GPUs that is known");
  }
  if (rank_of(*code, device->processor) == 0) {
    const std::string is = text_of(device->processor);
    return report(GANTRY_FAILURE,
                  "the image is for {} and the device is a {}; compile with --offload-arch={}",
                  text_of(*code), is, is);
  }
  std::string text(static_cast<const char*>(bytes), size);
  if (file != nullptr) {
    unlink(file); // left by an earlier process of this number
    FILE* const kept = std::fopen(file, "wxe");
    const bool written = kept != nullptr && std::fwrite(text.data(), 1, size, kept) == size;
    if ((kept != nullptr && std::fclose(kept) != 0) || !written) {
      return report(GANTRY_FAILURE, "cannot write '{}'", file);
    }
  }
  *image = new gantry_image(*device, std::move(text));
  return GANTRY_SUCCESS;
}

GANTRY_IMAGE_ENTRIES

} // namespace gantry::hsa::entries
