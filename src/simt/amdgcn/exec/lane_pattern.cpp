// DPP: the first source of a lane is that of another one of its row of 16 lanes, or of the wave.
// The operand is permuted into a row of its own, and the instruction runs in the lanes that are
// written.
#include "simt/amdgcn/exec/meanings.h"

#include <optional>

namespace gantry::simt::amdgcn {

GANTRY_LEVEL_BEGIN

namespace {

constexpr unsigned kRow = 16; ///< lanes

/// Which lane's value the lane takes; nothing if there is no such lane.
std::optional<unsigned> source_lane(unsigned control, unsigned lane, unsigned lanes) {
  const unsigned row = lane / kRow * kRow;
  const unsigned within = lane % kRow;
  const unsigned count = control & 0xf;
  if (control < 0x100) { // quad_perm
    return (lane & ~3U) | ((control >> (2 * (lane & 3))) & 3);
  }
  const auto inside = [](bool is_there, unsigned from) {
    return is_there ? std::optional(from) : std::nullopt;
  };
  switch (control >> 4) {
  case 0x10: // row_shl
    return inside(within + count < kRow, lane + count);
  case 0x11: // row_shr
    return inside(within >= count, lane - count);
  case 0x12: // row_ror
    return row + (within + kRow - count) % kRow;
  case 0x15: // row_newbcast, row_share
    return row + count;
  case 0x16: // row_xmask
    return row + (within ^ count);
  default:
    break;
  }
  switch (control) {
  case 0x130: // wave_shl:1
    return inside(lane + 1 < lanes, lane + 1);
  case 0x134: // wave_rol:1
    return (lane + 1) % lanes;
  case 0x138: // wave_shr:1
    return inside(lane > 0, lane - 1);
  case 0x13c: // wave_ror:1
    return (lane + lanes - 1) % lanes;
  case 0x140: // row_mirror
    return row + kRow - 1 - within;
  case 0x141: // row_half_mirror
    return (lane & ~7U) + 7 - lane % 8;
  case 0x142: // row_bcast:15, of the row before
    return lane < kRow ? lane : row - 1;
  case 0x143: // row_bcast:31
    return lane < 2 * kRow ? lane : lane / (2 * kRow) * (2 * kRow) - 1;
  default:
    return std::nullopt;
  }
}

} // namespace

Next run_in_pattern(Wave& wave, const Instruction& instruction) {
  const LanePattern& lanes = instruction.lanes;
  const LaneMask active = wave.exec();
  LaneMask written = 0;
  u32* const row = wave.v[vector::kPermuted];
  for_each_lane(active, [&](unsigned lane) {
    const auto from = source_lane(lanes.control, lane, wave.grid->lanes);
    const bool is_there = from && (lanes.reads_inactive || ((active >> *from) & 1) != 0);
    const bool in_masks =
        ((lanes.rows >> (lane / kRow)) & 1) != 0 && ((lanes.banks >> (lane % kRow / 4)) & 1) != 0;
    row[lane] = is_there ? lane_source<u32>(wave, instruction.sources[0], *from) : 0;
    if (in_masks && (is_there || lanes.zero_outside)) {
      written |= LaneMask{1} << lane;
    }
  });
  Instruction plain = instruction;
  plain.sources[0] = {Source::Kind::kVector, vector::kPermuted};
  wave.set_mask(scalar::kExec, written);
  const Next next = instruction.modifiers.any() ? run_modified(wave, plain)
                                                : instruction.meaning->run(wave, plain);
  wave.set_mask(scalar::kExec, active);
  return next;
}

GANTRY_LEVEL_END

} // namespace gantry::simt::amdgcn
