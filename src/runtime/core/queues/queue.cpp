#include "runtime/core/queues/queue.h"

#include <algorithm>
#include <cstring>
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

void Queue::give_back() {
  // A construct that ends without having waited has failed already, and said so.
  (void)synchronize();
  if (has_times()) [[unlikely]] {
    (void)device_.queued(device_.plugin().functions().record_times, queue_, 0);
  }
  pool_.give_back(queue_);
}

Status Queue::take() {
  auto taken = pool_.take();
  if (!taken) {
    return tl::unexpected(taken.error());
  }
  queue_ = *taken;
  return has_times() ? device_.queued(device_.plugin().functions().record_times, queue_, 1)
                     : Status();
}

void Queue::note_under_way(EventId id) {
  if (under_way_ == nullptr) {
    under_way_ = std::make_unique<std::vector<EventId>>();
  }
  under_way_->push_back(id);
}

EventId Queue::tell_copy(Copied::What what, bool to_device, const char* name, std::uintptr_t host,
                         std::uintptr_t device_address, std::uint64_t size,
                         OperationScope& operation, std::uintptr_t original,
                         std::uint16_t clause) const {
  const EventId id = next_event_id();
  if (tells(Event::kOperation)) {
    const int device = device_name().number;
    const std::uintptr_t there = original != 0 ? original : host;
    using Facts = OperationScope::Facts;
    operation.begin(
        construct_, device_name(),
        to_device
            ? Facts{Operation::What::kCopy, Operation::kHost, device, there, device_address, size}
            : Facts{Operation::What::kCopy, device, Operation::kHost, device_address, there, size},
        id);
  }
  tell(Copied{{construct_, device_name()},
              id,
              what,
              to_device,
              name,
              host,
              device_address,
              size,
              event_time(),
              clause});
  return id;
}

void Queue::tell_done(EventId id, const Status& status) const {
  if (status && tells(Event::kCompletion)) {
    tell(Completion{{construct_, device_name()}, id, nullptr, event_time(), {}});
  }
}

void Queue::tell_completions(bool succeeded) {
  const auto done = std::exchange(under_way_, nullptr);
  const std::int64_t now = event_time();
  std::vector<gantry_interval> times(done->size());
  std::size_t count = 0;
  if (!has_times() ||
      !device_.queued(device_.plugin().functions().read_times, queue_, times.data(), times.size(),
                      &count) ||
      count != times.size()) {
    times.assign(done->size(), {});
  }
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (const EventId id = (*done)[i]; id != 0 && (succeeded || times[i].end != 0)) {
      tell(Completion{{construct_, device_name()}, id, queue_, now, times[i]});
    }
  }
}

Result<Queue::LaunchData> Queue::launch_data(std::uint64_t size) {
  if (queue_ == nullptr) {
    if (Status taken = take(); !taken) {
      return tl::unexpected(taken.error());
    }
  }
  void* host = nullptr;
  void* device = nullptr;
  busy_ = true;
  if (Status status = device_.queued(device_.plugin().functions().queue_launch_data, queue_, size,
                                     &host, &device);
      !status) {
    return tl::unexpected(status.error());
  }
  return LaunchData{static_cast<std::byte*>(host), reinterpret_cast<std::uintptr_t>(device)};
}

Status Queue::submit(void* device_address, const void* host, std::uint64_t size, Wait wait,
                     EventId id) {
  return directly(wait) || posts(size)
             ? told(id, device_.submit(device_address, host, size))
             : put(id, &gantry_plugin::queue_copy_to_device, device_address, host, size);
}

Status Queue::retrieve(void* host, const void* device_address, std::uint64_t size, Wait wait,
                       EventId id) {
  if (const std::byte* const bytes = brought(device_address, size)) {
    std::memcpy(host, bytes, size);
    return told(id, {});
  }
  return directly(wait) ? told(id, device_.retrieve(host, device_address, size))
                        : put(id, &gantry_plugin::queue_copy_to_host, host, device_address, size);
}

Status Queue::send(const void* device_address, const PluginDevice& device, void* to,
                   std::uint64_t size, EventId id) {
  return put_by(id, [&] { return device_.put_send(queue_, device_address, device, to, size); });
}

void Queue::expect(const void* device_address, std::uint64_t size) {
  Brought& made = brought_.emplace_back();
  made.device = reinterpret_cast<std::uintptr_t>(device_address);
  made.bytes.resize(size);
  if (!put(0, &gantry_plugin::queue_copy_to_host, static_cast<void*>(made.bytes.data()),
           device_address, size)) {
    brought_.pop_back(); // what is wrong shows when the queue is waited for
  }
}

const std::byte* Queue::brought(const void* device_address, std::uint64_t size) const {
  const auto begin = reinterpret_cast<std::uintptr_t>(device_address);
  for (const Brought& one : brought_) {
    if (!busy_ && begin >= one.device && begin - one.device <= one.bytes.size() &&
        size <= one.bytes.size() - (begin - one.device)) {
      return one.bytes.data() + (begin - one.device);
    }
  }
  return nullptr;
}

Status Queue::wait() {
  const std::int64_t begin = tells(Event::kWait) ? event_time() : 0;
  Status outcome = std::exchange(failure_, {});
  if (std::exchange(busy_, false) || outcome) {
    if (Status status = device_.queued(device_.plugin().functions().synchronize_queue, queue_);
        outcome) {
      outcome = std::move(status);
    }
  }
  if (tells(Event::kWait)) [[unlikely]] {
    tell(Waited{{construct_, device_name()}, queue_, begin, event_time()});
  }
  if (under_way_ != nullptr) [[unlikely]] {
    tell_completions(outcome.has_value());
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
