// Copies that begin when signals say so, and tell by a signal that they are done.
#pragma once

#include "simt/amdgcn/hsa/signals.h"

#include <atomic>
#include <cstdint>
#include <vector>

namespace gantry::simt::hsa {

struct Copy {
  void* to = nullptr;
  const void* from = nullptr;
  std::uint64_t bytes = 0;
  std::vector<Signal*> after; ///< all must be 0
  Signal* done = nullptr;
};

class Copies {
public:
  [[nodiscard]] static Copies& instance();

  /// Does the copy, now or on a thread that starts with the first copy that must wait, or is large.
  /// Copies may happen in any order that their signals allow.
  void add(Copy copy);
  /// Forgets those that have not begun, and waits for the one that has.
  void clear();

  Copies(const Copies&) = delete;
  Copies& operator=(const Copies&) = delete;

private:
  Copies();
  struct State;
  State* state_;
};

} // namespace gantry::simt::hsa
