// Waiting for a number in memory that two processes share.
#pragma once

#include <atomic>
#include <chrono>
#include <climits>
#include <cstdint>
#include <ctime>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace gantry::worker {

/// Waits until somebody wakes those who wait for `word`, unless it is not `value` any more, and for
/// `timeout` at most. May return early.
inline void wait_in_system(const std::atomic<std::uint32_t>& word, std::uint32_t value,
                           std::chrono::milliseconds timeout) {
  const timespec time = {.tv_sec = timeout.count() / 1000,
                         .tv_nsec = timeout.count() % 1000 * 1'000'000};
  syscall(SYS_futex, &word, FUTEX_WAIT, value, &time, nullptr, 0);
}

inline void wait_in_system(const std::atomic<std::uint32_t>& word, std::uint32_t value) {
  syscall(SYS_futex, &word, FUTEX_WAIT, value, nullptr, nullptr, 0);
}

inline void wake_all(const std::atomic<std::uint32_t>& word) {
  syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

inline void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#else
  std::atomic_signal_fence(std::memory_order_seq_cst);
#endif
}

/// True as soon as `word` is `wanted`, which is looked for `spins` times.
inline bool spin_until(const std::atomic<std::uint32_t>& word, std::uint32_t wanted,
                       std::uint32_t spins) {
  for (std::uint32_t i = 0; i <= spins; ++i) {
    if (word.load(std::memory_order_acquire) == wanted) {
      return true;
    }
    pause();
  }
  return false;
}

} // namespace gantry::worker
