// The texts of what GANTRY_SIMT_CHECK=race, init and sync find.
#pragma once

#include "simt/exec/checks/access_facts.h"
#include "simt/exec/warp/fault.h"
#include "simt/exec/warp/warp.h"
#include "simt/races/racing_access.h"

#include <cstdint>
#include <memory>

namespace gantry::simt::exec {

/// A kernel of a program whose instructions the facts are of.
[[nodiscard]] std::shared_ptr<const RacingKernel>
racing_kernel(std::shared_ptr<const AccessFactsTable> facts, std::uint32_t kernel);

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
