// The tables of meanings, by subject.
#pragma once

#include "simt/amdgcn/exec/vector_meaning.h"

#include <span>

namespace gantry::simt::amdgcn {

// Those of single values are compiled once.
[[nodiscard]] std::span<const MeaningEntry> scalar_meanings();
[[nodiscard]] std::span<const MeaningEntry> flow_meanings();
[[nodiscard]] std::span<const MeaningEntry> scalar_memory_meanings();

GANTRY_LEVEL_BEGIN

[[nodiscard]] std::span<const MeaningEntry> vector_integer_meanings();
[[nodiscard]] std::span<const MeaningEntry> vector_float_meanings();
[[nodiscard]] std::span<const MeaningEntry> vector_compare_meanings();
[[nodiscard]] std::span<const MeaningEntry> vector_lane_meanings();
[[nodiscard]] std::span<const MeaningEntry> vector_packed_meanings();
[[nodiscard]] std::span<const MeaningEntry> vector_halves_meanings();
[[nodiscard]] std::span<const MeaningEntry> memory_meanings();
[[nodiscard]] std::span<const MeaningEntry> shared_meanings();

/// What runs an instruction with modifiers, or with parts of registers.
[[nodiscard]] Next run_modified(Wave& wave, const Instruction& instruction);

GANTRY_LEVEL_END

} // namespace gantry::simt::amdgcn
