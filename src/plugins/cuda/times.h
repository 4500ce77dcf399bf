// When what is put into a queue begins and ends: a pair of the driver's events around each
// operation.
#pragma once

#include "plugins/cuda/device.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace gantry::cuda {

/// Of one queue. Used by one thread at a time. Functions with a status return GANTRY_SUCCESS or an
/// error, kept.
class QueueTimes {
public:
  /// Values are those of CLOCK_MONOTONIC at the last read, and what the events count from there on,
  /// in steps of half a microsecond or more.
  static constexpr const char* kClock = "CUDA events from CLOCK_MONOTONIC";

  QueueTimes() = default;
  QueueTimes(const QueueTimes&) = delete;
  QueueTimes& operator=(const QueueTimes&) = delete;

  /// Nothing is in the stream.
  std::int32_t record(const Device& device, CUstream stream, bool on);

  /// Puts an operation into the stream, between two events if times are recorded.
  template <typename Put>
  std::int32_t note(const Device& device, CUstream stream, Put&& put) {
    if (!on_) [[likely]] {
      return put();
    }
    GANTRY_STATUS_TRY(mark(device, stream));
    GANTRY_STATUS_TRY(put());
    return mark(device, stream);
  }

  /// See read_times of gantry/plugin.h.
  std::int32_t read(const Device& device, CUstream stream, gantry_interval* times,
                    std::size_t capacity, std::size_t& count);

  /// Frees the events, in the device's context.
  void release();

private:
  /// Puts an event into the stream.
  std::int32_t mark(const Device& device, CUstream stream);
  /// Times count from now.
  std::int32_t begin(CUstream stream);
  /// The time of an event; 0 if it did not happen.
  [[nodiscard]] std::uint64_t time_of(CUevent event) const;

  bool on_ = false;
  CUevent base_ = nullptr;      ///< happened at `base_time_`
  std::uint64_t base_time_ = 0; ///< in nanoseconds
  std::vector<CUevent> marks_;  ///< two for each operation
};

} // namespace gantry::cuda
