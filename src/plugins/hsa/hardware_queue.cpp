#include "plugins/hsa/hardware_queue.h"

#include "plugins/hsa/device.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <thread>
#include <utility>

namespace gantry::hsa {

namespace {

/// A GPU has few processors for queues; more queues than those take turns.
constexpr std::size_t kMostQueues = 4;
constexpr std::uint32_t kPackets = 1024;
constexpr std::uint32_t kNoHint = 0xffff'ffff;

/// Packets in order, whose writes everybody sees.
constexpr std::uint16_t header_of(hsa_packet_type_t type) {
  return static_cast<std::uint16_t>(
      type << HSA_PACKET_HEADER_TYPE | 1 << HSA_PACKET_HEADER_BARRIER |
      HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
      HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE);
}

/// Writes a packet of 64 bytes, whose first word the runtime waits for.
template <typename Packet>
void write_packet(void* place, const Packet& packet, std::uint16_t header, std::uint16_t setup) {
  static_assert(sizeof packet == 64);
  std::uint32_t first = std::uint32_t{setup} << 16 | header;
  std::memcpy(static_cast<std::byte*>(place) + sizeof first,
              reinterpret_cast<const std::byte*>(&packet) + sizeof first,
              sizeof packet - sizeof first);
  std::atomic_ref(*static_cast<std::uint32_t*>(place)).store(first, std::memory_order_release);
}

} // namespace

std::int32_t HardwareQueue::create() {
  std::uint32_t most = kPackets;
  GANTRY_HSA_TRY(hsa_agent_get_info, device_.agent, HSA_AGENT_INFO_QUEUE_MAX_SIZE, &most);
  const std::uint32_t size = std::bit_floor(std::max(std::min(most, kPackets), 2U));
  const auto failed = [](hsa_status_t status, hsa_queue_t* queue, void* device) {
    if (status != HSA_STATUS_SUCCESS) {
      queue_failed(*static_cast<Device*>(device), status, queue);
    }
  };
  GANTRY_HSA_TRY(hsa_queue_create, device_.agent, size, HSA_QUEUE_TYPE_MULTI, failed, &device_,
                 kNoHint, kNoHint, &queue_);
  entries_ = std::vector<Entry>(queue_->size);
  return GANTRY_SUCCESS;
}

std::int32_t HardwareQueue::destroy() {
  GANTRY_HSA_TRY(hsa_queue_destroy, std::exchange(queue_, nullptr));
  return GANTRY_SUCCESS;
}

std::int32_t HardwareQueue::record_times() const {
  GANTRY_HSA_TRY(hsa_amd_profiling_set_profiler_enabled, queue_, 1);
  return GANTRY_SUCCESS;
}

std::int32_t HardwareQueue::wait_for_room(std::uint64_t end) const {
  while (end - library().hsa_queue_load_read_index_scacquire(queue_) > queue_->size) {
    if (device_.loss.has_happened()) {
      return device_.loss.refusal();
    }
    std::this_thread::yield();
  }
  return GANTRY_SUCCESS;
}

std::int32_t HardwareQueue::put(const hsa_kernel_dispatch_packet_t& packet, hsa_signal_t after,
                                const gantry_kernel* kernel, std::uint64_t& index) {
  const unsigned count = after.handle != 0 ? 2 : 1;
  index = library().hsa_queue_add_write_index_relaxed(queue_, count);
  GANTRY_STATUS_TRY(wait_for_room(index + count));
  auto* const packets = static_cast<hsa_kernel_dispatch_packet_t*>(queue_->base_address);
  if (after.handle != 0) {
    hsa_barrier_and_packet_t barrier = {};
    barrier.dep_signal[0] = after;
    write_packet(&packets[index % queue_->size], barrier, header_of(HSA_PACKET_TYPE_BARRIER_AND),
                 0);
    ++index;
  }
  Entry& entry = entries_[index % entries_.size()];
  entry.index.store(index, std::memory_order_release);
  entry.signal.store(packet.completion_signal.handle, std::memory_order_relaxed);
  entry.kernel.store(kernel, std::memory_order_release);
  std::uint64_t end = end_.load(std::memory_order_relaxed);
  while (end < index + 1 && !end_.compare_exchange_weak(end, index + 1)) {
  }
  write_packet(&packets[index % queue_->size], packet, header_of(HSA_PACKET_TYPE_KERNEL_DISPATCH),
               packet.setup);
  library().hsa_signal_store_relaxed(queue_->doorbell_signal,
                                     static_cast<hsa_signal_value_t>(index));
  return GANTRY_SUCCESS;
}

void HardwareQueue::left(std::uint64_t index) {
  Entry& entry = entries_[index % entries_.size()];
  if (entry.index.load(std::memory_order_acquire) == index) { // it is not another kernel's by now
    entry.kernel.store(nullptr, std::memory_order_release);
  }
}

const gantry_kernel* HardwareQueue::kernel_at_work() const {
  const std::uint64_t end = end_.load(std::memory_order_acquire);
  const std::uint64_t size = entries_.size();
  // In order, though threads note their ends in any.
  for (std::uint64_t index = end > size ? end - size : 0; index < end; ++index) {
    const Entry& entry = entries_[index % size];
    const gantry_kernel* const kernel = entry.kernel.load(std::memory_order_acquire);
    if (kernel != nullptr &&
        library().hsa_signal_load_scacquire({entry.signal.load(std::memory_order_relaxed)}) > 0) {
      return kernel;
    }
  }
  return nullptr;
}

std::int32_t HardwareQueues::choose(HardwareQueue*& queue) {
  const std::lock_guard lock(mutex_);
  if (queues_.size() < kMostQueues) {
    auto made = std::make_unique<HardwareQueue>(device_);
    const std::int32_t code = made->create();
    if (code == GANTRY_SUCCESS) {
      queues_.push_back(std::move(made));
      queue = queues_.back().get();
      return code;
    }
    if (queues_.empty()) {
      return code;
    }
  }
  queue = queues_[turn_++ % queues_.size()].get();
  return GANTRY_SUCCESS;
}

std::int32_t HardwareQueues::destroy() {
  const std::lock_guard lock(mutex_);
  std::int32_t status = GANTRY_SUCCESS;
  for (const auto& queue : queues_) {
    keep_failure(status, queue->destroy());
  }
  queues_.clear();
  return status;
}

const gantry_kernel* HardwareQueues::kernel_at_work(const hsa_queue_t* queue) {
  const std::lock_guard lock(mutex_);
  for (const auto& each : queues_) {
    if (queue == nullptr || each->handle() == queue) {
      if (const gantry_kernel* const kernel = each->kernel_at_work()) {
        return kernel;
      }
    }
  }
  return nullptr;
}

} // namespace gantry::hsa
