// Queues: a stream each.
#include "plugins/hsa/queue.h"

#include "plugins/hsa/entries.h"

#include <algorithm>
#include <string>
#include <vector>

namespace gantry::hsa {

std::int32_t StreamCopies::copy_in(unsigned buffer, void* to, const std::byte* memory,
                                   std::size_t size) {
  GANTRY_STATUS_TRY(stream_.copy(to, device_.agent, memory, library().host, size));
  done_[buffer] = stream_.last();
  return GANTRY_SUCCESS;
}

std::int32_t StreamCopies::copy_out(unsigned buffer, std::byte* memory, const void* from,
                                    std::size_t size) {
  GANTRY_STATUS_TRY(stream_.copy(memory, library().host, from, device_.agent, size));
  done_[buffer] = stream_.last();
  return GANTRY_SUCCESS;
}

namespace entries {

namespace {

/// Copies of so many bytes go by way of buffers, whatever memory it is.
constexpr std::uint64_t kSmall = 64 << 10;
/// From this size on the program's memory is locked for the copy; the system takes less time for
/// that than a processor for copying.
constexpr std::uint64_t kLocked = 16 << 20;

/// Where the device finds memory of the program; null if it cannot.
void* pinned_address(const void* host, std::uint64_t bytes) {
  hsa_amd_pointer_info_t info = {};
  info.size = sizeof info;
  if (library().hsa_amd_pointer_info(host, &info, nullptr, nullptr, nullptr) !=
          HSA_STATUS_SUCCESS ||
      (info.type != HSA_EXT_POINTER_TYPE_HSA && info.type != HSA_EXT_POINTER_TYPE_LOCKED) ||
      info.hostBaseAddress == nullptr || info.agentBaseAddress == nullptr) {
    return nullptr;
  }
  const std::uint64_t offset =
      reinterpret_cast<std::uint64_t>(host) - reinterpret_cast<std::uint64_t>(info.hostBaseAddress);
  return offset <= info.sizeInBytes && bytes <= info.sizeInBytes - offset
             ? static_cast<std::byte*>(info.agentBaseAddress) + offset
             : nullptr;
}

/// Memory of the program that the device can use for the time of a copy: null if buffers are
/// better. `locked` is what to unlock afterwards, or null.
void* direct_address(const Device& device, const void* host, std::uint64_t bytes, void*& locked) {
  locked = nullptr;
  if (bytes <= kSmall) {
    return nullptr;
  }
  if (void* const pinned = pinned_address(host, bytes)) {
    return pinned;
  }
  void* address = nullptr;
  hsa_agent_t agent = device.agent;
  if (bytes < kLocked || library().hsa_amd_memory_lock(const_cast<void*>(host), bytes, &agent, 1,
                                                       &address) != HSA_STATUS_SUCCESS) {
    return nullptr;
  }
  locked = const_cast<void*>(host);
  return address;
}

std::int32_t put_to_device(gantry_queue& queue, void* device_address, const void* host,
                           std::uint64_t bytes) {
  void* locked = nullptr;
  if (const void* const from = direct_address(queue.device, host, bytes, locked)) {
    return queue.stream.copy(device_address, queue.device.agent, from, library().host, bytes,
                             locked);
  }
  return queue.staging.submit(device_address, host, bytes);
}

std::int32_t put_to_host(gantry_queue& queue, void* host, const void* device_address,
                         std::uint64_t bytes) {
  void* locked = nullptr;
  if (void* const to = direct_address(queue.device, host, bytes, locked)) {
    return queue.stream.copy(to, library().host, device_address, queue.device.agent, bytes, locked);
  }
  return queue.staging.retrieve(host, device_address, bytes);
}

std::int32_t put_launch(gantry_queue& queue, gantry_kernel& kernel, const gantry_launch& launch) {
  return kernel.of_gcc ? queue.gcc.start(kernel, launch, queue.stream)
                       : start(kernel, launch, queue.stream, queue.memory);
}

/// GANTRY_SUCCESS if all that was put in is done and delivered.
std::int32_t finish(gantry_queue& queue, std::int32_t code) {
  if (code == GANTRY_SUCCESS) {
    queue.staging.finish();
    return queue.gcc.finish();
  }
  queue.staging.give_up();
  return code;
}

/// Puts something into the queue that the calling thread has for itself, and waits for it.
template <typename Put>
std::int32_t now(Device& device, Put&& put) {
  GANTRY_STATUS_TRY(usable(device));
  const gpu::QueueOfThread queue(device.thread_queues);
  GANTRY_STATUS_TRY(queue.code());
  const std::int32_t code = put(*queue.get());
  if (code == GANTRY_SUCCESS) {
    return synchronize_queue(queue.get());
  }
  // What came before the failure may be on its way to the caller's memory.
  const std::string message = plugins::last_error();
  const std::int32_t done = synchronize_queue(queue.get());
  return done == GANTRY_DEVICE_LOST ? done : set_error(code, message);
}

} // namespace

gantry_status create_queue(gantry_device* device, gantry_queue** queue) noexcept {
  GANTRY_STATUS_TRY(usable(*device));
  auto* const made = new gantry_queue(*device);
  *queue = made;
  const std::lock_guard lock(device->streams_mutex);
  device->streams.push_back(&made->stream);
  return GANTRY_SUCCESS;
}

gantry_status destroy_queue(gantry_queue* queue) noexcept {
  gantry_status status = usable(queue->device);
  if (is_forked()) {
    return status; // locks may be held by threads that are not here
  }
  {
    const std::lock_guard lock(queue->device.streams_mutex);
    std::erase(queue->device.streams, &queue->stream);
  }
  queue->stream.release();
  keep_failure(status, queue->memory.release(queue->device));
  keep_failure(status, queue->gcc.release());
  keep_failure(status, queue->data.release());
  delete queue;
  return status;
}

gantry_status queue_copy_to_device(gantry_queue* queue, void* device_address, const void* host,
                                   std::uint64_t bytes) noexcept {
  GANTRY_STATUS_TRY(usable(queue->device));
  return queue->times.note(queue->stream,
                           [&] { return put_to_device(*queue, device_address, host, bytes); });
}

gantry_status queue_copy_to_host(gantry_queue* queue, void* host, const void* device_address,
                                 std::uint64_t bytes) noexcept {
  GANTRY_STATUS_TRY(usable(queue->device));
  return queue->times.note(queue->stream,
                           [&] { return put_to_host(*queue, host, device_address, bytes); });
}

gantry_status queue_copy_between(gantry_queue* queue, const void* from, gantry_device* to_device,
                                 void* to, std::uint64_t bytes) noexcept {
  Device& device = queue->device;
  GANTRY_STATUS_TRY(usable(device));
  GANTRY_STATUS_TRY(usable(*to_device));
  const bool is_direct = std::ranges::any_of(device.source.readers, [&](hsa_agent_t agent) {
    return agent.handle == to_device->agent.handle;
  });
  return queue->times.note(queue->stream, [&] {
    if (is_direct) {
      return queue->stream.copy(to, to_device->agent, from, device.agent, bytes);
    }
    std::vector<std::byte> buffer(bytes);
    const std::int32_t begun = put_to_host(*queue, buffer.data(), from, bytes);
    // After a failure too: what came before it may be on its way to the buffer.
    GANTRY_STATUS_TRY(finish(*queue, queue->stream.wait_for_all()));
    GANTRY_STATUS_TRY(begun);
    return copy_to_device(to_device, to, buffer.data(), bytes);
  });
}

gantry_status queue_launch(gantry_queue* queue, gantry_kernel* kernel,
                           const gantry_launch* launch) noexcept {
  GANTRY_STATUS_TRY(usable(queue->device));
  GANTRY_STATUS_TRY(
      queue->times.note(queue->stream, [&] { return put_launch(*queue, *kernel, *launch); }));
  queue->data.used(queue->stream);
  return GANTRY_SUCCESS;
}

gantry_status record_times(gantry_queue* queue, std::int32_t on) noexcept {
  GANTRY_STATUS_TRY(usable(queue->device));
  return queue->times.record(queue->stream, on != 0);
}

gantry_status read_times(gantry_queue* queue, gantry_interval* times, std::size_t capacity,
                         std::size_t* count) noexcept {
  return queue->times.read(queue->stream, times, capacity, *count);
}

gantry_status queue_launch_data(gantry_queue* queue, std::uint64_t bytes, void** host,
                                void** device_address) noexcept {
  GANTRY_STATUS_TRY(usable(queue->device));
  return queue->data.reserve(queue->stream, bytes, host, device_address);
}

gantry_status synchronize_queue(gantry_queue* queue) noexcept {
  if (is_forked()) {
    return usable(queue->device);
  }
  return finish(*queue, queue->stream.wait_for_all());
}

gantry_status query_queue(gantry_queue* queue, std::int32_t* done) noexcept {
  GANTRY_STATUS_TRY(usable(queue->device));
  queue->gcc.poll();
  *done = queue->stream.is_done() ? 1 : 0;
  return *done == 0 ? gantry_status{GANTRY_SUCCESS} : synchronize_queue(queue);
}

// What is done when the call returns.

gantry_status launch(gantry_device* device, gantry_kernel* kernel,
                     const gantry_launch* launch) noexcept {
  return now(*device, [&](gantry_queue& queue) { return put_launch(queue, *kernel, *launch); });
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

} // namespace entries
} // namespace gantry::hsa
