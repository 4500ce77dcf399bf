// The programs registered so far. Registration happens in constructors of libraries, before main or
// in dlopen, so it only records a pointer: no device is touched and nothing is read.
//
// Who reads the memory of a registered program, or makes what belongs to it known, holds it: until
// then its library does not go away, because remove() waits. A thread that unloads a library waits
// with the dynamic loader's lock held, so no code may wait for that lock while it holds a program.
// The registry's own lock is held for short steps only, and never across a call of another part.
#pragma once

#include "runtime/core/host/lock.h"
#include "runtime/core/programs/program.h"

#include <atomic>
#include <cstdint>
#include <map>
#include <vector>

namespace gantry::core {

/// Numbers programs in order of registration; never used twice.
using ProgramId = std::uint64_t;

struct RegisteredProgram {
  ProgramId id = 0;
  const void* descriptor = nullptr;
  /// An address in the module that brought the program.
  const void* location = nullptr;
  DecodeProgram decoder = nullptr;
  /// Required apart from what the program's contents say.
  bool unified_shared_memory = false;

  /// While it is held.
  [[nodiscard]] Result<ProgramContents> decode() const { return decoder(descriptor); }
};

class Registry {
public:
  /// Programs that stay registered as long as this object is there. One thread.
  class Held {
  public:
    /// Those that are registered now.
    explicit Held(Registry& registry);
    /// The one of this number, if it is registered.
    Held(Registry& registry, ProgramId id);
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;
    ~Held();

    /// In order of registration.
    [[nodiscard]] const std::vector<RegisteredProgram>& programs() const { return programs_; }
    [[nodiscard]] bool empty() const { return programs_.empty(); }

  private:
    Registry& registry_;
    std::vector<RegisteredProgram> programs_;
  };

  void add(const void* descriptor, const void* location, DecodeProgram decoder);

  /// Removes the program registered with `descriptor` and returns its number, or 0 if there is
  /// none. Waits while others hold it. The calling thread holds none.
  ProgramId remove(const void* descriptor);

  [[nodiscard]] bool empty() const;

  /// Whether the code or data of some program lies in [begin, end).
  [[nodiscard]] bool has_program_in(std::uintptr_t begin, std::uintptr_t end) const;

  /// For programs, registered from now on, that do not say in their contents what they require.
  void require_unified_shared_memory() { unified_shared_memory_.store(true); }

  /// Changes whenever a program is added. Any thread, without the lock.
  [[nodiscard]] std::uint64_t generation() const {
    return generation_.load(std::memory_order_acquire);
  }

private:
  mutable Mutex mutex_{LockRank::kRegistry};
  Condition let_go_;
  std::vector<RegisteredProgram> programs_;
  /// How often each program is held; those that are not are absent.
  std::map<ProgramId, int> holds_;
  ProgramId last_id_ = 0;
  std::atomic<std::uint64_t> generation_{0};
  std::atomic<bool> unified_shared_memory_{false};
};

} // namespace gantry::core
