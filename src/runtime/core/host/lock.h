// The locks of the core and the order in which a thread may take them.
//
// They are held for short steps: no plugin is called, nothing loaded and no symbol looked up
// meanwhile, because each of these may wait for a thread that is inside dlopen, and that thread may
// be waiting for the lock. Builds with a sanitizer and debug builds (GANTRY_CHECKED) end the
// process when either rule is broken.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace gantry::core {

/// What a lock is for. A thread takes them in ascending order and has one of each at most.
enum class LockRank : std::uint8_t {
  kRuntime,
  kRegistry,
  kDevice,
  kSpreading,
  kAddressSpaces,
  kDataEnvironment,
  kQueuePool,
  kAllocationTable,
  kHostMemory,
  kReadOnlyMemory,
};

#ifdef GANTRY_CHECKED

class Mutex {
public:
  explicit Mutex(LockRank rank) : rank_(rank) {}
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;
  void lock();
  void unlock();

private:
  std::mutex mutex_;
  LockRank rank_;
};
using Lock = std::unique_lock<Mutex>;
using Condition = std::condition_variable_any;

/// Ends the process if the calling thread has a lock of the core. `what` is what it is about to do.
void expect_no_lock(const char* what);

#else

class Mutex : public std::mutex {
public:
  explicit Mutex(LockRank /*rank*/) {}
};
using Lock = std::unique_lock<std::mutex>;
using Condition = std::condition_variable;

inline void expect_no_lock(const char* /*what*/) {}

#endif

} // namespace gantry::core
