// The texts of what GANTRY_SIMT_CHECK=race, init and sync find.
#pragma once

#include "simt/exec/checks/race_checker.h"
#include "simt/exec/warp/fault.h"
#include "simt/exec/warp/warp.h"

#include <array>
#include <cstdint>
#include <string>

namespace gantry::simt::exec {

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
/// `address` is a generic one, as in uninitialised_fault.
[[nodiscard]] Fault race_fault(const Warp& warp, unsigned lane, std::uint64_t address,
                               std::uint32_t size, const AccessFacts& facts, Site site,
                               const RacingAccess& other);
[[nodiscard]] Fault uninitialised_fault(const Warp& warp, unsigned lane, std::uint64_t address,
                                        std::uint32_t size, AccessKind kind, AccessSpace space,
                                        Site site);

/// The lane is not in the mask that it gives a warp-level operation.
[[nodiscard]] Fault foreign_mask_fault(const Warp& warp, unsigned lane, LaneMask mask, Site site);
/// A lane's mask names another lane, whose own mask differs.
[[nodiscard]] Fault masks_fault(const Warp& warp, unsigned lane, LaneMask mask, unsigned other,
                                LaneMask other_mask, Site site);
/// Lanes of a warp have arrived at one barrier by two instructions.
[[nodiscard]] Fault divergent_barrier_fault(const Warp& warp, LaneMask lanes, std::uint32_t barrier,
                                            Site before, Site site);
/// The block ends, and a barrier that threads have arrived at is not complete.
[[nodiscard]] Fault open_barrier_fault(const Warp& warp, std::uint32_t barrier, Site site);

} // namespace gantry::simt::exec
