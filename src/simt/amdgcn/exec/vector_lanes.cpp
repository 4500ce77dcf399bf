// Vector operations that know lanes: which one it is, and values of others.
#include "simt/amdgcn/exec/meanings.h"

namespace gantry::simt::amdgcn {

GANTRY_LEVEL_BEGIN

namespace {

constexpr u32 ones_below(unsigned count) {
  return count >= 32 ? ~0U : (1U << count) - 1;
}

/// The number of ones of the first source that belong to lanes below this one, and the second.
template <unsigned kFirst>
Next count_below(Wave& wave, const Instruction& instruction) {
  u32 values[kLanes];
  with_source<u32>(wave, instruction.sources[0], [&](auto mask) {
    with_source<u32>(wave, instruction.sources[1], [&](auto sum) {
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        const u32 below = lane <= kFirst ? 0 : ones_below(lane - kFirst);
        values[lane] = static_cast<u32>(std::popcount(mask[lane] & below)) + sum[lane];
      }
    });
  });
  set_lanes(wave, instruction.result, values, wave.exec());
  return Next::kOn;
}

Next read_first_lane(Wave& wave, const Instruction& instruction) {
  const LaneMask active = wave.exec();
  const auto lane = active == 0 ? 0U : static_cast<unsigned>(std::countr_zero(active));
  wave.s[instruction.result] = lane_source<u32>(wave, instruction.sources[0], lane);
  return Next::kOn;
}

unsigned chosen_lane(const Wave& wave, const Instruction& instruction) {
  return scalar_source<u32>(wave, instruction.sources[1]) % wave.grid->lanes;
}

Next read_lane(Wave& wave, const Instruction& instruction) {
  const unsigned lane = chosen_lane(wave, instruction);
  wave.s[instruction.result] = lane_source<u32>(wave, instruction.sources[0], lane);
  return Next::kOn;
}

Next write_lane(Wave& wave, const Instruction& instruction) {
  const unsigned lane = chosen_lane(wave, instruction);
  wave.v[instruction.result][lane] = scalar_source<u32>(wave, instruction.sources[0]);
  return Next::kOn;
}

Next do_nothing(Wave& /*wave*/, const Instruction& /*instruction*/) {
  return Next::kOn;
}

constexpr Meaning exact(Meaning::Run run, Meaning::Kind kind, Type first, Type second,
                        unsigned scalars = 0) {
  Meaning meaning;
  meaning.run = run;
  meaning.kind = kind;
  meaning.result = first == Type::kNone ? Type::kNone : Type::kB32;
  meaning.sources[0] = first;
  meaning.sources[1] = second;
  meaning.scalars = static_cast<u8>(scalars);
  meaning.exact = true;
  return meaning;
}

using enum Meaning::Kind;
using enum Type;
constexpr MeaningEntry kMeanings[] = {
    {"v_mbcnt_lo_u32_b32", exact(count_below<0>, kVector, kB32, kB32)},
    {"v_mbcnt_hi_u32_b32", exact(count_below<32>, kVector, kB32, kB32)},
    {"v_readfirstlane_b32", exact(read_first_lane, kVectorToScalar, kB32, kNone)},
    {"v_readlane_b32", exact(read_lane, kVectorToScalar, kB32, kB32, 0b10)},
    {"v_writelane_b32", exact(write_lane, kVector, kB32, kB32, 0b11)},
    {"v_nop", exact(do_nothing, kVector, kNone, kNone)},
};

} // namespace

std::span<const MeaningEntry> vector_lane_meanings() {
  return kMeanings;
}

GANTRY_LEVEL_END

} // namespace gantry::simt::amdgcn
