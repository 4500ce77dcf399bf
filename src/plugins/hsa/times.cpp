#include "plugins/hsa/times.h"

#include "base/monotonic.h"

namespace gantry::hsa {

namespace {

constexpr std::uint64_t kNanosecondsPerSecond = 1'000'000'000;

/// From the runtime's clock to CLOCK_MONOTONIC.
class Conversion {
public:
  std::int32_t begin() {
    GANTRY_HSA_TRY(hsa_system_get_info, HSA_SYSTEM_INFO_TIMESTAMP, &ticks_);
    now_ = monotonic_now();
    return GANTRY_SUCCESS;
  }
  [[nodiscard]] std::uint64_t operator()(std::uint64_t ticks) const {
    const std::uint64_t frequency = library().timestamp_frequency;
    const std::uint64_t ago = ticks_ > ticks ? ticks_ - ticks : 0;
    return now_ - (ago / frequency * kNanosecondsPerSecond +
                   ago % frequency * kNanosecondsPerSecond / frequency);
  }

private:
  std::uint64_t ticks_ = 0;
  std::uint64_t now_ = 0;
};

} // namespace

std::int32_t QueueTimes::record(Stream& stream, bool on) {
  if (on && !library().has_times) {
    return report(GANTRY_FAILURE, "the HSA runtime has no times");
  }
  if (on) {
    GANTRY_HSA_TRY(hsa_amd_profiling_async_copy_enable, true);
  }
  GANTRY_STATUS_TRY(stream.record_times(on));
  marks_.clear();
  on_ = on;
  return GANTRY_SUCCESS;
}

std::int32_t QueueTimes::read(Stream& stream, gantry_interval* times, std::size_t capacity,
                              std::size_t& count) {
  count = marks_.size();
  Conversion convert;
  GANTRY_STATUS_TRY(convert.begin());
  for (std::size_t i = 0; i < count && i < capacity; ++i) {
    const std::uint64_t begin = stream.time_of(marks_[i].first).begin;
    const std::uint64_t end = stream.time_of(marks_[i].last).end;
    times[i] = begin != 0 && end != 0
                   ? gantry_interval{.begin = convert(begin), .end = convert(end)}
                   : gantry_interval{};
  }
  marks_.clear();
  stream.forget_times();
  return GANTRY_SUCCESS;
}

} // namespace gantry::hsa
