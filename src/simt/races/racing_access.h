// What an access races with, for its report.
#pragma once

#include "simt/races/race_checker.h"

#include <array>
#include <cstdint>
#include <string>

namespace gantry::simt {

/// The earlier of two racing accesses.
struct RacingAccess {
  enum class Threads : std::uint8_t {
    kOne,
    kSeveral,       ///< of one block; `thread` is one of them
    kSeveralBlocks, ///< whichever
  };
  Threads threads = Threads::kOne;
  bool wrote = false;
  bool in_block = true;                ///< of the block of the later access …
  std::array<std::uint32_t, 3> block;  ///< … else of this one
  std::array<std::uint32_t, 3> thread; ///< in its block
  std::string kernel;                  ///< of another launch; else empty
  std::string source;                  ///< "sum.cu:9", or where the PTX does not say, "PTX line 33"
  std::string position; ///< "sum.cu:9, PTX line 33 of a.ptx: st.shared.u32 [%r1], %r2;"
};

/// What `races` has found.
[[nodiscard]] RacingAccess racing_access(const RaceChecker& races, const Ordering& ordering,
                                         const Race& race);

} // namespace gantry::simt
