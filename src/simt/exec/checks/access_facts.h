// What an instruction says about its access, for the checks of races and uninitialised memory.
#pragma once

#include "simt/exec/warp/warp.h"
#include "simt/ptx/program.h"

#include <array>
#include <cstdint>
#include <set>
#include <unordered_map>

namespace gantry::simt::exec {

/// What an instruction does to memory, in terms of the memory model (PTX ISA 9.0, 8).
struct AccessFacts {
  bool reads = false, writes = false;
  bool strong = false; ///< volatile, relaxed, acquire, release; an atomic operation
  bool acquires = false, releases = false;
  bool may_be_unused = false; ///< a load whose value may not matter
};

/// The facts of a program's instructions, cached until another program is asked for.
class AccessFactsTable {
public:
  [[nodiscard]] const AccessFacts& of(const ptx::Program& program, AccessKind kind, Site site);

private:
  using Registers = std::set<std::uint32_t>;
  [[nodiscard]] AccessFacts find(const ptx::Program& program, AccessKind kind, Site site);
  [[nodiscard]] const Registers& guesses_of(std::uint32_t number, const ptx::Function& function);

  std::array<std::uint64_t, 2> program_ = {};            ///< its hash
  std::unordered_map<Site, AccessFacts> known_[3];       ///< by AccessKind
  std::unordered_map<std::uint32_t, Registers> guesses_; ///< by function
};

} // namespace gantry::simt::exec
