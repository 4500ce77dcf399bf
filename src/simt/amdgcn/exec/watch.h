// What executing instructions tells the checks of races and uninitialised memory, where
// GANTRY_SIMT_CHECK asks for them.
#pragma once

#include "simt/amdgcn/checks/group_checks.h"
#include "simt/amdgcn/exec/access.h"

#include <memory>

namespace gantry::simt::amdgcn {

struct Launch;

/// The checks of a dispatch; null if none are asked for.
[[nodiscard]] std::unique_ptr<DispatchChecks> checks_of(const Launch& launch);

/// Tells of an access by the active lanes, before it takes place; addresses are as the space has
/// them. False, with the wave's fault set, if one is wrong. What memory checks will report, and
/// lanes' own memory, are left out.
[[nodiscard]] bool check_accesses(Wave& wave, const Instruction& instruction, Space space,
                                  LaneMask active, const u64* addresses, u32 size, AccessKind kind);

/// Likewise of a load into SGPRs.
[[nodiscard]] bool check_scalar_load(Wave& wave, const Instruction& instruction, u64 address,
                                     u32 size);

} // namespace gantry::simt::amdgcn
