// When what is put into a queue begins and ends, as the runtime notes it.
#pragma once

#include "plugins/hsa/stream.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace gantry::hsa {

/// Of one queue. Used by one thread at a time. Functions with a status return GANTRY_SUCCESS or an
/// error, kept.
class QueueTimes {
public:
  /// Values are those of CLOCK_MONOTONIC when they are read, and what the runtime's clock, which
  /// the GPU's is compared with, has counted up to there.
  static constexpr const char* kClock = "HSA timestamps from CLOCK_MONOTONIC";

  /// Nothing is in the stream.
  std::int32_t record(Stream& stream, bool on);

  /// Puts something into the stream, which may be several operations of it.
  template <typename Put>
  std::int32_t note(const Stream& stream, Put&& put) {
    if (!on_) [[likely]] {
      return put();
    }
    const Stream::Ticket before = stream.last();
    GANTRY_STATUS_TRY(put());
    marks_.push_back({before + 1, stream.last()});
    return GANTRY_SUCCESS;
  }

  /// See read_times of gantry/plugin.h.
  std::int32_t read(Stream& stream, gantry_interval* times, std::size_t capacity,
                    std::size_t& count);

private:
  struct Mark {
    Stream::Ticket first;
    Stream::Ticket last;
  };

  bool on_ = false;
  std::vector<Mark> marks_;
};

} // namespace gantry::hsa
