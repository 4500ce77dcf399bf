// The clock of events: CLOCK_MONOTONIC, by way of the processor's time stamp counter where that
// counts at one rate, because the system's call takes twice as long in many virtual machines.
//
// A thread asks the system about once a millisecond and counts ticks from there, so it is off by no
// more than the clock's rate changes meanwhile: half a microsecond where NTP slews it as fast as it
// may. Times of a thread do not go back.
#include "runtime/core/events/events.h"

#include "base/monotonic.h"

#include <algorithm>
#include <atomic>
#include <cstdint>

#ifdef __x86_64__
#include <cpuid.h>
#endif

namespace gantry::core {

namespace {

#ifdef __x86_64__

std::uint64_t ticks_now() {
  return __builtin_ia32_rdtsc();
}

/// Intel's manual, volume 3, "Invariant TSC"; AMD's, volume 3, CPUID function 8000_0007.
bool counts_at_one_rate() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(0x8000'0007, &a, &b, &c, &d) != 0 && (d & 1u << 8) != 0;
}

#else

std::uint64_t ticks_now() {
  return 0;
}
bool counts_at_one_rate() {
  return false;
}

#endif

struct Reading {
  std::uint64_t ticks = 0;
  std::int64_t time = 0;
};

/// A thread counts so far from its last reading: a millisecond or two.
constexpr std::uint64_t kLongest = std::uint64_t{1} << 22;
/// The rate is measured over so many ticks: a millisecond at least, and some seconds at most.
constexpr std::uint64_t kShortestBase = std::uint64_t{1} << 22;
constexpr std::uint64_t kLongestBase = std::uint64_t{1} << 34;
/// A reading of both that takes longer was interrupted.
constexpr std::uint64_t kQuick = 2000;

/// Nanoseconds of a tick, with 32 bits behind the point; 0: not known.
constinit std::atomic<std::uint64_t> tick{0};

constinit thread_local Reading reading_of_thread;
constinit thread_local std::int64_t last_of_thread = 0;

/// Measures the rate again, unless another thread does.
void measure(const Reading& now) {
  static constinit std::atomic_flag taken = ATOMIC_FLAG_INIT;
  static constinit Reading base;
  static const bool is_of_use = counts_at_one_rate();
  if (!is_of_use || taken.test_and_set(std::memory_order_acquire)) {
    return;
  }
  const std::uint64_t ticks = now.ticks - base.ticks;
  if (base.ticks == 0) {
    base = now;
  } else if (ticks >= kShortestBase && now.time > base.time) {
    if (ticks < kLongestBase) {
      const auto nanoseconds = static_cast<unsigned __int128>(now.time - base.time);
      tick.store(static_cast<std::uint64_t>((nanoseconds << 32) / ticks),
                 std::memory_order_relaxed);
    }
    if (ticks >= kLongestBase / 2) {
      base = now;
    }
  }
  taken.clear(std::memory_order_release);
}

[[gnu::noinline]] std::int64_t time_of_system() {
  const std::uint64_t before = ticks_now();
  const auto time = static_cast<std::int64_t>(monotonic_now());
  const Reading now{ticks_now(), time};
  if (now.ticks - before < kQuick && before != 0) {
    measure(now);
    reading_of_thread = now;
  }
  return time;
}

} // namespace

std::int64_t event_time() {
  const std::uint64_t rate = tick.load(std::memory_order_relaxed);
  const std::uint64_t ticks = rate == 0 ? kLongest : ticks_now() - reading_of_thread.ticks;
  const std::int64_t time =
      ticks < kLongest ? reading_of_thread.time + static_cast<std::int64_t>(ticks * rate >> 32)
                       : time_of_system();
  return last_of_thread = std::max(time, last_of_thread);
}

} // namespace gantry::core
