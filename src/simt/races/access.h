// What the checks of races and uninitialised memory know of an instruction that accesses memory.
#pragma once

#include <cstdint>

namespace gantry::simt {

/// What an instruction does to memory, in terms of the memory model (PTX ISA 9.0, 8).
struct AccessFacts {
  bool reads = false, writes = false;
  bool strong = false; ///< volatile, relaxed, acquire, release; an atomic operation
  bool acquires = false, releases = false;
  bool beyond_block = false;  ///< strong for threads of other blocks, too
  bool may_be_unused = false; ///< a load whose value may not matter
};

/// What orders a kernel's threads.
enum class AccessOrder : std::uint8_t {
  kNothing,  ///< it has no barriers
  kBarriers, ///< barriers of all threads of a block
  kFinely,   ///< also fences, releases, barriers of some threads
};

} // namespace gantry::simt
