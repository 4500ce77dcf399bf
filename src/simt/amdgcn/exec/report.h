// The faults of waves, with their reports.
#pragma once

#include "simt/amdgcn/checks/group_checks.h"
#include "simt/amdgcn/exec/access.h"
#include "simt/amdgcn/objects/line_table.h"

#include <string_view>

namespace gantry::simt::amdgcn {

/// Each sets the wave's fault. The instruction is the one that cannot be run.

/// An access of one lane that is not allowed. `address` is as the space has it.
void report_access(Wave& wave, const Instruction& instruction, unsigned lane, Space space,
                   u64 address, u32 size, AccessKind kind);
/// Likewise an atomic operation at an address that is not a multiple of its size.
void report_misaligned(Wave& wave, const Instruction& instruction, unsigned lane, u64 address,
                       u32 size);
void report_trap(Wave& wave, const Instruction& instruction);
void report_jump(Wave& wave, const Instruction& instruction, u64 address);
/// A race, or a load of what has no value.
void report_finding(Wave& wave, const Instruction& instruction, const WaveAccess& access,
                    const CheckFinding& found);
/// "sum.c:9", or "near sum.c:9".
[[nodiscard]] std::string source_text(const SourceLine& line);
/// An instruction that the executor does not know, or that is none.
void report_instruction(Wave& wave, const Instruction& instruction, std::string_view why);

} // namespace gantry::simt::amdgcn
