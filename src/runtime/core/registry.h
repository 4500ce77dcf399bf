// The programs registered so far. Registration happens in constructors of libraries, before main or
// in dlopen, so it only records a pointer: no device is touched and nothing is read.
//
// The lock is held for short steps only, and never while the dynamic loader's lock is waited for: a
// thread in dlopen or dlclose holds that one when it comes here.
#pragma once

#include "runtime/core/program.h"

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

namespace gantry::core {

/// Numbers programs in order of registration; never used twice.
using ProgramId = std::uint64_t;

struct RegisteredProgram {
  ProgramId id = 0;
  const void* descriptor = nullptr;
  /// An address in the module that brought the program.
  const void* location = nullptr;
  DecodeProgram decode = nullptr;
  /// Required apart from what the program's contents say.
  bool unified_shared_memory = false;
};

class Registry {
public:
  /// Held by whoever reads programs() or the memory of a registered program.
  [[nodiscard]] std::mutex& mutex() { return mutex_; }

  /// In order of registration. With the lock held.
  [[nodiscard]] const std::vector<RegisteredProgram>& programs() const { return programs_; }

  /// With the lock held.
  [[nodiscard]] bool contains(ProgramId id) const;

  void add(const void* descriptor, const void* location, DecodeProgram decode);

  /// Removes the program registered with `descriptor` and returns its number, or 0 if there is
  /// none. With the lock held.
  ProgramId remove(const void* descriptor);

  /// For programs, registered from now on, that do not say in their contents what they require.
  void require_unified_shared_memory() { unified_shared_memory_.store(true); }

  /// Changes whenever a program is added. Any thread, without the lock.
  [[nodiscard]] std::uint64_t generation() const {
    return generation_.load(std::memory_order_acquire);
  }

private:
  std::mutex mutex_;
  std::vector<RegisteredProgram> programs_;
  ProgramId last_id_ = 0;
  std::atomic<std::uint64_t> generation_{0};
  std::atomic<bool> unified_shared_memory_{false};
};

} // namespace gantry::core
