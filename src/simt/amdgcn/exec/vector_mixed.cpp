// One operation on floats of which some are given as halves, and sums of products of small numbers.
#include "simt/amdgcn/exec/denormals.h"
#include "simt/amdgcn/exec/half.h"
#include "simt/amdgcn/exec/ieee.h"
#include "simt/amdgcn/exec/meanings.h"

#include <algorithm>

namespace gantry::simt::amdgcn {

GANTRY_LEVEL_BEGIN

namespace {

/// A float, or a half as a float, with its modifiers.
f32 mixed_source(const Wave& wave, const Instruction& instruction, unsigned number, unsigned lane) {
  const PackedModifiers& packed = instruction.packed;
  const auto bit = [&](u32 bits) { return ((bits >> number) & 1) != 0; };
  const u32 bits = lane_source<u32>(wave, instruction.sources[number], lane);
  f32 value = std::bit_cast<f32>(bits);
  if (bit(packed.high)) {
    value = half::wide(half::from(bit(packed.low) ? bits >> 16 : bits));
  }
  value = bit(packed.negate_high) ? std::abs(value) : value;
  return bit(packed.negate_low) ? -value : value;
}

enum class Place { kWhole, kLowHalf, kHighHalf };

template <auto F, Place kPlace>
Next run_mixed(Wave& wave, const Instruction& instruction) {
  u32* const row = wave.v[instruction.result];
  const bool clamps = instruction.packed.clamp;
  for_each_lane(wave.exec(), [&](unsigned lane) {
    const auto source = [&](unsigned number) {
      return mixed_source(wave, instruction, number, lane);
    };
    const f32 made = F(source(0), source(1), source(2));
    if constexpr (kPlace == Place::kWhole) {
      const f32 value = clamps ? (made > 0 ? std::min(made, 1.0F) : 0) : made;
      row[lane] = std::bit_cast<u32>(value);
    } else {
      const f16 rounded = half::rounded(made);
      const u32 bits = bits_of(clamps ? half::clamped(rounded) : rounded);
      row[lane] = kPlace == Place::kLowHalf ? (row[lane] & 0xffff0000) | bits
                                            : (row[lane] & 0xffff) | bits << 16;
    }
  });
  return Next::kOn;
}

constexpr Meaning mixed_meaning(Meaning::Run run) {
  Meaning meaning;
  meaning.run = run;
  meaning.kind = Meaning::Kind::kVector;
  meaning.result = Type::kB32;
  std::ranges::fill(meaning.sources, Type::kB32);
  meaning.packs = Meaning::Packs::kMixed;
  meaning.exact = true;
  return meaning;
}

template <unsigned kBits, bool kSigned>
i64 element(u32 x, unsigned number) {
  const u32 moved = x << (32 - kBits * (number + 1));
  return kSigned ? i64{static_cast<i32>(moved) >> (32 - kBits)} : i64{moved >> (32 - kBits)};
}
/// The sum of the products of the elements of a and b, and c; with a clamp, at the bounds.
template <unsigned kBits, bool kSigned, bool kClamp>
u32 dot(u32 a, u32 b, u32 c) {
  i64 sum = kSigned ? i64{static_cast<i32>(c)} : i64{c};
  for (unsigned i = 0; i < 32 / kBits; ++i) {
    sum += element<kBits, kSigned>(a, i) * element<kBits, kSigned>(b, i);
  }
  if constexpr (kClamp && kSigned) {
    using Limits = std::numeric_limits<i32>;
    sum = std::clamp<i64>(sum, Limits::min(), Limits::max());
  } else if constexpr (kClamp) {
    sum = std::clamp<i64>(sum, 0, std::numeric_limits<u32>::max());
  }
  return static_cast<u32>(sum);
}
/// Likewise, of which gfx11's modifiers say whether a's elements, and b's, are signed.
template <unsigned kBits>
u32 dot_of_either(u32 a, u32 b, u32 c, const PackedModifiers& packed) {
  const auto element_of = [&](u32 x, unsigned number, unsigned source) {
    return ((packed.negate_low >> source) & 1) != 0 ? element<kBits, true>(x, number)
                                                    : element<kBits, false>(x, number);
  };
  i64 sum = static_cast<i32>(c);
  for (unsigned i = 0; i < 32 / kBits; ++i) {
    sum += element_of(a, i, 0) * element_of(b, i, 1);
  }
  using Limits = std::numeric_limits<i32>;
  return static_cast<u32>(packed.clamp ? std::clamp<i64>(sum, Limits::min(), Limits::max()) : sum);
}
/// Of halves, whose products are exact.
f32 dot_of_halves(u32 a, u32 b, f32 c) {
  const f32 low = product(half::wide(half::from(a)), half::wide(half::from(b)));
  const f32 high = product(half::wide(half::from(a >> 16)), half::wide(half::from(b >> 16)));
  return sum(sum(c, low), high);
}

template <unsigned kBits, bool kSigned, bool kClamp>
Next run_dot(Wave& wave, const Instruction& instruction) {
  u32 values[kLanes];
  for_each_lane(wave.exec(), [&](unsigned lane) {
    const auto source = [&](unsigned number) {
      return lane_source<u32>(wave, instruction.sources[number], lane);
    };
    values[lane] = dot<kBits, kSigned, kClamp>(source(0), source(1), source(2));
  });
  set_lanes(wave, instruction.result, values, wave.exec());
  return Next::kOn;
}
template <unsigned kBits, bool kSigned>
constexpr Meaning dot_meaning() {
  Meaning meaning = mixed_meaning(run_dot<kBits, kSigned, false>);
  meaning.clamped = run_dot<kBits, kSigned, true>;
  meaning.packs = Meaning::Packs::kDot;
  return meaning;
}
template <unsigned kBits>
Next run_dot_of_either(Wave& wave, const Instruction& instruction) {
  u32 values[kLanes];
  for_each_lane(wave.exec(), [&](unsigned lane) {
    const auto source = [&](unsigned number) {
      return lane_source<u32>(wave, instruction.sources[number], lane);
    };
    values[lane] = dot_of_either<kBits>(source(0), source(1), source(2), instruction.packed);
  });
  set_lanes(wave, instruction.result, values, wave.exec());
  return Next::kOn;
}
template <unsigned kBits>
constexpr Meaning dot_of_either_meaning() {
  Meaning meaning = mixed_meaning(run_dot_of_either<kBits>);
  meaning.packs = Meaning::Packs::kDot;
  return meaning;
}
template <unsigned kBits>
constexpr Meaning accumulated_dot_meaning() {
  Meaning meaning =
      accumulate_meaning<[](u32 a, u32 b, u32 c) { return dot<kBits, true, false>(a, b, c); }>();
  meaning.exact = true;
  return meaning;
}
Next run_dot_of_halves(Wave& wave, const Instruction& instruction) {
  const PackedModifiers& packed = instruction.packed;
  const auto sign_of = [&](unsigned number) { // of the halves that are negated
    return ((packed.negate_low >> number) & 1U) << 15 | ((packed.negate_high >> number) & 1U) << 31;
  };
  f32 values[kLanes];
  for_each_lane(wave.exec(), [&](unsigned lane) {
    const u32 a = lane_source<u32>(wave, instruction.sources[0], lane) ^ sign_of(0);
    const u32 b = lane_source<u32>(wave, instruction.sources[1], lane) ^ sign_of(1);
    const u32 c = lane_source<u32>(wave, instruction.sources[2], lane) ^ (sign_of(2) << 16);
    const f32 made = dot_of_halves(a, b, std::bit_cast<f32>(c));
    values[lane] = packed.clamp ? (made > 0 ? std::min(made, 1.0F) : 0) : made;
  });
  set_lanes(wave, instruction.result, values, wave.exec());
  return Next::kOn;
}
constexpr Meaning dot_of_halves_meaning() {
  Meaning meaning = mixed_meaning(run_dot_of_halves);
  meaning.packs = Meaning::Packs::kDot;
  return meaning;
}

constexpr MeaningEntry kMeanings[] = {
    {"v_fma_mix_f32", mixed_meaning(run_mixed<fused<f32>, Place::kWhole>)},
    {"v_fma_mixlo_f16", mixed_meaning(run_mixed<fused<f32>, Place::kLowHalf>)},
    {"v_fma_mixhi_f16", mixed_meaning(run_mixed<fused<f32>, Place::kHighHalf>)},
    {"v_mad_mix_f32", mixed_meaning(run_mixed<multiplied_added, Place::kWhole>)},
    {"v_mad_mixlo_f16", mixed_meaning(run_mixed<multiplied_added, Place::kLowHalf>)},
    {"v_mad_mixhi_f16", mixed_meaning(run_mixed<multiplied_added, Place::kHighHalf>)},

    {"v_dot2_f32_f16", dot_of_halves_meaning()},
    {"v_dot2_i32_i16", dot_meaning<16, true>()},
    {"v_dot2_u32_u16", dot_meaning<16, false>()},
    {"v_dot4_i32_i8", dot_meaning<8, true>()},
    {"v_dot4_u32_u8", dot_meaning<8, false>()},
    {"v_dot8_i32_i4", dot_meaning<4, true>()},
    {"v_dot8_u32_u4", dot_meaning<4, false>()},
    {"v_dot4_i32_iu8", dot_of_either_meaning<8>()},
    {"v_dot8_i32_iu4", dot_of_either_meaning<4>()},
    {"v_dot2c_f32_f16",
     accumulate_meaning<[](u32 a, u32 b, f32 c) { return dot_of_halves(a, b, c); }>()},
    {"v_dot2c_i32_i16", accumulated_dot_meaning<16>()},
    {"v_dot4c_i32_i8", accumulated_dot_meaning<8>()},
    {"v_dot8c_i32_i4", accumulated_dot_meaning<4>()},
};

} // namespace

std::span<const MeaningEntry> vector_mixed_meanings() {
  return kMeanings;
}

GANTRY_LEVEL_END

} // namespace gantry::simt::amdgcn
