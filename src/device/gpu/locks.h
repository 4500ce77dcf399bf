// A lock is a word of memory: 0, or 1 while somebody holds it.
#pragma once

#include "device/gpu/machine.h"
#include "device/gpu/messages.h"

namespace gantry::device {

/// False if another thread has the lock.
inline bool try_lock(uint32_t& word) {
  uint32_t expected = 0;
  const bool mine =
      __atomic_compare_exchange_n(&word, &expected, 1U, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  machine::fence_device();
  return mine;
}

/// Threads of one warp may compete where independent thread scheduling lets the holder go on while
/// others spin.
inline void lock(uint32_t& word) {
  const machine::LanesThatWait lanes;
  while (!try_lock(word)) {
    if (lanes.have_left_some()) {
      fail_in_lockstep("a lock");
    }
    machine::pause(50);
  }
}

inline void unlock(uint32_t& word) {
  machine::fence_device();
  __atomic_store_n(&word, 0U, __ATOMIC_RELAXED);
}

} // namespace gantry::device
