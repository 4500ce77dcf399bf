#include "runtime/abi/ompt/trace.h"

#include "runtime/abi/ompt/device_lookup.h"
#include "runtime/abi/ompt/tool.h"
#include "runtime/core/runtime/runtime.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include <pthread.h>
#include <signal.h>

namespace gantry::abi::ompt {

namespace {

/// How many records wait before the trace's thread is woken, and before threads wait for it.
constexpr std::size_t kWorthWaking = 256;
constexpr std::size_t kMostWaiting = 1 << 14;

/// The signals of a program are for its own threads.
class SignalsBlocked {
public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

private:
  sigset_t before_;
};

} // namespace

unsigned DeviceTrace::selection_of(unsigned type) {
  switch (type) {
  case 0:
    return kAll;
  case ompt_callback_target:
  case ompt_callback_target_emi:
    return kTarget;
  case ompt_callback_target_data_op:
  case ompt_callback_target_data_op_emi:
    return kDataOp;
  case ompt_callback_target_submit:
  case ompt_callback_target_submit_emi:
    return kSubmit;
  default:
    return 0;
  }
}

ompt_set_result_t DeviceTrace::select(bool enable, unsigned type) {
  const unsigned selection = selection_of(type);
  if (selection == 0) {
    return ompt_set_never;
  }
  if (enable) {
    selected_.fetch_or(selection);
  } else {
    selected_.fetch_and(~selection);
  }
  return type == 0 ? ompt_set_sometimes : ompt_set_always;
}

bool DeviceTrace::start(ompt_callback_buffer_request_t request,
                        ompt_callback_buffer_complete_t complete) {
  if (request == nullptr || complete == nullptr || !Tool::instance().active()) {
    return false;
  }
  {
    const std::lock_guard lock(mutex_);
    if (is_started_) {
      return false;
    }
    request_ = request;
    complete_ = complete;
    is_started_ = true;
    if (!std::exchange(has_thread_, true)) {
      const SignalsBlocked blocked;
      std::thread thread([this] { run(); });
      thread_ = thread.get_id();
      thread.detach(); // until the process ends
    }
    recording_.store(true);
  }
  Tool::instance().want_records();
  return true;
}

bool DeviceTrace::pause(bool begin) {
  const std::lock_guard lock(mutex_);
  if (is_started_) {
    recording_.store(!begin);
  }
  return is_started_;
}

bool DeviceTrace::flush() {
  std::unique_lock lock(mutex_);
  return deliver(lock, Owner::kRuntime);
}

bool DeviceTrace::stop() {
  recording_.store(false);
  std::unique_lock lock(mutex_);
  const bool delivered = deliver(lock, Owner::kTool);
  is_started_ = false;
  return delivered;
}

bool DeviceTrace::deliver(std::unique_lock<std::mutex>& lock, Owner owner) {
  if (!is_started_ || !Tool::instance().active()) {
    return false;
  }
  const std::uint64_t number = ++asked_;
  owner_ = std::max(owner_, owner);
  changed_.notify_all();
  if (!Tool::Call::under_way()) {
    changed_.wait(lock, [&] { return delivered_ >= number; });
  }
  return true;
}

void DeviceTrace::add(ompt_record_ompt_t record, std::int64_t begin, std::int64_t end) {
  if ((selected_.load(std::memory_order_relaxed) & selection_of(record.type)) == 0 || !started() ||
      !Tool::instance().active()) {
    return;
  }
  record.time = static_cast<ompt_device_time_t>(begin);
  if (record.type == ompt_callback_target_data_op) {
    record.record.target_data_op.end_time = static_cast<ompt_device_time_t>(end);
  } else if (record.type == ompt_callback_target_submit) {
    record.record.target_kernel.end_time = static_cast<ompt_device_time_t>(end);
  }
  std::unique_lock lock(mutex_);
  if (waiting_.size() >= kMostWaiting && !Tool::Call::under_way()) {
    changed_.wait(lock, [&] { return waiting_.size() < kMostWaiting; });
  }
  waiting_.push_back(record);
  if (waiting_.size() == kWorthWaking) {
    changed_.notify_all();
  }
}

void DeviceTrace::complete(Region& region, const core::Completion& event) {
  const auto found = std::ranges::find(region.under_way, event.id, &Region::UnderWay::id);
  if (found == region.under_way.end()) {
    return;
  }
  const ompt_record_ompt_t record = found->record;
  region.under_way.erase(found);
  const auto submitted = static_cast<std::int64_t>(record.time);
  const Interval times = in_host_time(submitted, event);
  add(record, times.begin, times.end);
}

DeviceTrace::Interval DeviceTrace::in_host_time(std::int64_t submitted,
                                                const core::Completion& event) {
  const auto begin = static_cast<std::int64_t>(event.on_device.begin);
  const auto end = static_cast<std::int64_t>(event.on_device.end);
  const char* const clock = core::Runtime::instance().device(device_)->plugin_device().clock();
  if (end == 0 || clock == nullptr) {
    return {submitted, event.time};
  }
  if (clock == std::string_view("CLOCK_MONOTONIC")) {
    return {begin, end};
  }
  // It has begun after it was put in, and was complete before that was known. Every operation makes
  // the bounds closer; where they cross, the clocks drift apart.
  const std::lock_guard lock(mutex_);
  least_ahead_ = std::max(least_ahead_, submitted - begin);
  most_ahead_ = std::min(most_ahead_, event.time - end);
  if (least_ahead_ > most_ahead_) {
    least_ahead_ = submitted - begin;
    most_ahead_ = event.time - end;
  }
  const std::int64_t ahead = least_ahead_ + (most_ahead_ - least_ahead_) / 2;
  return {begin + ahead, end + ahead};
}

void DeviceTrace::run() {
  pthread_setname_np(pthread_self(), "gantry-trace");
  std::vector<ompt_record_ompt_t> taken;
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return asked_ != delivered_ || waiting_.size() >= kWorthWaking; });
    taken.clear();
    std::swap(taken, waiting_);
    const std::uint64_t number = asked_;
    const bool delivers = number != delivered_;
    const Owner owner = std::exchange(owner_, Owner::kRuntime);
    changed_.notify_all(); // there is room again
    lock.unlock();
    for (const ompt_record_ompt_t& record : taken) {
      write(record);
    }
    if (delivers && buffer_ != nullptr && (used_ > begin_ || owner == Owner::kTool)) {
      give(owner);
    }
    lock.lock();
    delivered_ = number;
    changed_.notify_all();
  }
}

void DeviceTrace::write(const ompt_record_ompt_t& record) {
  const Tool::Call call;
  if (!call) {
    return;
  }
  if (buffer_ == nullptr) {
    ompt_buffer_t* buffer = nullptr;
    capacity_ = 0;
    request_(device_, &buffer, &capacity_);
    buffer_ = static_cast<std::byte*>(buffer);
    begin_ = used_ = first_record(buffer);
    if (buffer_ == nullptr) {
      return;
    }
    if (capacity_ < begin_ + sizeof record) {
      give(Owner::kTool);
      return;
    }
  }
  std::memcpy(buffer_ + used_, &record, sizeof record);
  used_ += sizeof record;
  if (capacity_ < used_ + sizeof record) {
    give(Owner::kTool);
  }
}

void DeviceTrace::give(Owner owner) {
  const Tool::Call call;
  const std::size_t begin = std::exchange(begin_, used_);
  if (call && used_ > begin) {
    complete_(device_, buffer_, used_, cursor_at(buffer_, begin), 0);
  }
  if (owner == Owner::kTool) {
    // With a call of its own and without records, as tools know it from AMD's runtime.
    std::byte* const buffer = std::exchange(buffer_, nullptr);
    if (call) {
      complete_(device_, buffer, 0, 0, 1);
    }
  }
}

} // namespace gantry::abi::ompt
