#include "plugins/cuda/image.h"

#include "plugins/cuda/entries.h"
#include "plugins/image_entries.h"

#include <cstdio>
#include <utility>

#include <unistd.h>

namespace gantry::cuda {

namespace {

constexpr std::uint64_t kNanosecondsPerSecond = 1'000'000'000;

constexpr const char* kDeviceEnvironment = "__omp_rtl_device_environment";

} // namespace

gpu::LoadedImages& loaded_images() {
  // Exit handlers use it.
  static auto* const images = new gpu::LoadedImages([](gantry_image* image) { image->end(); });
  return *images;
}

} // namespace gantry::cuda

using namespace gantry::cuda;

std::int32_t gantry_image::unload() {
  if (module_ == nullptr) {
    return GANTRY_SUCCESS;
  }
  withdraw();
  loaded_images().remove(this);
  GANTRY_STATUS_TRY(enter(device_));
  std::int32_t status = destroy();
  keep_failure(status, check(driver().cuModuleUnload(module_), "cuModuleUnload"));
  return status;
}

std::int32_t gantry_image::destroy() {
  return std::exchange(destroyed_, true) ? GANTRY_SUCCESS : run_alone("__gantry_destroy");
}

void gantry_image::end() {
  if (enter(device_) == GANTRY_SUCCESS) {
    (void)destroy();
    (void)driver().cuStreamSynchronize(nullptr); // which prints what kernels have printed
  }
}

void gantry_image::withdraw() {
  const std::lock_guard lock(device_.mutex);
  std::erase(device_.images, this);
}

std::int32_t gantry_image::load() {
  const std::lock_guard lock(mutex_);
  if (module_ != nullptr) {
    return GANTRY_SUCCESS;
  }
  GANTRY_STATUS_TRY(enter(device_));
  GANTRY_STATUS_TRY(compile());
  std::int32_t code = publish();
  if (code == GANTRY_SUCCESS) {
    code = run_alone("__gantry_construct");
    load_now("__gantry_destroy");
  }
  if (code != GANTRY_SUCCESS) {
    // Not half: the next call begins anew.
    withdraw();
    (void)driver().cuModuleUnload(std::exchange(module_, nullptr));
    return code;
  }
  // Registered after the driver's own handler, this one runs before it.
  [[maybe_unused]] static const bool registered =
      (at_driver_end([] { loaded_images().end(); }), true);
  loaded_images().add(this);
  return GANTRY_SUCCESS;
}

std::int32_t gantry_image::publish() {
  const std::lock_guard lock(device_.mutex);
  device_.images.push_back(this);
  GANTRY_STATUS_TRY(introduce_device(module_, device_));
  return write_device_environment();
}

std::int32_t gantry_image::run_alone(const char* name) const {
  CUfunction function = nullptr;
  if (driver().cuModuleGetFunction(&function, module_, name) != CUDA_SUCCESS) {
    return GANTRY_SUCCESS;
  }
  GANTRY_CUDA_TRY(cuLaunchKernel, function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr);
  GANTRY_CUDA_TRY(cuStreamSynchronize, nullptr);
  return GANTRY_SUCCESS;
}

// It runs when the process ends, and drivers that compile kernels when they are needed may not do
// so any more.
void gantry_image::load_now(const char* name) const {
  CUfunction function = nullptr;
  if (driver().cuFuncLoad != nullptr &&
      driver().cuModuleGetFunction(&function, module_, name) == CUDA_SUCCESS) {
    (void)driver().cuFuncLoad(function);
  }
}

CUresult gantry_image::load_module(std::vector<char>& log) {
  if (is_of_gcc(text_)) {
    return load_objects(text_, device_.options, log, module_);
  }
  DeviceOptions::Jit jit = device_.options.jit(log);
  return driver().cuModuleLoadDataEx(&module_, text_.c_str(),
                                     static_cast<unsigned>(jit.options.size()), jit.options.data(),
                                     jit.values.data());
}

std::int32_t gantry_image::compile() {
  std::vector<char> log(8192);
  const CUresult result = load_module(log);
  if (result == CUDA_SUCCESS) {
    return GANTRY_SUCCESS;
  }
  module_ = nullptr;
  if (ends_context(result)) {
    return refusal(result, "cuModuleLoadDataEx");
  }
  log.back() = '\0';
  std::string said = log.data();
  for (char& character : said) {
    character = character == '\n' ? ' ' : character;
  }
  if (result == CUDA_ERROR_UNSUPPORTED_PTX_VERSION) {
    return report(
        GANTRY_FAILURE,
        "the driver is too old for the image, which is PTX {}: {}; install a newer driver",
        ptx_version(text_), device_.description);
  }
  return report(GANTRY_FAILURE, "the driver does not compile the image: {}{}{}", text_of(result),
                said.empty() ? "" : ": ", said);
}

std::int32_t gantry_image::write_device_environment() const {
  CUdeviceptr address = 0;
  std::size_t size = 0;
  if (driver().cuModuleGetGlobal_v2(&address, &size, module_, kDeviceEnvironment) != CUDA_SUCCESS ||
      size != sizeof(gantry_device_environment)) {
    return GANTRY_SUCCESS; // nothing in the image asks
  }
  gantry_device_environment environment = {};
  environment.clock_frequency = kNanosecondsPerSecond;
  // Those that are known of; images for CPUs say the same (device/cpu/api.cpp).
  environment.device_count = static_cast<std::uint32_t>(device_.openmp_number + 1);
  environment.device_number = static_cast<std::uint32_t>(device_.openmp_number);
  environment.functions = device_.functions.address();
  environment.function_count = device_.functions.count();
  return write(address, &environment, sizeof environment);
}

std::int32_t gantry_image::find_kernel(const char* name, gantry_kernel*& kernel) {
  const std::lock_guard lock(mutex_);
  if (const auto known = kernels_.find(name); known != kernels_.end()) {
    kernel = &known->second;
    return GANTRY_SUCCESS;
  }
  GANTRY_STATUS_TRY(enter(device_));
  CUfunction function = nullptr;
  Convention convention = Convention::kClang;
  CUdeviceptr region = 0;
  const CUresult result = is_of_gcc(text_)
                              ? find_region(module_, name, function, convention, region)
                              : driver().cuModuleGetFunction(&function, module_, name);
  if (ends_context(result)) {
    return refusal(result, "cuModuleGetFunction");
  }
  if (result != CUDA_SUCCESS) {
    return report(GANTRY_NOT_FOUND, "there is no such kernel in the image");
  }
  int max_block_size = 0;
  GANTRY_CUDA_TRY(cuFuncGetAttribute, &max_block_size, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
                  function);
  CUdeviceptr address = 0;
  std::size_t size = 0;
  gantry_kernel_environment environment = {};
  const std::string variable = std::string(name) + "_kernel_environment";
  if (driver().cuModuleGetGlobal_v2(&address, &size, module_, variable.c_str()) == CUDA_SUCCESS &&
      size == sizeof environment) {
    GANTRY_CUDA_TRY(cuMemcpyDtoH_v2, &environment, address, size);
  }
  const std::string mark = std::string(name) + "_open_team";
  const bool open_team =
      driver().usual_block_size != nullptr && driver().usual_block_size() != 0 &&
      driver().cuModuleGetGlobal_v2(&address, &size, module_, mark.c_str()) == CUDA_SUCCESS;
  gantry_kernel& found = kernels_[name];
  found.device = &device_;
  found.function = function;
  found.convention = convention;
  found.region = region;
  found.environment = environment;
  found.open_team = open_team;
  found.max_block_size = max_block_size;
  kernel = &found;
  return GANTRY_SUCCESS;
}

std::int32_t gantry_image::find_variable(const char* name, void*& device_address,
                                         std::uint64_t& size) const {
  GANTRY_STATUS_TRY(enter(device_));
  CUdeviceptr address = 0;
  std::size_t bytes = 0;
  const CUresult result = driver().cuModuleGetGlobal_v2(&address, &bytes, module_, name);
  if (ends_context(result)) {
    return refusal(result, "cuModuleGetGlobal");
  }
  if (result != CUDA_SUCCESS) {
    return report(GANTRY_NOT_FOUND, "there is no such variable in the image");
  }
  device_address = reinterpret_cast<void*>(address);
  size = bytes;
  return GANTRY_SUCCESS;
}

namespace gantry::cuda::entries {

std::int32_t accepts_image(const void* bytes, std::size_t size) noexcept {
  return targets_of({static_cast<const char*>(bytes), size}).empty() ? 0 : 1;
}

/// Code for the newest architecture that the device has.
std::uint32_t rank_image(gantry_device* device, const void* bytes, std::size_t size) noexcept {
  return rank_of({static_cast<const char*>(bytes), size}, device->capability);
}

gantry_status create_image(gantry_device* device, const void* bytes, std::size_t size,
                           const char* file, gantry_image** image) noexcept {
  std::string text(static_cast<const char*>(bytes), size);
  if (rank_of(text, device->capability) == 0) {
    const std::vector<CodeTarget> targets = targets_of(text);
    const CodeTarget target = targets.empty() ? CodeTarget() : targets.front();
    return report(GANTRY_FAILURE,
                  "the image is for sm_{}{} and the device is an sm_{}; compile with "
                  "--offload-arch=sm_{}",
                  target.architecture, target.variant == '\0' ? "" : std::string(1, target.variant),
                  device->capability, device->capability);
  }
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

} // namespace gantry::cuda::entries
