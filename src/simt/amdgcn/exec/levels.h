// The levels of the host's instruction set that meanings are compiled for (level.h), and which one
// is used: the greatest that the processor has.
#pragma once

#include "simt/amdgcn/code/instruction.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace gantry::simt::amdgcn {

enum class Level : std::uint8_t { kBaseline, kAvx2 };

/// Those that the processor has, the least one first.
[[nodiscard]] std::span<const Level> available_levels();
[[nodiscard]] std::string_view name_of(Level level);

/// What a level has: its tables of meanings, and what runs an instruction with modifiers, or with
/// DPP.
struct LevelMeanings {
  std::span<const std::span<const MeaningEntry>> tables;
  Meaning::Run run_modified = nullptr;
  Meaning::Run run_in_pattern = nullptr;
};
[[nodiscard]] const LevelMeanings& meanings_of(Level level);

/// The level whose meanings are compiled (lower/).
#if defined(__x86_64__)
inline constexpr Level kCompiledLevel = Level::kAvx2;
#else
inline constexpr Level kCompiledLevel = Level::kBaseline;
#endif

/// The level of instructions that are read from now on. Any thread.
[[nodiscard]] Level chosen_level();
/// For tests. The processor has the level.
void choose_level(Level level);

} // namespace gantry::simt::amdgcn
