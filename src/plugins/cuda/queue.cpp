// Queues: a stream each.
#include "plugins/cuda/queue.h"

#include "plugins/cuda/fault.h"
#include "plugins/cuda/queues_of_thread.h"

using namespace gantry::cuda;

namespace {

/// So much the driver takes into its own buffers at once, whatever memory it comes from.
constexpr std::uint64_t kDriverTakes = 64 << 10;

/// Whether the copy engine can use the program's memory as it is.
bool is_pinned(const void* host) {
  unsigned kind = 0;
  return driver().cuPointerGetAttribute(&kind, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                        reinterpret_cast<CUdeviceptr>(host)) == CUDA_SUCCESS;
}

/// A kernel's fault ends what the device does for this process. Where the driver can tell what
/// happened, the device is said to be lost, and device_fault() answers.
std::int32_t code_of(const Device& device, CUresult result) {
  const std::int32_t code = check(result, "the work on the device failed");
  return code != GANTRY_SUCCESS && is_lost(device) ? std::int32_t{GANTRY_DEVICE_LOST} : code;
}

/// GANTRY_SUCCESS if all that was put in is done and delivered.
std::int32_t finish(gantry_queue& queue, CUresult result) {
  if (result == CUDA_SUCCESS) {
    queue.staging.finish();
  } else {
    queue.staging.give_up();
  }
  const std::int32_t code = code_of(queue.device, result);
  if (queue.memory.borrowed_stacks != 0) {
    const std::int32_t given_back = queue.memory.give_back_stacks(queue.device);
    return code == GANTRY_SUCCESS ? given_back : code;
  }
  return code;
}

/// Puts something into the queue that the calling thread has for itself, and waits for it.
template <typename Put>
std::int32_t now(std::int32_t device, Put&& put) {
  const QueueOfThread queue(device);
  if (queue.code() != GANTRY_SUCCESS) {
    return queue.code();
  }
  const std::int32_t code = put(*queue.get());
  // After a failure too: what came before it may be on its way to the caller's memory.
  const std::int32_t done = __tgt_rtl_synchronize_queue(queue.get());
  return code == GANTRY_SUCCESS ? done : code;
}

} // namespace

extern "C" {

int32_t __tgt_rtl_create_queue(int32_t device, gantry_queue** queue) noexcept {
  Device& on = device_of(device);
  if (const std::int32_t code = enter(on); code != GANTRY_SUCCESS) {
    return code;
  }
  CUstream stream = nullptr;
  GANTRY_CUDA_TRY(cuStreamCreate, &stream, CU_STREAM_NON_BLOCKING);
  *queue = new gantry_queue{.device = on, .stream = stream};
  const std::lock_guard lock(on.mutex);
  on.streams.push_back(stream);
  return GANTRY_SUCCESS;
}

void __tgt_rtl_destroy_queue(gantry_queue* queue) noexcept {
  {
    const std::lock_guard lock(queue->device.mutex);
    std::erase(queue->device.streams, queue->stream);
  }
  if (enter(queue->device) == GANTRY_SUCCESS) {
    (void)driver().cuStreamDestroy_v2(queue->stream);
    queue->memory.release(queue->device);
    queue->data.release();
  }
  delete queue;
}

int32_t __tgt_rtl_data_submit_async(gantry_queue* queue, void* device_address, const void* host,
                                    uint64_t size) noexcept {
  const auto to = reinterpret_cast<CUdeviceptr>(device_address);
  if (size > kDriverTakes && !queue->device.integrated) {
    if (const std::int32_t code = enter(queue->device); code != GANTRY_SUCCESS) {
      return code;
    }
    if (!is_pinned(host)) {
      return queue->staging.submit(queue->stream, to, host, size);
    }
  }
  return check(
      in_context(queue->device,
                 [&] { return driver().cuMemcpyHtoDAsync_v2(to, host, size, queue->stream); }),
      "cuMemcpyHtoDAsync");
}

int32_t __tgt_rtl_data_retrieve_async(gantry_queue* queue, void* host, const void* device_address,
                                      uint64_t size) noexcept {
  const auto from = reinterpret_cast<CUdeviceptr>(device_address);
  // The driver would wait for the copy of however little.
  if (!queue->device.integrated) {
    if (const std::int32_t code = enter(queue->device); code != GANTRY_SUCCESS) {
      return code;
    }
    if (!is_pinned(host)) {
      return queue->staging.retrieve(queue->stream, host, from, size);
    }
  }
  return check(
      in_context(queue->device,
                 [&] { return driver().cuMemcpyDtoHAsync_v2(host, from, size, queue->stream); }),
      "cuMemcpyDtoHAsync");
}

int32_t __tgt_rtl_launch_kernel_async(gantry_queue* queue, gantry_kernel* kernel,
                                      const gantry_launch* launch) noexcept {
  if (const std::int32_t code = queue->data.bring(queue->stream); code != GANTRY_SUCCESS) {
    return code;
  }
  return start(*kernel, *launch, queue->stream, queue->memory);
}

int32_t __tgt_rtl_launch_data(gantry_queue* queue, uint64_t size, void** host,
                              void** device_address) noexcept {
  return queue->data.reserve(queue->stream, size, host, device_address);
}

int32_t __tgt_rtl_synchronize_queue(gantry_queue* queue) noexcept {
  return finish(*queue, in_context(queue->device,
                                   [&] { return driver().cuStreamSynchronize(queue->stream); }));
}

int32_t __tgt_rtl_query_queue(gantry_queue* queue, int32_t* done) noexcept {
  const CUresult result =
      in_context(queue->device, [&] { return driver().cuStreamQuery(queue->stream); });
  *done = result == CUDA_ERROR_NOT_READY ? 0 : 1;
  return result == CUDA_ERROR_NOT_READY ? GANTRY_SUCCESS : finish(*queue, result);
}

// What is done when the call returns. The driver's own calls for that are no help: they wait for
// what the program does in the legacy default stream, and some return before the copy has come so
// far that kernels in other streams see it.

int32_t __tgt_rtl_launch_kernel(int32_t device, gantry_kernel* kernel,
                                const gantry_launch* launch) noexcept {
  return now(device, [&](gantry_queue& queue) {
    return start(*kernel, *launch, queue.stream, queue.memory);
  });
}

int32_t __tgt_rtl_data_submit(int32_t device, void* device_address, const void* host,
                              uint64_t size) noexcept {
  return now(device, [&](gantry_queue& queue) {
    return __tgt_rtl_data_submit_async(&queue, device_address, host, size);
  });
}

int32_t __tgt_rtl_data_retrieve(int32_t device, void* host, const void* device_address,
                                uint64_t size) noexcept {
  return now(device, [&](gantry_queue& queue) {
    return __tgt_rtl_data_retrieve_async(&queue, host, device_address, size);
  });
}

int32_t __tgt_rtl_data_exchange(int32_t from_device, const void* from, int32_t to_device, void* to,
                                uint64_t size) noexcept {
  return now(to_device, [&](gantry_queue& queue) {
    const Device& target = queue.device;
    return check(in_context(target,
                            [&] {
                              return driver().cuMemcpyPeerAsync(
                                  reinterpret_cast<CUdeviceptr>(to), target.context,
                                  reinterpret_cast<CUdeviceptr>(from),
                                  device_of(from_device).context, size, queue.stream);
                            }),
                 "cuMemcpyPeerAsync");
  });
}

} // extern "C"
