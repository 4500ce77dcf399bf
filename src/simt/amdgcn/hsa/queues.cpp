#include "simt/amdgcn/hsa/queues.h"

#include "simt/amdgcn/exec/executor.h"
#include "simt/amdgcn/hsa/handles.h"
#include "simt/memory/device_memory.h"

#include <cstring>
#include <thread>
#include <utility>

#include <unistd.h>

namespace gantry::simt::hsa {

namespace {

std::uint64_t this_thread() {
  return static_cast<std::uint64_t>(gettid());
}

std::uint64_t address_of(const hsa_queue_t* queue) {
  return reinterpret_cast<std::uint64_t>(queue);
}

std::atomic_ref<std::uint64_t> index_of(volatile std::uint64_t& member) {
  return std::atomic_ref(const_cast<std::uint64_t&>(member));
}

} // namespace

std::shared_ptr<Queue> Queue::create(Agent& agent, std::uint32_t size, hsa_queue_type32_t type,
                                     QueueCallback callback, void* data) {
  std::shared_ptr<Queue> made(new Queue);
  Allocation what;
  what.size = sizeof(amd_queue_t) + size * sizeof(Packet);
  what.kind = MemoryKind::kPinned;
  what.device = agent.device;
  const auto address = DeviceMemory::instance()->allocate(what);
  made->doorbell_ = Signals::instance().create(-1);
  if (!address || made->doorbell_ == nullptr) {
    if (address) {
      DeviceMemory::instance()->free(*address);
    }
    if (made->doorbell_ != nullptr) {
      Signals::instance().destroy(made->doorbell_);
    }
    return nullptr;
  }
  auto* const queue = new (reinterpret_cast<void*>(*address)) amd_queue_t{};
  auto* const ring = reinterpret_cast<Packet*>(queue + 1);
  std::memset(static_cast<void*>(ring), 0, size * sizeof(Packet));
  for (std::uint32_t i = 0; i < size; ++i) {
    ring[i].header = HSA_PACKET_TYPE_INVALID;
  }
  queue->hsa_queue.type = type;
  queue->hsa_queue.features = HSA_QUEUE_FEATURE_KERNEL_DISPATCH;
  queue->hsa_queue.base_address = ring;
  queue->hsa_queue.doorbell_signal = {handle_of(*made->doorbell_)};
  queue->hsa_queue.size = size;
  queue->hsa_queue.id = new_handle();
  queue->group_segment_aperture_base_hi = static_cast<std::uint32_t>(amdgcn::kSharedAperture >> 32);
  queue->private_segment_aperture_base_hi =
      static_cast<std::uint32_t>(amdgcn::kPrivateAperture >> 32);
  queue->max_cu_id = agent.compute_units - 1;
  queue->read_dispatch_id_field_base_byte_offset = offsetof(amd_queue_t, read_dispatch_id);
  queue->queue_properties = AMD_QUEUE_PROPERTIES_IS_PTR64 | AMD_QUEUE_PROPERTIES_ENABLE_PROFILING;
  made->doorbell_->queue_ptr = queue;
  made->agent_ = &agent;
  made->queue_ = queue;
  made->ring_ = ring;
  made->callback_ = callback;
  made->data_ = data;
  return made;
}

Queue::~Queue() {
  release();
}

void Queue::release() {
  if (queue_ != nullptr && !is_released_.exchange(true)) {
    Signals::instance().destroy(doorbell_);
    DeviceMemory::instance()->free(reinterpret_cast<std::uint64_t>(queue_));
  }
}

std::uint64_t Queue::read_index() const {
  return index_of(queue_->read_dispatch_id).load();
}

std::uint64_t Queue::add_to_write_index(std::uint64_t count) {
  return index_of(queue_->write_dispatch_id).fetch_add(count);
}

void Queue::ring() {
  rings_.fetch_add(1);
  rings_.notify_one();
  if (thread_.load(std::memory_order_acquire) != 0) {
    return;
  }
  const std::lock_guard lock(mutex_);
  if (!has_thread_ && !ended_.load()) {
    std::thread([self = shared_from_this()] { self->serve(); }).detach();
    has_thread_ = true;
  }
}

void Queue::end() {
  ended_.store(true);
  rings_.fetch_add(1);
  rings_.notify_one();
  hsa::ring(); // it may be waiting for signals
  if (thread_.load() == this_thread()) {
    return; // which needs the memory until it is done with the packet
  }
  std::unique_lock lock(mutex_);
  stopped_.wait(lock, [&] { return !has_thread_; });
  lock.unlock();
  release();
}

void Queue::serve() {
  thread_.store(this_thread(), std::memory_order_release);
  while (!ended_.load()) {
    const std::uint32_t seen = rings_.load();
    while (!ended_.load() && process_next()) {
    }
    if (!ended_.load()) {
      rings_.wait(seen);
    }
  }
  const std::lock_guard lock(mutex_);
  has_thread_ = false;
  stopped_.notify_all();
}

Queues& Queues::instance() {
  static auto* const queues = new Queues;
  return *queues;
}

void Queues::add(std::shared_ptr<Queue> queue) {
  const std::uint64_t handle = address_of(queue->handle());
  queues_.insert(handle, std::move(queue));
}

std::shared_ptr<Queue> Queues::find(const hsa_queue_t* queue) const {
  return queues_.find(address_of(queue));
}

std::shared_ptr<Queue> Queues::remove(const hsa_queue_t* queue) {
  return queues_.erase(address_of(queue));
}

void Queues::clear() {
  for (const auto& [handle, queue] : queues_.take_all()) {
    queue->end();
  }
}

} // namespace gantry::simt::hsa
