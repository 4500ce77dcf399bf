#include "runtime/core/host/lock.h"

#ifdef GANTRY_CHECKED

#include <cstdio>
#include <cstdlib>

namespace gantry::core {

namespace {

/// A bit for each rank of which the thread has a lock.
constinit thread_local std::uint32_t held = 0;

std::uint32_t bit(LockRank rank) {
  return std::uint32_t{1} << static_cast<std::uint32_t>(rank);
}

[[noreturn]] void break_off(const char* what, unsigned rank) {
  std::fprintf(stderr, "gantry: internal error: %s with locks of ranks %#x (lock.h)\n", what, rank);
  std::abort();
}

} // namespace

void Mutex::lock() {
  if (held >= bit(rank_)) {
    break_off("a lock of a lower or the same rank is taken", held);
  }
  mutex_.lock();
  held |= bit(rank_);
}

void Mutex::unlock() {
  held &= ~bit(rank_);
  mutex_.unlock();
}

void expect_no_lock(const char* what) {
  if (held != 0) {
    break_off(what, held);
  }
}

} // namespace gantry::core

#endif
