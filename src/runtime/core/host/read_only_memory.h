// Memory that the program cannot write although it may map it: constants, and what the dynamic
// loader has protected when it had relocated it (type information, tables of addresses).
#pragma once

#include "runtime/core/host/lock.h"

#include <cstdint>
#include <vector>

namespace gantry::core {

/// Of the executable and the shared libraries. Any thread; without a lock where the dynamic loader
/// is asked.
class ReadOnlyMemory {
public:
  /// Looks for libraries that were loaded or unloaded.
  void refresh();

  /// Whether the byte at an address lies in such memory; right for all libraries that were loaded
  /// when refresh() was called.
  [[nodiscard]] bool holds(std::uintptr_t address);

  /// The same of a library that was loaded at the last refresh() and still is. Any lock may be
  /// held.
  [[nodiscard]] bool noted(std::uintptr_t address);

private:
  struct Range {
    std::uintptr_t begin;
    std::uintptr_t end;
  };
  struct Search;

  Mutex mutex_{LockRank::kReadOnlyMemory};
  std::vector<Range> ranges_; ///< in order, without overlap
  /// What the loader counts: libraries loaded and unloaded, when `ranges_` was made.
  unsigned long long loaded_ = 0;
  unsigned long long unloaded_ = 0;
};

} // namespace gantry::core
