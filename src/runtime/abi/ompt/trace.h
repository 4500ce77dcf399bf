// The trace of a device (OpenMP 5.2, section 19.2.5): records of what happened on it, in buffers of
// the tool's.
//
// Threads that execute constructs append records to a list. A thread of the trace's own takes them
// from there, asks the tool for buffers, fills these and gives them back: when one is full, when
// the tool asks for that, and when the device is finished. So none of the tool's functions is
// called within an event, and none with a lock held. Where the tool is slower than the program, the
// program waits: no record is lost, but where the tool gives no buffer.
#pragma once

#include "runtime/abi/ompt/region.h"
#include "runtime/core/events/events.h"

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include <omp-tools.h>

namespace gantry::abi::ompt {

/// Any thread.
class DeviceTrace {
public:
  explicit DeviceTrace(int device) : device_(device) {}

  /// Which events are recorded, ompt_set_trace_ompt: `type` 0 stands for all. Nothing is, at first.
  ompt_set_result_t select(bool enable, unsigned type);
  /// False if the trace has been started.
  bool start(ompt_callback_buffer_request_t request, ompt_callback_buffer_complete_t complete);
  /// False if it is not started; so are the next two.
  bool pause(bool begin);
  /// Delivers the records there are. They are delivered when it returns, unless the calling thread
  /// is in a callback of the tool's, which may hold what the delivery needs.
  bool flush();
  /// Delivers the records there are, and records no more.
  bool stop();
  /// The device is finished.
  void finish() { (void)stop(); }

  /// One relaxed load.
  [[nodiscard]] bool started() const { return recording_.load(std::memory_order_relaxed); }

  /// Adds a record, if such are selected, with what its times were on the host.
  void add(ompt_record_ompt_t record, std::int64_t begin, std::int64_t end);
  /// Something of `region` that is under way is complete: adds its record.
  void complete(Region& region, const core::Completion& event);

private:
  enum Selection : unsigned { kTarget = 1, kDataOp = 2, kSubmit = 4, kAll = 7 };
  static unsigned selection_of(unsigned type);

  struct Interval {
    std::int64_t begin;
    std::int64_t end;
  };
  /// The times of something that was put in at `submitted`, in the host's time.
  Interval in_host_time(std::int64_t submitted, const core::Completion& event);

  /// Whose the buffer is after a delivery: the tool may free it, or it is filled further.
  enum class Owner : std::uint8_t { kRuntime, kTool };
  bool deliver(std::unique_lock<std::mutex>& lock, Owner owner);
  void run();
  // In the trace's thread, without the lock.
  void write(const ompt_record_ompt_t& record);
  void give(Owner owner);

  const int device_;
  std::atomic<unsigned> selected_{0};
  std::atomic<bool> recording_{false}; ///< started, and not paused

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<ompt_record_ompt_t> waiting_; ///< to be written
  bool is_started_ = false;
  bool has_thread_ = false;
  std::thread::id thread_;
  std::uint64_t asked_ = 0;       ///< how often delivery was asked for
  std::uint64_t delivered_ = 0;   ///< and done
  Owner owner_ = Owner::kRuntime; ///< of the buffer, after the delivery that was asked for
  ompt_callback_buffer_request_t request_ = nullptr;
  ompt_callback_buffer_complete_t complete_ = nullptr;
  /// What the host's clock is ahead of the device's, as far as is known; with the lock.
  std::int64_t least_ahead_ = INT64_MIN;
  std::int64_t most_ahead_ = INT64_MAX;

  // The trace's thread's:
  std::byte* buffer_ = nullptr;
  std::size_t capacity_ = 0;
  std::size_t begin_ = 0; ///< of the first record that is not delivered
  std::size_t used_ = 0;
};

} // namespace gantry::abi::ompt
