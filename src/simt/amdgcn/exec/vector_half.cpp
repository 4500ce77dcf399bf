// Operations on one half in a register: IEEE 754's, and the integers of 16 bits that came with
// gfx9's choice of halves.
#include "simt/amdgcn/exec/half.h"
#include "simt/amdgcn/exec/meanings.h"
#include "simt/amdgcn/exec/turns.h"

#include <algorithm>

namespace gantry::simt::amdgcn {

GANTRY_LEVEL_BEGIN

namespace {

using half::rounded;
using half::wide;

constexpr u16 h(u32 x) {
  return static_cast<u16>(x);
}
constexpr i16 s(u16 x) {
  return static_cast<i16>(x);
}
template <typename T>
constexpr u16 at_bounds(i64 x) {
  constexpr i64 kLeast = std::numeric_limits<T>::min();
  constexpr i64 kMost = std::numeric_limits<T>::max();
  return static_cast<u16>(std::clamp(x, kLeast, kMost));
}

/// Truncated, and the nearest that the type has; 0 for what is no number.
template <typename Integer>
u16 converted(f16 x) {
  return is_nan(x) ? 0 : at_bounds<Integer>(static_cast<i64>(std::clamp(wide(x), -1e6F, 1e6F)));
}
/// To the integers of a fraction of 1, to nearest.
template <typename Integer>
u16 normalised(f32 x) {
  constexpr f64 kMost = std::numeric_limits<Integer>::max();
  constexpr f64 kLeast = std::numeric_limits<Integer>::min() < 0 ? -kMost : 0;
  const f64 product = std::isnan(x) ? 0 : f64{x} * kMost;
  return at_bounds<Integer>(static_cast<i64>(std::nearbyint(std::clamp(product, kLeast, kMost))));
}
u32 pair_of(u16 low, u16 high) {
  return low | u32{high} << 16;
}

f16 fraction(f16 x) {
  constexpr f16 kBelowOne = std::bit_cast<f16>(u16{0x3bff});
  const f32 value = wide(x);
  const f16 made = rounded(value - std::floor(value));
  return is_nan(made) ? made : minimum(made, kBelowOne);
}
u16 frexp_exponent(f16 x) {
  int made = 0;
  if (!is_nan(x) && !is_infinite(x)) {
    (void)std::frexp(wide(x), &made);
  }
  return h(static_cast<u32>(made));
}
f16 frexp_mantissa(f16 x) {
  int ignored = 0;
  if (is_nan(x)) {
    return quiet(x);
  }
  return is_infinite(x) ? x : rounded(std::frexp(wide(x), &ignored));
}
f16 fixed_up(f16 quotient, f16 denominator, f16 numerator) {
  const bool negative = is_negative(denominator) != is_negative(numerator);
  if (is_nan(numerator) || is_nan(denominator)) {
    return quiet(is_nan(numerator) ? numerator : denominator);
  }
  if ((numerator == 0 && denominator == 0) ||
      (is_infinite(numerator) && is_infinite(denominator))) {
    return with_sign(half::kNan, true);
  }
  if (denominator == 0 || is_infinite(numerator)) {
    return with_sign(half::kInfinity, negative);
  }
  if (is_infinite(denominator) || numerator == 0) {
    return with_sign(f16{0}, negative);
  }
  return with_sign(quotient, negative);
}

/// Towards zero: never beyond the largest number.
u16 cut_off(f32 x) {
  const f16 nearest = rounded(x);
  if (is_nan(nearest) || std::isinf(x)) {
    return bits_of(nearest);
  }
  const bool is_beyond = std::abs(wide(nearest)) > std::abs(x);
  return h(bits_of(nearest) - u32{is_beyond});
}

template <auto F>
constexpr Meaning keeping_meaning() {
  Meaning meaning = vector_meaning<F>();
  meaning.keeps_half = true;
  return meaning;
}
template <auto F, auto G>
constexpr Meaning keeping_clamped_meaning() {
  Meaning meaning = clamped_meaning<F, G>();
  meaning.keeps_half = true;
  return meaning;
}
constexpr Meaning keeping(Meaning meaning) {
  meaning.keeps_half = true;
  return meaning;
}

#define OF_ONE(name, ...) {name, vector_meaning<[](f16 a) { return rounded(__VA_ARGS__); }>()}
#define OF_TWO(name, ...) {name, vector_meaning<[](f16 a, f16 b) { return __VA_ARGS__; }>()}
// Each comparison also has a form that writes EXEC as well, "v_cmpx_…".
#define COMPARISON(name, ...)                                                                      \
  {"v_cmp_" name "_f16", compare_meaning<[](f16 x, f16 y) {                                        \
     const f32 a = wide(x);                                                                        \
     const f32 b = wide(y);                                                                        \
     return __VA_ARGS__;                                                                           \
   }>()},                                                                                          \
  {                                                                                                \
    "v_cmpx_" name "_f16", compare_meaning<[](f16 x, f16 y) {                                      \
      const f32 a = wide(x);                                                                       \
      const f32 b = wide(y);                                                                       \
      return __VA_ARGS__;                                                                          \
    },                                                                                             \
                                           true>()                                                 \
  }

constexpr MeaningEntry kMeanings[] = {
    OF_TWO("v_add_f16", half::sum(a, b)),
    OF_TWO("v_sub_f16", rounded(wide(a) - wide(b))),
    OF_TWO("v_subrev_f16", rounded(wide(b) - wide(a))),
    OF_TWO("v_mul_f16", half::product(a, b)),
    OF_TWO("v_min_f16", minimum(a, b)),
    OF_TWO("v_max_f16", maximum(a, b)),
    {"v_fma_f16", keeping_meaning<[](f16 a, f16 b, f16 c) { return half::fused(a, b, c); }>()},
    {"v_fma_legacy_f16",
     vector_meaning<[](f16 a, f16 b, f16 c) { return half::fused(a, b, c); }>()},
    {"v_mad_f16",
     keeping_meaning<[](f16 a, f16 b, f16 c) { return half::multiplied_added(a, b, c); }>()},
    {"v_mad_legacy_f16",
     vector_meaning<[](f16 a, f16 b, f16 c) { return half::multiplied_added(a, b, c); }>()},
    {"v_mac_f16", keeping(accumulate_meaning<[](f16 a, f16 b, f16 c) {
       return half::multiplied_added(a, b, c);
     }>())},
    {"v_madmk_f16",
     keeping(
         literal_meaning<[](f16 a, f16 b, f16 k) { return half::multiplied_added(a, k, b); }>())},
    {"v_madak_f16",
     keeping(
         literal_meaning<[](f16 a, f16 b, f16 k) { return half::multiplied_added(a, b, k); }>())},
    {"v_fmac_f16",
     keeping(accumulate_meaning<[](f16 a, f16 b, f16 c) { return half::fused(a, b, c); }>())},
    {"v_fmamk_f16",
     keeping(literal_meaning<[](f16 a, f16 b, f16 k) { return half::fused(a, k, b); }>())},
    {"v_fmaak_f16",
     keeping(literal_meaning<[](f16 a, f16 b, f16 k) { return half::fused(a, b, k); }>())},
    {"v_maxmin_f16",
     keeping_meaning<[](f16 a, f16 b, f16 c) { return minimum(maximum(a, b), c); }>()},
    {"v_minmax_f16",
     keeping_meaning<[](f16 a, f16 b, f16 c) { return maximum(minimum(a, b), c); }>()},
    {"v_min3_f16",
     keeping_meaning<[](f16 a, f16 b, f16 c) { return minimum(minimum(a, b), c); }>()},
    {"v_max3_f16",
     keeping_meaning<[](f16 a, f16 b, f16 c) { return maximum(maximum(a, b), c); }>()},
    {"v_med3_f16", keeping_meaning<[](f16 a, f16 b, f16 c) { return middle(a, b, c); }>()},
    {"v_div_fixup_f16", keeping_meaning<[](f16 a, f16 b, f16 c) { return fixed_up(a, b, c); }>()},
    {"v_div_fixup_legacy_f16",
     vector_meaning<[](f16 a, f16 b, f16 c) { return fixed_up(a, b, c); }>()},

    OF_ONE("v_rcp_f16", 1.0F / wide(a)),
    OF_ONE("v_rsq_f16", 1.0 / std::sqrt(f64{wide(a)})),
    OF_ONE("v_sqrt_f16", std::sqrt(wide(a))),
    OF_ONE("v_exp_f16", std::exp2(f64{wide(a)})),
    OF_ONE("v_log_f16", std::log2(f64{wide(a)})),
    OF_ONE("v_sin_f16", sine_of_turns(wide(a))),
    OF_ONE("v_cos_f16", cosine_of_turns(wide(a))),
    OF_ONE("v_floor_f16", std::floor(wide(a))),
    OF_ONE("v_ceil_f16", std::ceil(wide(a))),
    OF_ONE("v_trunc_f16", std::trunc(wide(a))),
    OF_ONE("v_rndne_f16", std::nearbyint(wide(a))),
    {"v_fract_f16", vector_meaning<[](f16 a) { return fraction(a); }>()},
    {"v_frexp_exp_i16_f16", vector_meaning<[](f16 a) { return frexp_exponent(a); }>()},
    {"v_frexp_mant_f16", vector_meaning<[](f16 a) { return frexp_mantissa(a); }>()},
    {"v_ldexp_f16",
     vector_meaning<[](f16 a, u16 b) { return rounded(std::ldexp(f64{wide(a)}, s(b))); }>()},

    {"v_cvt_f16_f32", vector_meaning<[](f32 a) { return rounded(a); }>()},
    {"v_cvt_f32_f16", vector_meaning<[](f16 a) { return wide(a); }>()},
    {"v_cvt_f16_u16", vector_meaning<[](u16 a) { return rounded(static_cast<f32>(a)); }>()},
    {"v_cvt_f16_i16", vector_meaning<[](u16 a) { return rounded(static_cast<f32>(s(a))); }>()},
    {"v_cvt_u16_f16", vector_meaning<[](f16 a) { return converted<u16>(a); }>()},
    {"v_cvt_i16_f16", vector_meaning<[](f16 a) { return converted<i16>(a); }>()},
    {"v_cvt_norm_u16_f16", vector_meaning<[](f16 a) { return normalised<u16>(wide(a)); }>()},
    {"v_cvt_norm_i16_f16", vector_meaning<[](f16 a) { return normalised<i16>(wide(a)); }>()},
    {"v_cvt_pkrtz_f16_f32",
     vector_meaning<[](f32 a, f32 b) { return pair_of(cut_off(a), cut_off(b)); }>()},
    {"v_cvt_pknorm_u16_f32", vector_meaning<[](f32 a, f32 b) {
       return pair_of(normalised<u16>(a), normalised<u16>(b));
     }>()},
    {"v_cvt_pknorm_i16_f32", vector_meaning<[](f32 a, f32 b) {
       return pair_of(normalised<i16>(a), normalised<i16>(b));
     }>()},
    {"v_cvt_pknorm_u16_f16", keeping_meaning<[](f16 a, f16 b) {
       return pair_of(normalised<u16>(wide(a)), normalised<u16>(wide(b)));
     }>()},
    {"v_cvt_pknorm_i16_f16", keeping_meaning<[](f16 a, f16 b) {
       return pair_of(normalised<i16>(wide(a)), normalised<i16>(wide(b)));
     }>()},
    {"v_cvt_pk_u16_u32",
     vector_meaning<[](u32 a, u32 b) { return pair_of(at_bounds<u16>(a), at_bounds<u16>(b)); }>()},
    {"v_cvt_pk_i16_i32", vector_meaning<[](u32 a, u32 b) {
       return pair_of(at_bounds<i16>(static_cast<i32>(a)), at_bounds<i16>(static_cast<i32>(b)));
     }>()},
    {"v_pack_b32_f16",
     keeping_meaning<[](f16 a, f16 b) { return pair_of(bits_of(a), bits_of(b)); }>()},

    {"v_cmp_class_f16", compare_meaning<[](f16 a, u16 b) { return is_of_class(a, b); }>()},
    {"v_cmpx_class_f16", compare_meaning<[](f16 a, u16 b) { return is_of_class(a, b); }, true>()},
    COMPARISON("f", (void(a), void(b), false)),
    COMPARISON("lt", a < b),
    COMPARISON("eq", a == b),
    COMPARISON("le", a <= b),
    COMPARISON("gt", a > b),
    COMPARISON("lg", a<b || a> b),
    COMPARISON("ge", a >= b),
    COMPARISON("o", a == a && b == b),
    COMPARISON("u", a != a || b != b),
    COMPARISON("nge", !(a >= b)),
    COMPARISON("nlg", !(a < b || a > b)),
    COMPARISON("ngt", !(a > b)),
    COMPARISON("nle", !(a <= b)),
    COMPARISON("neq", !(a == b)),
    COMPARISON("nlt", !(a < b)),
    COMPARISON("tru", (void(a), void(b), true)),

    {"v_add_i16",
     keeping_clamped_meaning<[](u16 a, u16 b) { return h(u32{a} + b); },
                             [](u16 a, u16 b) { return at_bounds<i16>(i64{s(a)} + s(b)); }>()},
    {"v_sub_i16",
     keeping_clamped_meaning<[](u16 a, u16 b) { return h(u32{a} - b); },
                             [](u16 a, u16 b) { return at_bounds<i16>(i64{s(a)} - s(b)); }>()},
    {"v_mad_u16",
     keeping_clamped_meaning<[](u16 a, u16 b, u16 c) { return h(u32{a} * b + c); },
                             [](u16 a, u16 b, u16 c) { return at_bounds<u16>(i64{a} * b + c); }>()},
    {"v_mad_i16", keeping_clamped_meaning<[](u16 a, u16 b, u16 c) { return h(u32{a} * b + c); },
                                          [](u16 a, u16 b, u16 c) {
                                            return at_bounds<i16>(i64{s(a)} * s(b) + s(c));
                                          }>()},
    {"v_mad_legacy_u16",
     clamped_meaning<[](u16 a, u16 b, u16 c) { return h(u32{a} * b + c); },
                     [](u16 a, u16 b, u16 c) { return at_bounds<u16>(i64{a} * b + c); }>()},
    {"v_mad_legacy_i16", clamped_meaning<[](u16 a, u16 b, u16 c) { return h(u32{a} * b + c); },
                                         [](u16 a, u16 b, u16 c) {
                                           return at_bounds<i16>(i64{s(a)} * s(b) + s(c));
                                         }>()},
    {"v_mad_u32_u16", keeping_clamped_meaning<[](u16 a, u16 b, u32 c) { return u32{a} * b + c; },
                                              [](u16 a, u16 b, u32 c) {
                                                const u64 sum = u64{a} * b + c;
                                                return static_cast<u32>(std::min<u64>(sum, ~0U));
                                              }>()},
    {"v_mad_i32_i16", keeping_clamped_meaning<[](u16 a, u16 b, u32 c) {
       return static_cast<u32>(i64{s(a)} * s(b)) + c;
     },
                                              [](u16 a, u16 b, u32 c) {
                                                const i64 sum =
                                                    i64{s(a)} * s(b) + static_cast<i32>(c);
                                                using Limits = std::numeric_limits<i32>;
                                                return static_cast<u32>(std::clamp<i64>(
                                                    sum, Limits::min(), Limits::max()));
                                              }>()},
    {"v_min3_u16", keeping_meaning<[](u16 a, u16 b, u16 c) { return std::min({a, b, c}); }>()},
    {"v_max3_u16", keeping_meaning<[](u16 a, u16 b, u16 c) { return std::max({a, b, c}); }>()},
    {"v_med3_u16", keeping_meaning<[](u16 a, u16 b, u16 c) {
       return std::max(std::min(a, b), std::min(std::max(a, b), c));
     }>()},
    {"v_min3_i16", keeping_meaning<[](i16 a, i16 b, i16 c) { return std::min({a, b, c}); }>()},
    {"v_max3_i16", keeping_meaning<[](i16 a, i16 b, i16 c) { return std::max({a, b, c}); }>()},
    {"v_med3_i16", keeping_meaning<[](i16 a, i16 b, i16 c) {
       return std::max(std::min(a, b), std::min(std::max(a, b), c));
     }>()},
};
#undef COMPARISON
#undef OF_TWO
#undef OF_ONE

} // namespace

std::span<const MeaningEntry> vector_half_meanings() {
  return kMeanings;
}

GANTRY_LEVEL_END

} // namespace gantry::simt::amdgcn
