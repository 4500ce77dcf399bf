// The clock of events beside the system's.
#include "base/monotonic.h"
#include "runtime/core/events/events.h"

#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace gantry::core {
namespace {

/// Reads both for as long as the clock asks the system several times, measures its rate and uses
/// it.
void compare_with_system() {
  const std::uint64_t end = monotonic_now() + 20'000'000;
  std::int64_t last = 0;
  for (std::uint64_t before = 0; before < end;) {
    before = monotonic_now();
    const std::int64_t time = event_time();
    const std::uint64_t after = monotonic_now();
    // Nanoseconds: a rate that is wrong by a hundredth would be off by more.
    constexpr std::uint64_t kOff = 10'000;
    ASSERT_GE(time + static_cast<std::int64_t>(kOff), static_cast<std::int64_t>(before));
    ASSERT_LE(time, static_cast<std::int64_t>(after + kOff));
    ASSERT_GE(time, last) << "it does not go back";
    last = time;
  }
}

TEST(EventClock, IsTheSystems) {
  compare_with_system();
}

TEST(EventClock, IsTheSystemsInAllThreads) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back(compare_with_system);
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}

} // namespace
} // namespace gantry::core
