#include "plugins/cuda/device.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>

namespace gantry::cuda {

namespace {

/// What is kept of memory that programs give back, of the device's: 1 of so many bytes.
constexpr std::uint64_t kKeptPart = 16;
/// The same where it is the host's memory, which others need.
constexpr std::uint64_t kKeptPartOfHosts = 256;

constexpr std::int32_t kMostDevices = 1024;
/// Open devices by the plugin's number.
constinit std::array<std::atomic<Device*>, kMostDevices> open_devices = {};

std::int32_t read_attribute(int& value, CUdevice_attribute attribute, CUdevice device) {
  GANTRY_CUDA_TRY(cuDeviceGetAttribute, &value, attribute, device);
  return GANTRY_SUCCESS;
}

std::int32_t describe(Device& opened, CUdevice device) {
  char name[256] = {};
  int major = 0, minor = 0, version = 0, integrated = 0, pageable = 0;
  GANTRY_CUDA_TRY(cuDeviceGetName, name, sizeof name, device);
  GANTRY_CUDA_TRY(cuDeviceTotalMem_v2, &opened.total_memory, device);
  GANTRY_CUDA_TRY(cuDriverGetVersion, &version);
  struct Wanted {
    CUdevice_attribute attribute;
    int* value;
  };
  for (const auto& [attribute, value] : {
           Wanted{CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, &major},
           Wanted{CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, &minor},
           Wanted{CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, &opened.multiprocessors},
           Wanted{CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, &opened.max_grid_size},
           Wanted{CU_DEVICE_ATTRIBUTE_CLOCK_RATE, &opened.clock_kilohertz},
           Wanted{CU_DEVICE_ATTRIBUTE_INTEGRATED, &integrated},
           Wanted{CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS, &pageable},
       }) {
    if (const std::int32_t code = read_attribute(*value, attribute, device);
        code != GANTRY_SUCCESS) {
      return code;
    }
  }
  opened.capability = major * 10 + minor;
  opened.integrated = integrated != 0;
  opened.host_accessible = pageable != 0;
  opened.memory.keep(opened.total_memory / (opened.integrated ? kKeptPartOfHosts : kKeptPart));
  opened.description = fmt::format(
      "{}, sm_{}, {} multiprocessors, {:.1f} GiB, driver for CUDA {}.{}", name, opened.capability,
      opened.multiprocessors, static_cast<double>(opened.total_memory) / (1 << 30), version / 1000,
      version % 1000 / 10);
  return GANTRY_SUCCESS;
}

std::int32_t open(Device& opened) {
  CUdevice device = 0;
  GANTRY_CUDA_TRY(cuDeviceGet, &device, opened.index);
  if (const std::int32_t code = describe(opened, device); code != GANTRY_SUCCESS) {
    return code;
  }
  GANTRY_CUDA_TRY(cuDevicePrimaryCtxRetain, &opened.context, device);
  if (const std::int32_t code = enter(opened); code != GANTRY_SUCCESS) {
    return code;
  }
  // Refused once somebody else's kernels use the heap; then it is theirs to have made it large.
  (void)driver().cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, opened.options.heap);
  if (opened.options.stack) {
    GANTRY_CUDA_TRY(cuCtxSetLimit, CU_LIMIT_STACK_SIZE, *opened.options.stack);
  }
  return GANTRY_SUCCESS;
}

} // namespace

Device& device_of(std::int32_t device) {
  return *open_devices[static_cast<std::size_t>(device)].load(std::memory_order_acquire);
}

std::int32_t enter(const Device& device) {
  // Not remembered: other users of the driver in this thread may change it.
  GANTRY_CUDA_TRY(cuCtxSetCurrent, device.context);
  return GANTRY_SUCCESS;
}

std::int32_t write(CUdeviceptr to, const void* from, std::size_t size) {
  // The copy alone returns when the bytes are taken, which other streams do not wait for.
  GANTRY_CUDA_TRY(cuMemcpyHtoD_v2, to, from, size);
  GANTRY_CUDA_TRY(cuStreamSynchronize, CU_STREAM_LEGACY);
  return GANTRY_SUCCESS;
}

} // namespace gantry::cuda

using namespace gantry::cuda;

extern "C" {

int32_t __tgt_rtl_number_of_devices(void) noexcept {
  if (!driver().problem.empty()) {
    set_error(GANTRY_FAILURE, driver().problem);
    return 0;
  }
  int count = 0;
  if (check(driver().cuDeviceGetCount(&count), "cuDeviceGetCount") != GANTRY_SUCCESS) {
    return 0;
  }
  count = std::min(count, kMostDevices);
  if (count == 0) {
    set_error(GANTRY_FAILURE, "the driver has no device");
  }
  return count;
}

int32_t __tgt_rtl_init_device(int32_t device, int32_t openmp_number, const char* options) noexcept {
  const auto wanted = read_device_options(options);
  if (!wanted) {
    return report(GANTRY_INVALID_OPTION, "{}", wanted.error());
  }
  if (const std::int32_t count = __tgt_rtl_number_of_devices(); device >= count) {
    return count == 0 ? GANTRY_FAILURE
                      : report(GANTRY_INVALID_OPTION, "there are only {} devices", count);
  }
  auto opened = std::make_unique<Device>();
  opened->index = device;
  opened->openmp_number = openmp_number;
  opened->options = *wanted;
  if (const std::int32_t code = open(*opened); code != GANTRY_SUCCESS) {
    return code;
  }
  // Several threads may open a device at once; all of them keep its context, which is one.
  Device* none = nullptr;
  if (open_devices[static_cast<std::size_t>(device)].compare_exchange_strong(
          none, opened.get(), std::memory_order_acq_rel)) {
    [[maybe_unused]] const Device* const kept = opened.release();
  }
  return GANTRY_SUCCESS;
}

uint32_t __tgt_rtl_capabilities(int32_t device) noexcept {
  const bool host_accessible = device_of(device).host_accessible;
  return GANTRY_CAPABILITY_QUEUES | GANTRY_CAPABILITY_DIRECT |
         (host_accessible ? GANTRY_CAPABILITY_HOST_ACCESSIBLE : 0);
}

int32_t __tgt_rtl_use_host_memory(int32_t device) noexcept {
  Device& on = device_of(device);
  if (on.host_accessible) {
    return GANTRY_SUCCESS;
  }
  if (driver().use_host_memory == nullptr) {
    return report(GANTRY_FAILURE, "the GPU cannot access pageable host memory");
  }
  GANTRY_CUDA_TRY(use_host_memory, on.index);
  on.host_accessible = true;
  return GANTRY_SUCCESS;
}

const char* __tgt_rtl_device_description(int32_t device) noexcept {
  return device_of(device).description.c_str();
}

} // extern "C"
