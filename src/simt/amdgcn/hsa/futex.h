// Waiting for a word of memory to change, for a limited time (futex(2)).
#pragma once

#include <algorithm>
#include <climits>
#include <cstdint>
#include <ctime>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace gantry::simt::hsa {

/// Returns when the word is no longer `seen`, was woken, or the time is over; or without a reason.
inline void futex_wait(const std::uint32_t* word, std::uint32_t seen, std::uint64_t nanoseconds) {
  constexpr std::uint64_t kSecond = 1'000'000'000;
  const timespec time = {static_cast<std::time_t>(nanoseconds / kSecond),
                         static_cast<long>(nanoseconds % kSecond)};
  syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, seen, &time, nullptr, 0);
}

inline void futex_wake_all(const std::uint32_t* word) {
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

} // namespace gantry::simt::hsa
