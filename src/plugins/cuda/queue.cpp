// Queues: a stream each.
#include "plugins/cuda/queue.h"

#include "plugins/cuda/entries.h"

namespace gantry::cuda::entries {

namespace {

/// So much the driver takes into its own buffers at once, whatever memory it comes from.
constexpr std::uint64_t kDriverTakes = 64 << 10;

/// Whether the copy engine can use the program's memory as it is.
bool is_pinned(const void* host) {
  unsigned kind = 0;
  return driver().cuPointerGetAttribute(&kind, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                        reinterpret_cast<CUdeviceptr>(host)) == CUDA_SUCCESS;
}

/// GANTRY_SUCCESS if all that was put in is done and delivered.
std::int32_t finish(gantry_queue& queue, CUresult result) {
  if (result == CUDA_SUCCESS) {
    queue.staging.finish();
  } else {
    queue.staging.give_up();
  }
  const std::int32_t code = check(result, "the work on the device failed");
  if (queue.memory.borrowed_stacks != 0) {
    const std::int32_t given_back = queue.memory.give_back_stacks(queue.device);
    return code == GANTRY_SUCCESS ? given_back : code;
  }
  return code;
}

std::int32_t put_to_device(gantry_queue& queue, void* device_address, const void* host,
                           std::uint64_t bytes) {
  if (bytes > kDriverTakes && !queue.device.integrated) {
    GANTRY_STATUS_TRY(enter(queue.device));
    if (!is_pinned(host)) {
      return queue.staging.submit(device_address, host, bytes);
    }
  }
  return check_in_context(queue.device, "cuMemcpyHtoDAsync", [&] {
    return driver().cuMemcpyHtoDAsync_v2(reinterpret_cast<CUdeviceptr>(device_address), host, bytes,
                                         queue.stream);
  });
}

std::int32_t put_to_host(gantry_queue& queue, void* host, const void* device_address,
                         std::uint64_t bytes) {
  // The driver would wait for the copy of however little.
  if (!queue.device.integrated) {
    GANTRY_STATUS_TRY(enter(queue.device));
    if (!is_pinned(host)) {
      return queue.staging.retrieve(host, device_address, bytes);
    }
  }
  return check_in_context(queue.device, "cuMemcpyDtoHAsync", [&] {
    return driver().cuMemcpyDtoHAsync_v2(host, reinterpret_cast<CUdeviceptr>(device_address), bytes,
                                         queue.stream);
  });
}

/// Puts something into the queue that the calling thread has for itself, and waits for it.
template <typename Put>
std::int32_t now(Device& device, Put&& put) {
  const gpu::QueueOfThread queue(device.thread_queues);
  GANTRY_STATUS_TRY(queue.code());
  const std::int32_t code = put(*queue.get());
  // After a failure too: what came before it may be on its way to the caller's memory.
  const std::int32_t done = synchronize_queue(queue.get());
  return code == GANTRY_SUCCESS ? done : code;
}

} // namespace

gantry_status create_queue(gantry_device* device, gantry_queue** queue) noexcept {
  GANTRY_STATUS_TRY(enter(*device));
  CUstream stream = nullptr;
  GANTRY_CUDA_TRY(cuStreamCreate, &stream, CU_STREAM_NON_BLOCKING);
  *queue = new gantry_queue{.device = *device, .stream = stream};
  const std::lock_guard lock(device->mutex);
  device->streams.push_back(stream);
  return GANTRY_SUCCESS;
}

gantry_status destroy_queue(gantry_queue* queue) noexcept {
  {
    const std::lock_guard lock(queue->device.mutex);
    std::erase(queue->device.streams, queue->stream);
  }
  gantry_status status = enter(queue->device);
  if (status == GANTRY_SUCCESS) {
    keep_failure(status, check(driver().cuStreamDestroy_v2(queue->stream), "cuStreamDestroy"));
    keep_failure(status, queue->memory.release(queue->device));
    keep_failure(status, queue->data.release());
    queue->times.release();
  }
  delete queue;
  return status;
}

gantry_status queue_copy_to_device(gantry_queue* queue, void* device_address, const void* host,
                                   std::uint64_t bytes) noexcept {
  return queue->times.note(queue->device, queue->stream,
                           [&] { return put_to_device(*queue, device_address, host, bytes); });
}

gantry_status queue_copy_to_host(gantry_queue* queue, void* host, const void* device_address,
                                 std::uint64_t bytes) noexcept {
  return queue->times.note(queue->device, queue->stream,
                           [&] { return put_to_host(*queue, host, device_address, bytes); });
}

gantry_status queue_copy_between(gantry_queue* queue, const void* from, gantry_device* to_device,
                                 void* to, std::uint64_t bytes) noexcept {
  GANTRY_STATUS_TRY(enter(*to_device));
  return queue->times.note(queue->device, queue->stream, [&] {
    return check_in_context(queue->device, "cuMemcpyPeerAsync", [&] {
      return driver().cuMemcpyPeerAsync(reinterpret_cast<CUdeviceptr>(to), to_device->context,
                                        reinterpret_cast<CUdeviceptr>(from), queue->device.context,
                                        bytes, queue->stream);
    });
  });
}

gantry_status queue_launch(gantry_queue* queue, gantry_kernel* kernel,
                           const gantry_launch* launch) noexcept {
  GANTRY_STATUS_TRY(queue->data.put_copy(queue->stream));
  return queue->times.note(queue->device, queue->stream,
                           [&] { return start(*kernel, *launch, queue->stream, queue->memory); });
}

gantry_status record_times(gantry_queue* queue, std::int32_t on) noexcept {
  return queue->times.record(queue->device, queue->stream, on != 0);
}

gantry_status read_times(gantry_queue* queue, gantry_interval* times, std::size_t capacity,
                         std::size_t* count) noexcept {
  return queue->times.read(queue->device, queue->stream, times, capacity, *count);
}

gantry_status queue_launch_data(gantry_queue* queue, std::uint64_t bytes, void** host,
                                void** device_address) noexcept {
  return queue->data.reserve(queue->stream, bytes, host, device_address);
}

gantry_status synchronize_queue(gantry_queue* queue) noexcept {
  return finish(*queue, in_context(queue->device,
                                   [&] { return driver().cuStreamSynchronize(queue->stream); }));
}

gantry_status query_queue(gantry_queue* queue, std::int32_t* done) noexcept {
  const CUresult result =
      in_context(queue->device, [&] { return driver().cuStreamQuery(queue->stream); });
  *done = result == CUDA_ERROR_NOT_READY ? 0 : 1;
  return result == CUDA_ERROR_NOT_READY ? gantry_status{GANTRY_SUCCESS} : finish(*queue, result);
}

// What is done when the call returns. The driver's own calls for that are no help: they wait for
// what the program does in the legacy default stream, and some return before the copy has come so
// far that kernels in other streams see it.

gantry_status launch(gantry_device* device, gantry_kernel* kernel,
                     const gantry_launch* launch) noexcept {
  return now(*device, [&](gantry_queue& queue) {
    return start(*kernel, *launch, queue.stream, queue.memory);
  });
}

gantry_status copy_to_device(gantry_device* device, void* device_address, const void* host,
                             std::uint64_t bytes) noexcept {
  return now(*device, [&](gantry_queue& queue) {
    return queue_copy_to_device(&queue, device_address, host, bytes);
  });
}

gantry_status copy_to_host(gantry_device* device, void* host, const void* device_address,
                           std::uint64_t bytes) noexcept {
  return now(*device, [&](gantry_queue& queue) {
    return queue_copy_to_host(&queue, host, device_address, bytes);
  });
}

gantry_status copy_between(gantry_device* from_device, const void* from, gantry_device* to_device,
                           void* to, std::uint64_t bytes) noexcept {
  return now(*from_device, [&](gantry_queue& queue) {
    return queue_copy_between(&queue, from, to_device, to, bytes);
  });
}

} // namespace gantry::cuda::entries
