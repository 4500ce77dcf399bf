// The tables of meanings, by subject.
#pragma once

#include "simt/amdgcn/exec/vector_meaning.h"

#include <span>

namespace gantry::simt::amdgcn {

// Those of single values are compiled once.
[[nodiscard]] std::span<const MeaningEntry> scalar_meanings();
[[nodiscard]] std::span<const MeaningEntry> flow_meanings();
[[nodiscard]] std::span<const MeaningEntry> scalar_memory_meanings();
[[nodiscard]] std::span<const MeaningEntry> indexed_meanings();
[[nodiscard]] std::span<const MeaningEntry> mode_meanings();

/// Runs what would run an instruction, `run`, in a mode that is not plain.
[[nodiscard]] Next run_in_mode(Wave& wave, const Instruction& instruction, Meaning::Run run);

/// The name that a meaning of find_meaning() has in its table.
[[nodiscard]] std::string_view mnemonic_of(const Meaning& meaning);

/// Of the clock that instructions read: ticks of kClockFrequency, which the agent states.
[[nodiscard]] u64 clock_ticks();

/// What runs an instruction of two operations at once.
[[nodiscard]] Next run_both(Wave& wave, const Instruction& instruction);

GANTRY_LEVEL_BEGIN

[[nodiscard]] std::span<const MeaningEntry> vector_integer_meanings();
[[nodiscard]] std::span<const MeaningEntry> vector_float_meanings();
[[nodiscard]] std::span<const MeaningEntry> vector_compare_meanings();
[[nodiscard]] std::span<const MeaningEntry> vector_lane_meanings();
[[nodiscard]] std::span<const MeaningEntry> vector_packed_meanings();
[[nodiscard]] std::span<const MeaningEntry> vector_half_meanings();
[[nodiscard]] std::span<const MeaningEntry> vector_halves_meanings();
[[nodiscard]] std::span<const MeaningEntry> vector_mixed_meanings();
[[nodiscard]] std::span<const MeaningEntry> matrix_meanings();
[[nodiscard]] std::span<const MeaningEntry> memory_meanings();
[[nodiscard]] std::span<const MeaningEntry> shared_meanings();

/// What runs an instruction with modifiers, or with parts of registers.
[[nodiscard]] Next run_modified(Wave& wave, const Instruction& instruction);
/// What runs an instruction with DPP.
[[nodiscard]] Next run_in_pattern(Wave& wave, const Instruction& instruction);

GANTRY_LEVEL_END

} // namespace gantry::simt::amdgcn
