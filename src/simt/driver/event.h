// Events: marks in streams, with the time when they were passed.
#pragma once

#include "gantry/cuda_driver.h"
#include "simt/driver/graphs/stream_capture.h"
#include "simt/driver/stream_operation.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

namespace gantry::simt::driver {

/// All members may be called from any thread.
class Event : public std::enable_shared_from_this<Event> {
public:
  Event(std::uint64_t context_id, unsigned flags) : context_id_(context_id), flags_(flags) {}

  [[nodiscard]] std::uint64_t context_id() const { return context_id_; }
  [[nodiscard]] bool timed() const { return (flags_ & CU_EVENT_DISABLE_TIMING) == 0; }

  /// Marks where the stream is now, in place of the mark before.
  void record(Stream& stream);
  /// The latest mark; without a stream if there is none.
  [[nodiscard]] Position position() const;
  [[nodiscard]] bool passed() const;
  void wait() const;
  /// Marks where a captured stream is, in place of the mark before.
  void set_capture(StreamCapture capture);
  [[nodiscard]] StreamCapture capture() const;
  /// Whether the latest mark is in a capture, which may have ended.
  [[nodiscard]] bool captured() const { return captured_.load(std::memory_order_acquire); }
  /// The error of the context that the mark is in.
  [[nodiscard]] CUresult error() const;

  /// CUDA_ERROR_NOT_READY while a mark is not passed, _INVALID_HANDLE without marks or times.
  [[nodiscard]] static CUresult elapsed(const Event& start, const Event& end, float& milliseconds);

private:
  using Clock = std::chrono::steady_clock;
  void pass(std::uint64_t record);

  const std::uint64_t context_id_;
  const unsigned flags_;
  mutable std::mutex mutex_;
  Position position_;
  std::uint64_t record_ = 0; ///< counts the marks
  std::optional<Clock::time_point> time_;
  StreamCapture capture_;
  std::atomic<bool> captured_ = false;
};

} // namespace gantry::simt::driver
