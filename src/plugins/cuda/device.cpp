#include "plugins/cuda/device.h"

#include "plugins/cuda/entries.h"
#include "plugins/cuda/functions.h"
#include "plugins/cuda/times.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace gantry::cuda {

namespace {

/// What is kept of memory that programs give back, of the device's: 1 of so many bytes.
constexpr std::uint64_t kKeptPart = 16;
/// The same where it is the host's memory, which others need.
constexpr std::uint64_t kKeptPartOfHosts = 256;

std::int32_t describe(Device& opened, CUdevice device) {
  char name[256] = {};
  int major = 0, minor = 0, version = 0, integrated = 0, pageable = 0;
  GANTRY_CUDA_TRY(cuDeviceGetName, name, sizeof name, device);
  GANTRY_CUDA_TRY(cuDeviceTotalMem_v2, &opened.total_memory, device);
  GANTRY_CUDA_TRY(cuDriverGetVersion, &version);
  const std::pair<CUdevice_attribute, int*> wanted[] = {
      {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, &major},
      {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, &minor},
      {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, &opened.multiprocessors},
      {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, &opened.multiprocessor_threads},
      {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, &opened.max_grid_size},
      {CU_DEVICE_ATTRIBUTE_CLOCK_RATE, &opened.clock_kilohertz},
      {CU_DEVICE_ATTRIBUTE_INTEGRATED, &integrated},
      {CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS, &pageable},
  };
  for (const auto& [attribute, value] : wanted) {
    GANTRY_CUDA_TRY(cuDeviceGetAttribute, value, attribute, device);
  }
  opened.capability = major * 10 + minor;
  opened.integrated = integrated != 0;
  opened.host_accessible = pageable != 0;
  if (const unsigned usual =
          driver().usual_block_size == nullptr ? 0 : driver().usual_block_size()) {
    opened.usual_threads = usual;
  }
  opened.memory.keep(opened.total_memory / (opened.integrated ? kKeptPartOfHosts : kKeptPart));
  opened.description = fmt::format(
      "{}, sm_{}, {} multiprocessors, {:.1f} GiB, driver for CUDA {}.{}", name, opened.capability,
      opened.multiprocessors, static_cast<double>(opened.total_memory) / (1 << 30), version / 1000,
      version % 1000 / 10);
  return GANTRY_SUCCESS;
}

/// Bytes of each thread's stack. The driver's own limit is a kilobyte, which recursion and calls by
/// pointer soon use up. The driver reserves a stack for every thread that the device can have at
/// once.
std::size_t usual_stack(const Device& opened) {
  constexpr std::size_t kMost = 8 << 10;
  constexpr std::uint64_t kPart = 64; // of the device's memory, 1 of so many bytes
  const std::uint64_t threads = static_cast<std::uint64_t>(opened.multiprocessors) *
                                static_cast<std::uint64_t>(opened.multiprocessor_threads);
  return threads == 0 ? 0 : std::min<std::uint64_t>(kMost, opened.total_memory / kPart / threads);
}

std::int32_t prepare_context(const Device& opened) {
  GANTRY_STATUS_TRY(enter(opened));
  // Refused once somebody else's kernels use the heap; then it is theirs to have made it large.
  (void)driver().cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, *opened.options.heap);
  if (opened.options.stack) {
    GANTRY_CUDA_TRY(cuCtxSetLimit, CU_LIMIT_STACK_SIZE, *opened.options.stack);
    return GANTRY_SUCCESS;
  }
  std::size_t stack = 0;
  GANTRY_CUDA_TRY(cuCtxGetLimit, &stack, CU_LIMIT_STACK_SIZE);
  if (const std::size_t usual = usual_stack(opened); stack < usual) {
    GANTRY_CUDA_TRY(cuCtxSetLimit, CU_LIMIT_STACK_SIZE, usual);
  }
  return GANTRY_SUCCESS;
}

std::int32_t open(Device& opened, std::int32_t index) {
  GANTRY_CUDA_TRY(cuDeviceGet, &opened.ordinal, index);
  GANTRY_STATUS_TRY(describe(opened, opened.ordinal));
  GANTRY_CUDA_TRY(cuDevicePrimaryCtxRetain, &opened.context, opened.ordinal);
  const std::int32_t code = prepare_context(opened);
  if (code != GANTRY_SUCCESS) {
    (void)driver().cuDevicePrimaryCtxRelease_v2(opened.ordinal);
  }
  return code;
}

/// Frees all that the driver holds for the device but its context, which others may use too.
std::int32_t empty_context(Device& device) {
  GANTRY_STATUS_TRY(enter(device));
  std::int32_t status = free_functions(device);
  keep_failure(status, device.memory.free_all());
  keep_failure(status, device.pinned.free_kept());
  // The context may end, and the thread is not to be left with one that has.
  keep_failure(status, check(driver().cuCtxSetCurrent(nullptr), "cuCtxSetCurrent"));
  return status;
}

} // namespace

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

namespace entries {

gantry_status count_devices(std::int32_t* count) noexcept {
  *count = 0;
  if (!driver().problem.empty()) {
    return set_error(GANTRY_NOT_FOUND, driver().problem);
  }
  GANTRY_CUDA_TRY(cuDeviceGetCount, count);
  return *count > 0 ? gantry_status{GANTRY_SUCCESS}
                    : set_error(GANTRY_NOT_FOUND, "the driver has no device");
}

gantry_status open_device(std::int32_t index, const gantry_device_settings* settings,
                          gantry_device** device) noexcept {
  auto wanted = read_device_options(settings->options);
  if (!wanted) {
    return report(GANTRY_INVALID_OPTION, "{}", wanted.error());
  }
  std::int32_t count = 0;
  if (count_devices(&count) != GANTRY_SUCCESS) {
    return set_error(GANTRY_FAILURE, std::string(plugins::last_error()));
  }
  if (index < 0 || index >= count) {
    return report(GANTRY_INVALID_OPTION, "there {} {} of these devices{}",
                  count == 1 ? "is only" : "are only", count,
                  driver().set_freed != nullptr ? "; GANTRY_SIMT_DEVICES says how many there are"
                                                : "");
  }
  auto opened = std::make_unique<Device>();
  opened->openmp_number = settings->openmp_number;
  opened->options = *std::move(wanted);
  GANTRY_STATUS_TRY(open(*opened, index));
  opened->thread_queues = std::make_shared<gpu::ThreadQueues>(
      opened.get(), gpu::ThreadQueues::Functions{create_queue, destroy_queue});
  *device = opened.release();
  return GANTRY_SUCCESS;
}

gantry_status close_device(gantry_device* device) noexcept {
  const std::unique_ptr<Device> closed(device);
  gantry_status status = closed->thread_queues->close();
  keep_failure(status, empty_context(*closed));
  keep_failure(status, check(driver().cuDevicePrimaryCtxRelease_v2(closed->ordinal),
                             "cuDevicePrimaryCtxRelease"));
  return status;
}

gantry_status get_properties(gantry_device* device, gantry_device_properties* properties) noexcept {
  const std::uint32_t host = device->host_accessible ? GANTRY_CAPABILITY_HOST_ACCESSIBLE : 0U;
  const std::uint32_t of_executor =
      driver().allocate_at != nullptr
          ? GANTRY_CAPABILITY_CHOSEN_ADDRESS | GANTRY_CAPABILITY_CHECKED_MEMORY
          : 0U;
  plugins::fill_in(properties, {.size = 0,
                                .capabilities = GANTRY_CAPABILITY_QUEUES |
                                                GANTRY_CAPABILITY_DIRECT | host | of_executor,
                                .description = device->description.c_str(),
                                .clock = QueueTimes::kClock});
  return GANTRY_SUCCESS;
}

gantry_status use_host_memory(gantry_device* device) noexcept {
  if (device->host_accessible) {
    return GANTRY_SUCCESS;
  }
  if (driver().use_host_memory == nullptr) {
    return report(GANTRY_FAILURE, "the GPU cannot access pageable host memory");
  }
  GANTRY_CUDA_TRY(use_host_memory, device->ordinal);
  device->host_accessible = true;
  return GANTRY_SUCCESS;
}

} // namespace entries
} // namespace gantry::cuda
