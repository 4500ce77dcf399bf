#include "plugins/hsa/stream.h"

#include "plugins/hsa/device.h"

#include <algorithm>
#include <utility>

namespace gantry::hsa {

namespace {

/// How long a thread looks without pause, and how long it sleeps at most before it looks whether
/// the device still works.
constexpr std::uint64_t kActiveMicroseconds = 30;
constexpr std::uint64_t kBlockedMicroseconds = 5'000;
/// Where something is to be done meanwhile.
constexpr std::uint64_t kMeanwhileMicroseconds = 1'000;
/// So many operations are put in before it is looked whether some are done.
constexpr std::size_t kMany = 64;

std::uint64_t ticks(std::uint64_t microseconds) {
  return library().timestamp_frequency / 1'000 * microseconds / 1'000 + 1;
}

bool waits(hsa_signal_t signal, std::uint64_t microseconds, hsa_wait_state_t state) {
  return library().hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_LT, 1,
                                             ticks(microseconds), state) >= 1;
}

} // namespace

std::int32_t Stream::choose_hardware() {
  if (hardware_ == nullptr) {
    GANTRY_STATUS_TRY(device_.hardware.choose(hardware_));
  }
  return GANTRY_SUCCESS;
}

std::int32_t Stream::dispatch(hsa_kernel_dispatch_packet_t packet, const gantry_kernel* kernel) {
  GANTRY_STATUS_TRY(choose_hardware());
  if (pending_.size() >= kMany) {
    collect();
  }
  Operation operation;
  GANTRY_STATUS_TRY(device_.signals.take(operation.done));
  packet.completion_signal = operation.done;
  // Kernels wait for those before them by themselves.
  const hsa_signal_t after =
      pending_.empty() || pending_.back().is_kernel ? hsa_signal_t{} : pending_.back().done;
  operation.is_kernel = true;
  const std::int32_t code = hardware_->put(packet, after, kernel, operation.index);
  if (code != GANTRY_SUCCESS) {
    return code; // the device is lost, and the signal with it
  }
  pending_.push_back(operation);
  unfinished_.store(pending_.size(), std::memory_order_release);
  return GANTRY_SUCCESS;
}

std::int32_t Stream::copy(void* to, hsa_agent_t to_agent, const void* from, hsa_agent_t from_agent,
                          std::size_t size, void* locked) {
  if (size == 0) {
    return GANTRY_SUCCESS; // the runtime says nothing of its end
  }
  if (pending_.size() >= kMany) {
    collect();
  }
  Operation operation;
  operation.locked = locked;
  std::int32_t code = device_.signals.take(operation.done);
  if (code == GANTRY_SUCCESS) {
    const std::uint32_t count = pending_.empty() ? 0 : 1;
    const hsa_signal_t* const after = pending_.empty() ? nullptr : &pending_.back().done;
    code = check(library().hsa_amd_memory_async_copy(to, to_agent, from, from_agent, size, count,
                                                     after, operation.done),
                 "hsa_amd_memory_async_copy");
    if (code != GANTRY_SUCCESS) {
      device_.signals.give_back(operation.done);
    }
  }
  if (code != GANTRY_SUCCESS) {
    if (locked != nullptr) {
      (void)library().hsa_amd_memory_unlock(locked);
    }
    return code;
  }
  pending_.push_back(operation);
  unfinished_.store(pending_.size(), std::memory_order_release);
  return GANTRY_SUCCESS;
}

void Stream::end(const Operation& operation) {
  if (library().hsa_signal_load_scacquire(operation.done) < 0) {
    failed_ = true;
    // What waits for the signal waits for 0.
    library().hsa_signal_store_relaxed(operation.done, 0);
  }
  if (recording_) {
    note_time(operation);
  }
  if (operation.is_kernel) {
    hardware_->left(operation.index);
  }
  if (operation.locked != nullptr) {
    (void)library().hsa_amd_memory_unlock(operation.locked);
  }
  give_back_held();
  held_ = operation.done;
}

void Stream::give_back_held() {
  if (const hsa_signal_t signal = std::exchange(held_, {}); signal.handle != 0) {
    device_.signals.give_back(signal);
  }
}

void Stream::collect() {
  while (!pending_.empty() && library().hsa_signal_load_scacquire(pending_.front().done) < 1) {
    end(pending_.front());
    pending_.pop_front();
    ++first_;
  }
  if (pending_.empty()) {
    give_back_held();
  }
  unfinished_.store(pending_.size(), std::memory_order_release);
}

std::int32_t Stream::wait(Ticket ticket) {
  const std::int32_t code = wait_for(ticket);
  device_.output.print(code == GANTRY_DEVICE_LOST ? DeviceOutput::State::kLost
                                                  : DeviceOutput::State::kDone);
  return code;
}

std::int32_t Stream::wait_for(Ticket ticket) {
  collect();
  ticket = std::min(ticket, last());
  while (first_ <= ticket) {
    const hsa_signal_t last = pending_[ticket - first_].done;
    if (device_.loss.has_happened()) {
      return device_.loss.refusal();
    }
    if (meanwhile_) {
      meanwhile_();
    }
    device_.output.print(DeviceOutput::State::kAtWork);
    if (waits(last, kActiveMicroseconds, HSA_WAIT_STATE_ACTIVE)) {
      (void)waits(last, meanwhile_ ? kMeanwhileMicroseconds : kBlockedMicroseconds,
                  HSA_WAIT_STATE_BLOCKED);
    }
    collect();
  }
  if (device_.loss.has_happened()) {
    return device_.loss.refusal();
  }
  return std::exchange(failed_, false)
             ? report(GANTRY_FAILURE, "the device has failed to copy memory")
             : std::int32_t{GANTRY_SUCCESS};
}

bool Stream::is_done() {
  collect();
  return pending_.empty();
}

std::int32_t Stream::record_times(bool on) {
  if (on) {
    GANTRY_STATUS_TRY(choose_hardware());
    GANTRY_STATUS_TRY(hardware_->record_times());
  }
  recording_ = on;
  forget_times();
  return GANTRY_SUCCESS;
}

void Stream::note_time(const Operation& operation) {
  gantry_interval interval = {};
  if (operation.is_kernel) {
    hsa_amd_profiling_dispatch_time_t time = {};
    if (library().hsa_amd_profiling_get_dispatch_time(device_.agent, operation.done, &time) ==
        HSA_STATUS_SUCCESS) {
      interval = {.begin = time.start, .end = time.end};
    }
  } else {
    hsa_amd_profiling_async_copy_time_t time = {};
    if (library().hsa_amd_profiling_get_async_copy_time(operation.done, &time) ==
        HSA_STATUS_SUCCESS) {
      interval = {.begin = time.start, .end = time.end};
    }
  }
  times_.push_back(interval);
}

gantry_interval Stream::time_of(Ticket ticket) const {
  return ticket >= first_time_ && ticket - first_time_ < times_.size()
             ? times_[ticket - first_time_]
             : gantry_interval{};
}

void Stream::forget_times() {
  times_.clear();
  first_time_ = first_;
}

void Stream::release() {
  collect();
  // Signals of what a lost device has not done may still change.
  pending_.clear();
  held_ = {};
  unfinished_.store(0, std::memory_order_release);
}

} // namespace gantry::hsa
