// Any dwords as code: what the executor must end with a report, if it does not end by itself.
#pragma once

#include "../machine.h"

#include <cstdint>
#include <span>

namespace gantry::simt::amdgcn {

/// Runs the dwords from their beginning, on registers with addresses and numbers in them, until the
/// wave ends or `most` instructions have run. Faults have a report.
void run_code(Machine& machine, std::span<const std::uint32_t> words, unsigned most);

} // namespace gantry::simt::amdgcn
