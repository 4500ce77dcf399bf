// What is done on a device one after the other: kernels and copies, each of which waits for the one
// before it.
#pragma once

#include "plugins/hsa/hardware_queue.h"
#include "plugins/hsa/library.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

namespace gantry::hsa {

/// Used by one thread at a time. Functions with a status return GANTRY_SUCCESS or an error, kept.
class Stream {
public:
  /// Says which operation is meant: they are counted from 1. 0 is none.
  using Ticket = std::uint64_t;

  explicit Stream(Device& device) : device_(device) {}
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  /// Puts a kernel in; its completion signal is the stream's.
  std::int32_t dispatch(hsa_kernel_dispatch_packet_t packet, const gantry_kernel* kernel);
  /// Puts a copy in, between memory that the agents can use. `locked`, if it is not null, is memory
  /// of the host that is unlocked when the copy is done.
  std::int32_t copy(void* to, hsa_agent_t to_agent, const void* from, hsa_agent_t from_agent,
                    std::size_t size, void* locked = nullptr);

  /// Of what was put in last.
  [[nodiscard]] Ticket last() const { return first_ + pending_.size() - 1; }

  /// Returns when the operation is done and what it has printed is written, with the failure of any
  /// up to there.
  std::int32_t wait(Ticket ticket);
  std::int32_t wait_for_all() { return wait(last()); }
  /// Whether all is done; if not, nothing has failed as yet.
  bool is_done();
  /// As is_done(), from any thread.
  [[nodiscard]] bool seems_done() const { return unfinished_.load(std::memory_order_acquire) == 0; }

  /// Called again and again while something is waited for, with nothing put in meanwhile.
  void call_while_waiting(std::function<void()> function) { meanwhile_ = std::move(function); }

  /// The runtime's queue, once a kernel was put in.
  [[nodiscard]] const hsa_queue_t* handle() const {
    return hardware_ != nullptr ? hardware_->handle() : nullptr;
  }
  /// The same, in any case.
  std::int32_t choose_hardware();

  /// From now on notes when operations begin and end, or does so no more.
  std::int32_t record_times(bool on);
  /// When an operation that is done began and ended, as the runtime's clock counts; 0 if it is not
  /// known. Of those since record_times(), until forget_times().
  [[nodiscard]] gantry_interval time_of(Ticket ticket) const;
  void forget_times();

  /// Waits for nothing and gives back what the stream has.
  void release();

private:
  struct Operation {
    hsa_signal_t done = {};
    bool is_kernel = false;
    std::uint64_t index = 0; ///< of a kernel, in the runtime's queue
    void* locked = nullptr;
  };

  std::int32_t wait_for(Ticket ticket);
  /// Ends what is at the front, if it is done.
  void collect();
  void end(const Operation& operation);
  void give_back_held();
  void note_time(const Operation& operation);

  Device& device_;
  HardwareQueue* hardware_ = nullptr;
  std::deque<Operation> pending_; ///< that were not seen to be done
  Ticket first_ = 1;              ///< of the front
  /// Of the operation in front of that, for which the runtime may still look at it; 0 is none.
  hsa_signal_t held_ = {};
  bool failed_ = false; ///< an operation that has been ended
  std::atomic<std::uint64_t> unfinished_ = 0;
  std::function<void()> meanwhile_;
  bool recording_ = false;
  Ticket first_time_ = 1;
  std::vector<gantry_interval> times_; ///< of operations from that one on
};

} // namespace gantry::hsa
