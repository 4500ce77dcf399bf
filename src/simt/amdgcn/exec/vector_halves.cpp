// Two operations of 16 bits at once, on the halves of registers.
#include "simt/amdgcn/exec/meanings.h"

#include <algorithm>

namespace gantry::simt::amdgcn {

GANTRY_LEVEL_BEGIN

namespace {

/// F of the sources' chosen halves, twice.
template <auto F>
Next run_halves(Wave& wave, const Instruction& instruction) {
  constexpr unsigned kCount = Signature<F>::kCount;
  const PackedModifiers& packed = instruction.packed;
  u32 values[kLanes];
  for_each_lane(wave.exec(), [&](unsigned lane) {
    u32 made = 0;
    for (unsigned part = 0; part < 2; ++part) {
      const u32 chosen = part == 0 ? packed.low : packed.high;
      const auto source = [&](unsigned i) {
        const u32 both = lane_source<u32>(wave, instruction.sources[i], lane);
        return static_cast<u16>(((chosen >> i) & 1) != 0 ? both >> 16 : both);
      };
      u16 half = 0;
      if constexpr (kCount == 3) {
        half = F(source(0), source(1), source(2));
      } else {
        half = F(source(0), source(1));
      }
      made |= u32{half} << (16 * part);
    }
    values[lane] = made;
  });
  set_lanes(wave, instruction.result, values, wave.exec());
  return Next::kOn;
}

template <auto F>
constexpr Meaning halves_meaning() {
  Meaning meaning;
  meaning.run = run_halves<F>;
  meaning.kind = Meaning::Kind::kVector;
  meaning.result = Type::kB32;
  for (unsigned i = 0; i < Signature<F>::kCount; ++i) {
    meaning.sources[i] = Type::kB32;
  }
  meaning.is_packed = true;
  meaning.exact = true;
  return meaning;
}

constexpr u16 h(u32 x) {
  return static_cast<u16>(x);
}
constexpr i16 s(u16 x) {
  return static_cast<i16>(x);
}

constexpr MeaningEntry kMeanings[] = {
    {"v_pk_add_u16", halves_meaning<[](u16 a, u16 b) { return h(u32{a} + b); }>()},
    {"v_pk_add_i16", halves_meaning<[](u16 a, u16 b) { return h(u32{a} + b); }>()},
    {"v_pk_sub_u16", halves_meaning<[](u16 a, u16 b) { return h(u32{a} - b); }>()},
    {"v_pk_sub_i16", halves_meaning<[](u16 a, u16 b) { return h(u32{a} - b); }>()},
    {"v_pk_mul_lo_u16", halves_meaning<[](u16 a, u16 b) { return h(u32{a} * b); }>()},
    {"v_pk_mad_u16", halves_meaning<[](u16 a, u16 b, u16 c) { return h(u32{a} * b + c); }>()},
    {"v_pk_mad_i16", halves_meaning<[](u16 a, u16 b, u16 c) { return h(u32{a} * b + c); }>()},
    {"v_pk_lshlrev_b16", halves_meaning<[](u16 a, u16 b) { return h(u32{b} << (a & 15)); }>()},
    {"v_pk_lshrrev_b16", halves_meaning<[](u16 a, u16 b) { return h(u32{b} >> (a & 15)); }>()},
    {"v_pk_ashrrev_i16",
     halves_meaning<[](u16 a, u16 b) { return static_cast<u16>(s(b) >> (a & 15)); }>()},
    {"v_pk_min_u16", halves_meaning<[](u16 a, u16 b) { return std::min(a, b); }>()},
    {"v_pk_max_u16", halves_meaning<[](u16 a, u16 b) { return std::max(a, b); }>()},
    {"v_pk_min_i16", halves_meaning<[](u16 a, u16 b) { return s(a) < s(b) ? a : b; }>()},
    {"v_pk_max_i16", halves_meaning<[](u16 a, u16 b) { return s(a) > s(b) ? a : b; }>()},
};

} // namespace

std::span<const MeaningEntry> vector_halves_meanings() {
  return kMeanings;
}

GANTRY_LEVEL_END

} // namespace gantry::simt::amdgcn
