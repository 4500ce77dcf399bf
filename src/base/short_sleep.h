// Sleeping for microseconds.
#pragma once

#include <chrono>
#include <thread>

#include <sys/prctl.h>

namespace gantry {

/// Sleeps as long as it says: Linux lets threads sleep 50 us longer than they ask for.
inline void sleep_shortly(std::chrono::nanoseconds time) {
  const int slack = prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);
  prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
  std::this_thread::sleep_for(time);
  prctl(PR_SET_TIMERSLACK, slack > 0 ? slack : 0, 0, 0, 0);
}

} // namespace gantry
