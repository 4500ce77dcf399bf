#include "runtime/core/queues/queue.h"

#include <algorithm>
#include <utility>

#include <time.h>

namespace gantry::core {

namespace {

/// Milliseconds of a clock that is read for every construct, so a coarse one.
std::int64_t coarse_now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

} // namespace

QueuePool::~QueuePool() {
  if (gantry_queue* const latest = latest_.load(); latest != nullptr) {
    (void)device_.plugin().functions().destroy_queue(latest);
  }
  for (const Idle& idle : idle_) {
    (void)device_.plugin().functions().destroy_queue(idle.queue);
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
      gantry_queue* queue = idle_.back().queue;
      idle_.pop_back();
      return queue;
    }
  }
  return device_.create_queue();
}

void QueuePool::give_back(gantry_queue* idle) {
  const std::int64_t now = coarse_now();
  if (now >= first_is_old_.load(std::memory_order_relaxed)) [[unlikely]] {
    destroy_old(now);
  }
  gantry_queue* none = nullptr;
  if (latest_.compare_exchange_strong(none, idle, std::memory_order_release,
                                      std::memory_order_relaxed)) {
    return;
  }
  const std::lock_guard lock(mutex_);
  idle_.push_back({idle, now});
  if (idle_.size() == 1) {
    first_is_old_.store(now + patience_, std::memory_order_relaxed);
  }
}

void QueuePool::destroy_old(std::int64_t now) {
  std::vector<Idle> old;
  {
    const std::lock_guard lock(mutex_);
    const auto young =
        std::ranges::find_if(idle_, [&](const Idle& idle) { return now - idle.since < patience_; });
    old.assign(idle_.begin(), young);
    idle_.erase(idle_.begin(), young);
    first_is_old_.store(idle_.empty() ? kNever : idle_.front().since + patience_,
                        std::memory_order_relaxed);
  }
  for (const Idle& idle : old) {
    (void)device_.plugin().functions().destroy_queue(idle.queue);
  }
}

Queue::~Queue() {
  if (queue_ != nullptr) {
    // A construct that ends without having waited has failed already, and said so.
    (void)synchronize();
    pool_.give_back(queue_);
  }
}

template <typename Function, typename... Arguments>
Status Queue::put(Function gantry_plugin::* function, Arguments... arguments) {
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
  if (Status status = put(&gantry_plugin::queue_launch_data, size, &host, &device); !status) {
    return tl::unexpected(status.error());
  }
  return LaunchData{static_cast<std::byte*>(host), reinterpret_cast<std::uintptr_t>(device)};
}

Status Queue::submit(void* device_address, const void* host, std::uint64_t size, Wait wait) {
  return directly(wait) ? device_.submit(device_address, host, size)
                        : put(&gantry_plugin::queue_copy_to_device, device_address, host, size);
}

Status Queue::retrieve(void* host, const void* device_address, std::uint64_t size, Wait wait) {
  return directly(wait) ? device_.retrieve(host, device_address, size)
                        : put(&gantry_plugin::queue_copy_to_host, host, device_address, size);
}

Status Queue::launch(gantry_kernel* kernel, const gantry_launch& launch) {
  return device_.has_queues() ? put(&gantry_plugin::queue_launch, kernel, &launch)
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
