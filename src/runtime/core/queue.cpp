#include "runtime/core/queue.h"

#include <utility>

namespace gantry::core {

QueuePool::~QueuePool() {
  for (gantry_queue* queue : idle_) {
    device_.plugin().functions().destroy_queue(queue);
  }
}

Result<gantry_queue*> QueuePool::take() {
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

Status Queue::submit(void* device_address, const void* host, std::uint64_t size) {
  return device_.has_queues() ? put(&PluginFunctions::data_submit_async, device_address, host, size)
                              : device_.submit(device_address, host, size);
}

Status Queue::retrieve(void* host, const void* device_address, std::uint64_t size) {
  return device_.has_queues()
             ? put(&PluginFunctions::data_retrieve_async, host, device_address, size)
             : device_.retrieve(host, device_address, size);
}

Status Queue::launch(gantry_kernel* kernel, const gantry_launch& launch) {
  return device_.has_queues() ? put(&PluginFunctions::launch_kernel_async, kernel, &launch)
                              : device_.launch(kernel, launch);
}

Status Queue::wait() {
  Status outcome = std::exchange(failure_, {});
  if (std::exchange(busy_, false)) {
    Status status = device_.queued(device_.plugin().functions().synchronize_queue, queue_);
    if (outcome) {
      outcome = std::move(status);
    }
  }
  return outcome;
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
