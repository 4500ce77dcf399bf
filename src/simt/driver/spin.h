// Waiting for a moment without giving up the processor.
#pragma once

#include <chrono>
#include <thread>

namespace gantry::simt::driver {

/// Looks until `done()` or the time is over; false if it is. Does not spin where the thread waited
/// for would need the same processor.
template <typename Done>
bool spin_until(std::chrono::microseconds limit, Done&& done) {
  static const bool alone = std::thread::hardware_concurrency() <= 1;
  if (alone) {
    return done();
  }
  const auto end = std::chrono::steady_clock::now() + limit;
  do {
    for (int i = 0; i < 32; ++i) {
      if (done()) {
        return true;
      }
      __builtin_ia32_pause();
    }
  } while (std::chrono::steady_clock::now() < end);
  return done();
}

} // namespace gantry::simt::driver
