#include "runtime/core/queue.h"

#include <utility>

namespace gantry::core {

QueuePool::~QueuePool() {
  if (gantry_queue* const latest = latest_.load(); latest != nullptr) {
    device_.plugin().functions().destroy_queue(latest);
  }
  for (gantry_queue* queue : idle_) {
    device_.plugin().functions().destroy_queue(queue);
  }
}

Result<gantry_queue*> QueuePool::take() {
  if (gantry_queue* const latest = latest_.exchange(nullptr, std::memory_order_acquire);
      latest != nullptr) {
    return latest;
  }
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      gantry_queue* queue = idle_.back();
      idle_.pop_back();
      return queue;
    }
  }
  return device_.create_queue();
}

void QueuePool::give_back(gantry_queue* idle) {
  gantry_queue* none = nullptr;
  if (latest_.compare_exchange_strong(none, idle, std::memory_order_release,
                                      std::memory_order_relaxed)) {
    return;
  }
  const std::lock_guard lock(mutex_);
  idle_.push_back(idle);
}

Queue::~Queue() {
  if (queue_ != nullptr) {
    // A construct that ends without having waited has failed already, and said so.
    (void)synchronize();
    pool_.give_back(queue_);
  }
}

template <typename Function, typename... Arguments>
Status Queue::put(Function PluginFunctions::* function, Arguments... arguments) {
  if (queue_ == nullptr) {
    auto taken = pool_.take();
    if (!taken) {
      return tl::unexpected(taken.error());
    }
    queue_ = *taken;
  }
  busy_ = true;
  return device_.queued(device_.plugin().functions().*function, queue_, arguments...);
}

Result<Queue::LaunchData> Queue::launch_data(std::uint64_t size) {
  void* host = nullptr;
  void* device = nullptr;
  if (Status status = put(&PluginFunctions::launch_data, size, &host, &device); !status) {
    return tl::unexpected(status.error());
  }
  return LaunchData{static_cast<std::byte*>(host), reinterpret_cast<std::uintptr_t>(device)};
}

Status Queue::submit(void* device_address, const void* host, std::uint64_t size, Wait wait) {
  return directly(wait) ? device_.submit(device_address, host, size)
                        : put(&PluginFunctions::data_submit_async, device_address, host, size);
}

Status Queue::retrieve(void* host, const void* device_address, std::uint64_t size, Wait wait) {
  return directly(wait) ? device_.retrieve(host, device_address, size)
                        : put(&PluginFunctions::data_retrieve_async, host, device_address, size);
}

Status Queue::launch(gantry_kernel* kernel, const gantry_launch& launch) {
  return device_.has_queues() ? put(&PluginFunctions::launch_kernel_async, kernel, &launch)
                              : device_.launch(kernel, launch);
}

Status Queue::wait() {
  if (!failure_) [[unlikely]] {
    if (std::exchange(busy_, false)) {
      (void)device_.queued(device_.plugin().functions().synchronize_queue, queue_);
    }
    return std::exchange(failure_, {});
  }
  busy_ = false;
  return device_.queued(device_.plugin().functions().synchronize_queue, queue_);
}

bool Queue::done() {
  if (busy_) {
    std::int32_t done = 0;
    Status status = device_.queued(device_.plugin().functions().query_queue, queue_, &done);
    busy_ = status.has_value() && done == 0;
    if (!status) {
      failure_ = std::move(status);
    }
  }
  return !busy_;
}

} // namespace gantry::core
