// Two operations of 16 bits at once, on the halves of registers.
#include "simt/amdgcn/exec/half.h"
#include "simt/amdgcn/exec/meanings.h"

#include <algorithm>

namespace gantry::simt::amdgcn {

GANTRY_LEVEL_BEGIN

namespace {

/// The bits of a half, of integers or IEEE 754's.
template <typename T>
u16 half_bits(T x) {
  return std::bit_cast<u16>(x);
}

/// F of the sources' chosen halves, twice.
template <auto F>
Next run_halves(Wave& wave, const Instruction& instruction) {
  using Result = Signature<F>::Result;
  constexpr bool kFloats = std::is_same_v<Result, f16>;
  const PackedModifiers& packed = instruction.packed;
  constexpr unsigned kCount = Signature<F>::kCount;
  u32 sources[kCount][kLanes];
  for (unsigned i = 0; i < kCount; ++i) {
    with_source<u32>(wave, instruction.sources[i], [&](auto source) {
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        sources[i][lane] = source[lane];
      }
    });
  }
  u32 values[kLanes] = {};
  for (unsigned part = 0; part < 2; ++part) {
    const u32 chosen = part == 0 ? packed.low : packed.high;
    const u32 negated = !kFloats ? 0 : part == 0 ? packed.negate_low : packed.negate_high;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      const auto source = [&]<unsigned N>() {
        using P = detail::Parameter<F, N>;
        const u32 sign = ((negated >> N) & 1) != 0 ? half::kSign : 0;
        return std::bit_cast<P>(
            static_cast<u16>((sources[N][lane] >> ((chosen >> N & 1) * 16)) ^ sign));
      };
      const auto call = [&]<unsigned... N>(std::integer_sequence<unsigned, N...>) {
        return F(source.template operator()<N>()...);
      };
      Result one = call(std::make_integer_sequence<unsigned, kCount>());
      if constexpr (kFloats) {
        one = packed.clamp ? half::clamped(one) : one;
      }
      values[lane] |= u32{half_bits(one)} << (16 * part);
    }
  }
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
  meaning.packs = std::is_same_v<typename Signature<F>::Result, f16> ? Meaning::Packs::kHalves
                                                                     : Meaning::Packs::kShorts;
  meaning.exact = true;
  return meaning;
}
/// Of integers, with a clamp G of them.
template <auto F, auto G>
constexpr Meaning clamped_halves_meaning() {
  Meaning meaning = halves_meaning<F>();
  meaning.clamped = run_halves<G>;
  return meaning;
}

constexpr u16 h(u32 x) {
  return static_cast<u16>(x);
}
constexpr i16 hs(i32 x) {
  return static_cast<i16>(x);
}
template <typename T>
constexpr T at_bounds(i64 x) {
  return static_cast<T>(
      std::clamp(x, i64{std::numeric_limits<T>::min()}, i64{std::numeric_limits<T>::max()}));
}

// Of integers, which stay within their bounds with a clamp.
#define UNSIGNED(name, ...)                                                                        \
  {name, clamped_halves_meaning<[](u16 a, u16 b) { return h(static_cast<u32>(__VA_ARGS__)); },     \
                                [](u16 a, u16 b) { return at_bounds<u16>(__VA_ARGS__); }>()}
#define SIGNED(name, ...)                                                                          \
  {name, clamped_halves_meaning<[](i16 a, i16 b) { return hs(__VA_ARGS__); },                      \
                                [](i16 a, i16 b) { return at_bounds<i16>(__VA_ARGS__); }>()}
#define FLOATS(name, ...) {name, halves_meaning<[](f16 a, f16 b) { return __VA_ARGS__; }>()}

constexpr MeaningEntry kMeanings[] = {
    UNSIGNED("v_pk_add_u16", i64{a} + b),
    UNSIGNED("v_pk_sub_u16", i64{a} - b),
    SIGNED("v_pk_add_i16", a + b),
    SIGNED("v_pk_sub_i16", a - b),
    {"v_pk_mul_lo_u16", halves_meaning<[](u16 a, u16 b) { return h(u32{a} * b); }>()},
    {"v_pk_mad_u16",
     clamped_halves_meaning<[](u16 a, u16 b, u16 c) { return h(u32{a} * b + c); },
                            [](u16 a, u16 b, u16 c) { return at_bounds<u16>(i64{a} * b + c); }>()},
    {"v_pk_mad_i16",
     clamped_halves_meaning<[](u16 a, u16 b, u16 c) { return h(u32{a} * b + c); },
                            [](i16 a, i16 b, i16 c) { return at_bounds<i16>(i64{a} * b + c); }>()},
    {"v_pk_lshlrev_b16", halves_meaning<[](u16 a, u16 b) { return h(u32{b} << (a & 15)); }>()},
    {"v_pk_lshrrev_b16", halves_meaning<[](u16 a, u16 b) { return h(u32{b} >> (a & 15)); }>()},
    {"v_pk_ashrrev_i16", halves_meaning<[](u16 a, i16 b) { return hs(b >> (a & 15)); }>()},
    {"v_pk_min_u16", halves_meaning<[](u16 a, u16 b) { return std::min(a, b); }>()},
    {"v_pk_max_u16", halves_meaning<[](u16 a, u16 b) { return std::max(a, b); }>()},
    {"v_pk_min_i16", halves_meaning<[](i16 a, i16 b) { return std::min(a, b); }>()},
    {"v_pk_max_i16", halves_meaning<[](i16 a, i16 b) { return std::max(a, b); }>()},
    FLOATS("v_pk_add_f16", half::sum(a, b)),
    FLOATS("v_pk_mul_f16", half::product(a, b)),
    FLOATS("v_pk_min_f16", minimum(a, b)),
    FLOATS("v_pk_max_f16", maximum(a, b)),
    {"v_pk_fma_f16", halves_meaning<[](f16 a, f16 b, f16 c) { return half::fused(a, b, c); }>()},
};
#undef FLOATS
#undef SIGNED
#undef UNSIGNED

} // namespace

std::span<const MeaningEntry> vector_halves_meanings() {
  return kMeanings;
}

GANTRY_LEVEL_END

} // namespace gantry::simt::amdgcn
