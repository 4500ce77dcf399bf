// A lock is a word of memory: 0, or the holder's machine::lockstep_group().
#pragma once

#include "device/gpu/machine.h"
#include "device/gpu/messages.h"

namespace gantry::device {

/// Takes the lock, or says who has it: 0 if the caller has it now.
inline uint32_t take_or_find_holder(uint32_t& word) {
  uint32_t holder = 0;
  if (machine::is_private(&word)) {
    holder = word;
    word = holder == 0 ? machine::lockstep_group() : holder;
    return holder;
  }
  __atomic_compare_exchange_n(&word, &holder, machine::lockstep_group(), false, __ATOMIC_RELAXED,
                              __ATOMIC_RELAXED);
  machine::fence_device();
  return holder;
}

/// False if another thread has the lock.
inline bool try_lock(uint32_t& word) {
  return take_or_find_holder(word) == 0;
}

/// Threads of one warp may compete where independent thread scheduling lets the holder go on while
/// others spin. Where lanes go on together, a holder in the same warp would wait for ever as well.
inline void lock(uint32_t& word) {
  while (const uint32_t holder = take_or_find_holder(word)) {
    if (machine::kLockstep && holder == machine::lockstep_group()) {
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
