// A wave and its work-group while they run. A wave is explicit state: it can be left behind any
// instruction and taken up again.
#pragma once

#include "simt/amdgcn/code/instruction.h"
#include "simt/amdgcn/exec/access_steps.h"
#include "simt/amdgcn/exec/accessible_ranges.h"
#include "simt/amdgcn/exec/executor.h"
#include "simt/amdgcn/exec/mode.h"
#include "simt/memory/device_memory.h"

#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>

namespace gantry::simt::amdgcn {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using i16 = std::int16_t;
using u32 = std::uint32_t;
using i32 = std::int32_t;
using u64 = std::uint64_t;
using i64 = std::int64_t;
using f16 = _Float16;
using f32 = float;
using f64 = double;

class GroupChecks;

inline constexpr unsigned kLanes = 64;

/// A bit for each lane of a wave.
using LaneMask = std::uint64_t;

/// What all work-groups of a dispatch share.
struct Grid {
  const Processor* processor = nullptr;
  unsigned lanes = kLanes; ///< of a wave: all, or the lower half of them
  std::int32_t device = 0;
  std::string_view kernel; ///< its name
  bool checks_memory = true;
  bool is_compiled = false; ///< what is run often
};

/// What one host thread has while it runs work-groups: LDS, private memory, and what it knows of
/// device memory.
struct Place {
  std::byte* shared = nullptr;
  std::uint32_t shared_size = 0; ///< of the work-group
  /// Private memory of all of its waves, which GCC's code shares by addresses.
  DeviceMemory::Range private_memory = {};
  DeviceMemory* memory = nullptr;
  AccessibleRanges known;
  AccessSteps steps;
  GroupChecks* checks = nullptr; ///< of races and uninitialised memory; null if not asked for
};

struct alignas(64) Wave {
  alignas(64) std::uint32_t v[vector::kCount][kLanes];
  alignas(64) std::uint32_t s[scalar::kCount];

  const Instruction* pc = nullptr;
  LoadedCode::State* code = nullptr;
  Place* place = nullptr;
  const Grid* grid = nullptr;
  LaneMask lanes = 0; ///< those that have a work-item
  /// Those of the grid's waves. No other one is ever active, and masks have no bits of them.
  LaneMask all = ~LaneMask{0};
  std::uint32_t mode = mode::kDefault;
  /// The wave's private memory, and how many bytes of it a lane has.
  std::uint64_t scratch = 0;
  std::uint32_t private_size = 0;
  /// After so many branches the work-group's other waves get their turn.
  std::int32_t branches_left = 0;
  std::uint32_t number = 0;         ///< in the work-group
  std::uint32_t group[3] = {};      ///< the work-group's number
  std::uint32_t group_size[3] = {}; ///< in work-items
  std::optional<Fault> fault;

  [[nodiscard]] std::uint64_t pair(unsigned first) const {
    return s[first] | std::uint64_t{s[first + 1]} << 32;
  }
  void set_pair(unsigned first, std::uint64_t value) {
    s[first] = static_cast<std::uint32_t>(value);
    s[first + 1] = static_cast<std::uint32_t>(value >> 32);
  }
  /// A mask of lanes: a pair of SGPRs, or one where waves have 32 lanes.
  [[nodiscard]] LaneMask mask(unsigned first) const { return pair(first) & all; }
  void set_mask(unsigned first, LaneMask value) {
    s[first] = static_cast<std::uint32_t>(value);
    if (all >> 32 != 0) {
      s[first + 1] = static_cast<std::uint32_t>(value >> 32);
    }
  }
  [[nodiscard]] LaneMask exec() const { return mask(scalar::kExec); }
};

} // namespace gantry::simt::amdgcn
