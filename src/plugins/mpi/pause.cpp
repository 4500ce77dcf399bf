#include "plugins/mpi/pause.h"

#include "base/monotonic.h"
#include "base/short_sleep.h"

#include <algorithm>

#include <sched.h>

namespace gantry::mpi {

std::chrono::nanoseconds Pause::next() {
  constexpr std::uint64_t kAwake = 100'000;
  constexpr std::uint32_t kSpins = 4; // for one time that others have the processor
  constexpr std::uint64_t kPart = 8;  // of the time that it has waited

  const std::uint64_t now = monotonic_now();
  if (began_ == 0) {
    began_ = now;
  }
  const std::uint64_t passed = now - began_;
  if (passed < kAwake) {
    if (++looks_ % kSpins == 0) {
      sched_yield();
    }
    return {};
  }
  return std::chrono::nanoseconds(std::min(static_cast<std::int64_t>(passed / kPart), longest_));
}

void Pause::once() {
  if (const auto sleep = next(); sleep.count() != 0) {
    sleep_shortly(sleep);
  }
}

} // namespace gantry::mpi
