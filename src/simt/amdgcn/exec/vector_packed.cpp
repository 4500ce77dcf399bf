// What gfx90a has beside the others: two operations of 32 bits at once, and AccVGPRs.
#include "simt/amdgcn/exec/ieee.h"
#include "simt/amdgcn/exec/meanings.h"

#include <algorithm>

namespace gantry::simt::amdgcn {

GANTRY_LEVEL_BEGIN

namespace {

/// A source's dword in one lane, of its pair of registers, or of a constant that has but one.
u32 half_of(const Wave& wave, const Source& source, unsigned lane, bool upper) {
  const unsigned index = source.index + (upper ? 1 : 0);
  switch (source.kind) {
  case Source::Kind::kVector:
    return wave.v[index][lane];
  case Source::Kind::kScalar:
    return wave.s[index];
  default:
    return static_cast<u32>(source.constant);
  }
}

f32 clamped(f32 x) {
  return x > 0 ? std::min(x, 1.0F) : 0;
}

/// F of the sources' chosen halves, twice.
template <auto F>
Next run_pairs(Wave& wave, const Instruction& instruction) {
  constexpr unsigned kCount = Signature<F>::kCount;
  const PackedModifiers& packed = instruction.packed;
  f32 values[2][kLanes];
  for (unsigned part = 0; part < 2; ++part) {
    const u32 chosen = part == 0 ? packed.low : packed.high;
    const u32 negated = part == 0 ? packed.negate_low : packed.negate_high;
    f32 sources[kCount][kLanes];
    for (unsigned i = 0; i < kCount; ++i) {
      const u32 sign = ((negated >> i) & 1) << 31;
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        const u32 bits = half_of(wave, instruction.sources[i], lane, ((chosen >> i) & 1) != 0);
        sources[i][lane] = std::bit_cast<f32>(bits ^ sign);
      }
    }
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      f32 made;
      if constexpr (kCount == 3) {
        made = F(sources[0][lane], sources[1][lane], sources[2][lane]);
      } else {
        made = F(sources[0][lane], sources[1][lane]);
      }
      values[part][lane] = packed.clamp ? clamped(made) : made;
    }
  }
  set_lanes(wave, instruction.result, values[0], wave.exec());
  set_lanes(wave, instruction.result + 1, values[1], wave.exec());
  return Next::kOn;
}

/// The first source's chosen half, and the second one's.
Next move_pair(Wave& wave, const Instruction& instruction) {
  for_each_lane(wave.exec(), [&](unsigned lane) {
    const u32 chosen = instruction.packed.low;
    const u32 low = half_of(wave, instruction.sources[0], lane, (chosen & 1) != 0);
    const u32 high = half_of(wave, instruction.sources[1], lane, (chosen & 2) != 0);
    wave.v[instruction.result][lane] = low;
    wave.v[instruction.result + 1][lane] = high;
  });
  return Next::kOn;
}

constexpr Meaning pair_meaning(Meaning::Run run, unsigned sources,
                               Meaning::Packs packs = Meaning::Packs::kFloats) {
  Meaning meaning;
  meaning.run = run;
  meaning.kind = Meaning::Kind::kVector;
  meaning.result = Type::kB64;
  for (unsigned i = 0; i < sources; ++i) {
    meaning.sources[i] = Type::kB64;
  }
  meaning.packs = packs;
  meaning.exact = true;
  return meaning;
}
constexpr Meaning accumulator_meaning(bool reads, bool writes) {
  Meaning meaning = vector_meaning<[](u32 a) { return a; }>();
  meaning.reads_accumulator = reads;
  meaning.writes_accumulator = writes;
  meaning.exact = true;
  return meaning;
}

constexpr MeaningEntry kMeanings[] = {
    {"v_pk_fma_f32",
     pair_meaning(run_pairs<[](f32 a, f32 b, f32 c) { return fused(a, b, c); }>, 3)},
    {"v_pk_mul_f32", pair_meaning(run_pairs<[](f32 a, f32 b) { return product(a, b); }>, 2)},
    {"v_pk_add_f32", pair_meaning(run_pairs<[](f32 a, f32 b) { return sum(a, b); }>, 2)},
    {"v_pk_mov_b32", pair_meaning(move_pair, 2, Meaning::Packs::kMove)},
    {"v_accvgpr_read_b32", accumulator_meaning(true, false)},
    {"v_accvgpr_write_b32", accumulator_meaning(false, true)},
    {"v_accvgpr_mov_b32", accumulator_meaning(true, true)},
};

} // namespace

std::span<const MeaningEntry> vector_packed_meanings() {
  return kMeanings;
}

GANTRY_LEVEL_END

} // namespace gantry::simt::amdgcn
