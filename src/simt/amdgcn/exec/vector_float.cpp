// Floating-point operations of one lane, and conversions. Rounding is to nearest and denormal
// numbers are kept: what both compilers ask of the hardware.
#include "simt/amdgcn/exec/denormals.h"
#include "simt/amdgcn/exec/ieee.h"
#include "simt/amdgcn/exec/meanings.h"
#include "simt/amdgcn/exec/turns.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gantry::simt::amdgcn {

GANTRY_LEVEL_BEGIN

namespace {

/// What v_div_scale and v_div_fmas multiply by, as a power of two, and when.
template <typename T>
struct Division {
  static constexpr bool kIsDouble = sizeof(T) == 8;
  static constexpr int kScale = kIsDouble ? 128 : 64;
  static constexpr int kFarApart = kIsDouble ? 768 : 96;
  static constexpr int kTiny = kIsDouble ? 53 : 23;
  static constexpr int kUnderflow = kIsDouble ? -1075 : -150;
};

/// Truncated, and the nearest that the type has; 0 for what is no number.
template <typename Integer, typename T>
Integer converted(T x) {
  constexpr T kLow = static_cast<T>(std::numeric_limits<Integer>::min());
  constexpr T kBeyond =
      static_cast<T>(Integer{1} << (std::numeric_limits<Integer>::digits - 1)) * 2;
  if (is_nan(x)) {
    return 0;
  }
  if (x <= kLow) {
    return std::numeric_limits<Integer>::min();
  }
  return x >= kBeyond ? std::numeric_limits<Integer>::max() : static_cast<Integer>(x);
}

template <typename T>
T fraction(T x) {
  const T below_one = std::nextafter(T{1}, T{0});
  return std::min(x - std::floor(x), below_one);
}
template <typename T>
u32 frexp_exponent(T x) {
  int made = 0;
  if (std::isfinite(x)) {
    (void)std::frexp(x, &made);
  }
  return static_cast<u32>(made);
}
template <typename T>
T frexp_mantissa(T x) {
  int ignored = 0;
  return std::isfinite(x) ? std::frexp(x, &ignored) : is_nan(x) ? quiet(x) : x;
}

/// Whether a division of such numbers has no step that leaves the range of normal numbers.
template <typename T>
bool is_moderate(T x) {
  using Bits = Ieee<T>::Bits;
  constexpr int kHalf = Division<T>::kFarApart / 2;
  const auto placed = [](int number) { return static_cast<Bits>(number) << Ieee<T>::kFraction; };
  const Bits size = bits_of(x) & placed(Ieee<T>::kInfinite);
  return static_cast<Bits>(size - placed(Ieee<T>::kBias - kHalf)) < placed(2 * kHalf);
}

/// Whether the quotient is a denormal number and not 0, for a denominator that is a normal one:
/// without a division, which takes longer than all the rest of v_div_scale.
template <typename T>
bool has_denormal_quotient(T numerator, T denominator) {
  using Signed = std::make_signed_t<typename Ieee<T>::Bits>;
  constexpr unsigned kFraction = Ieee<T>::kFraction;
  // Numbers without a sign are in the order of their bits, and a power of two is a number of
  // exponents. Denormal numerators are made normal.
  constexpr int kShift = kFraction + 2;
  const auto bits = [](T x) { return static_cast<Signed>(bits_of(__builtin_elementwise_abs(x))); };
  const auto scaled = [](Signed number, int power) {
    return number + static_cast<Signed>(Signed{power} << kFraction);
  };
  const Signed size = bits(numerator * power_of_two<T>(kShift));
  const Signed divided_by = bits(denominator);
  const Signed normal = scaled(divided_by, kShift + 1 - Ieee<T>::kBias);
  const Signed half_of_least = scaled(normal, -static_cast<int>(kFraction) - 1);
  // The next numerator below a power of two is rounded to the least normal number.
  const bool is_rounded_up =
      size == normal - 1 && (divided_by & ((Signed{1} << kFraction) - 1)) == 0;
  return divided_by < bits(std::numeric_limits<T>::infinity()) && size > half_of_least &&
         size < normal && !is_rounded_up;
}

/// Of a division, `part` is the denominator or the numerator: scaled, where the steps that follow
/// would leave the range of normal numbers. The bit: v_div_fmas scales back.
template <typename T>
Masked<T> scaled_for_division(T part, T denominator, T numerator) {
  if (usually(is_moderate(denominator) & is_moderate(numerator))) {
    return {part, false};
  }
  using I = Division<T>;
  using Signed = std::make_signed_t<typename Ieee<T>::Bits>;
  const auto by = [](T x, int power) { return product(x, power_of_two<T>(power)); };
  // In the place where they are stored, so that they are numbers of the operands' size.
  const auto placed_exponent = [](T x) {
    return static_cast<Signed>(bits_of(x) & bits_of(std::numeric_limits<T>::infinity()));
  };
  const auto placed = [](int number) { return Signed{number} << Ieee<T>::kFraction; };
  const bool is_denominator = bits_of(part) == bits_of(denominator);
  const bool is_numerator = bits_of(part) == bits_of(numerator);
  if (numerator == 0 || denominator == 0) {
    return {std::numeric_limits<T>::quiet_NaN(), false};
  }
  const T size = __builtin_elementwise_abs(denominator);
  const bool reciprocal_is_denormal =
      size > power_of_two<T>(Ieee<T>::kBias - 1) && size < std::numeric_limits<T>::infinity();
  const bool quotient_is_denormal = has_denormal_quotient(numerator, denominator);
  if (placed_exponent(numerator) - placed_exponent(denominator) >= placed(I::kFarApart)) {
    return {is_denominator ? by(part, I::kScale) : part, true};
  }
  if (placed_exponent(denominator) == 0) {
    return {by(part, I::kScale), false};
  }
  if (reciprocal_is_denormal && quotient_is_denormal) {
    return {is_denominator ? by(part, -I::kScale) : part, true};
  }
  if (reciprocal_is_denormal) {
    return {by(part, -I::kScale), false};
  }
  if (quotient_is_denormal) {
    return {is_numerator ? by(part, I::kScale) : part, true};
  }
  if (placed_exponent(numerator) <= placed(I::kTiny)) {
    return {by(part, I::kScale), false};
  }
  return {part, false};
}
/// A rounded sum, and what it lacks of the exact one.
template <typename T>
struct ExactSum {
  T sum, rest;
};
template <typename T>
ExactSum<T> exact_sum(T a, T b) {
  const T sum = a + b;
  const T of_b = sum - a;
  return {sum, (a - (sum - of_b)) + (b - of_b)};
}
/// Of the sign of a * b + c - sum, where `sum` is a * b + c rounded (Boldo and Muller, "Exact and
/// Approximated Error of the FMA", 2011).
template <typename T>
T error_of(T sum, T a, T b, T c) {
  const T product = a * b;
  const auto [small, smallest] = exact_sum(c, __builtin_elementwise_fma(a, b, -product));
  const auto [great, rest] = exact_sum(product, small);
  return ((great - sum) + rest) + smallest;
}
/// a * b + c, scaled, in one rounding: the sum's own one must not make a tie of what is none.
template <typename T>
T scaled_back(T a, T b, T c, bool scaled) {
  const T total = fused(a, b, c);
  if (usually(!scaled)) {
    return total;
  }
  constexpr T kUp = power_of_two<T>(Division<T>::kScale);
  constexpr T kDown = power_of_two<T>(-Division<T>::kScale);
  if (exponent(c) > Ieee<T>::kBias) {
    return total * kUp;
  }
  const T made = total * kDown;
  const T rest = __builtin_elementwise_abs(total - made * kUp);
  const T error = error_of(total, a, b, c);
  constexpr T kTie = std::numeric_limits<T>::denorm_min() * kUp / 2;
  const bool is_right = exponent(made) > 1 || error == 0 || rest != kTie;
  return is_right ? made : next_number(total, error > 0) * kDown;
}
template <typename T>
T fixed_up(T quotient, T denominator, T numerator) {
  const bool negative = is_negative(denominator) != is_negative(numerator);
  if (usually(is_moderate(denominator) & is_moderate(numerator) & is_finite(quotient))) {
    return with_sign(quotient, negative);
  }
  if (is_nan(numerator)) {
    return quiet(numerator);
  }
  if (is_nan(denominator)) {
    return quiet(denominator);
  }
  const bool both_infinite = std::isinf(numerator) && std::isinf(denominator);
  if ((numerator == 0 && denominator == 0) || both_infinite) {
    return with_sign(std::numeric_limits<T>::quiet_NaN(), true);
  }
  if (denominator == 0 || std::isinf(numerator)) {
    return with_sign(std::numeric_limits<T>::infinity(), negative);
  }
  if (std::isinf(denominator) || numerator == 0) {
    return with_sign(T{0}, negative);
  }
  if (exponent(numerator) - exponent(denominator) < Division<T>::kUnderflow) {
    return with_sign(T{0}, negative);
  }
  // Where the quotient is beyond all numbers, the steps before this one have subtracted infinities.
  return with_sign(is_nan(quotient) ? std::numeric_limits<T>::infinity() : quotient, negative);
}

template <typename T>
T reciprocal(T x) {
  return T{1} / x;
}
template <typename T>
T reciprocal_root(T x) {
  return static_cast<T>(1.0 / __builtin_elementwise_sqrt(static_cast<f64>(x)));
}
template <unsigned kByte>
f32 byte_of(u32 x) {
  return static_cast<f32>((x >> (8 * kByte)) & 0xff);
}

/// Of what moves numbers about, in all modes.
constexpr Meaning keeping(Meaning meaning) {
  meaning.keeps_denormals = true;
  return meaning;
}

constexpr MeaningEntry kMeanings[] = {
    {"v_add_f32", vector_meaning<[](f32 a, f32 b) { return sum(a, b); }>()},
    {"v_sub_f32", vector_meaning<[](f32 a, f32 b) { return a - b; }>()},
    {"v_subrev_f32", vector_meaning<[](f32 a, f32 b) { return b - a; }>()},
    {"v_mul_f32", vector_meaning<[](f32 a, f32 b) { return product(a, b); }>()},
    {"v_mul_legacy_f32",
     vector_meaning<[](f32 a, f32 b) { return a == 0 || b == 0 ? 0 : product(a, b); }>()},
    {"v_add_f64", vector_meaning<[](f64 a, f64 b) { return sum(a, b); }>()},
    {"v_mul_f64", vector_meaning<[](f64 a, f64 b) { return product(a, b); }>()},
    {"v_fma_f32", vector_meaning<[](f32 a, f32 b, f32 c) { return fused(a, b, c); }>()},
    {"v_fma_f64", vector_meaning<[](f64 a, f64 b, f64 c) { return fused(a, b, c); }>()},
    {"v_fmac_f32", accumulate_meaning<[](f32 a, f32 b, f32 c) { return fused(a, b, c); }>()},
    {"v_fmac_f64", accumulate_meaning<[](f64 a, f64 b, f64 c) { return fused(a, b, c); }>()},
    {"v_mad_f32", vector_meaning<[](f32 a, f32 b, f32 c) { return multiplied_added(a, b, c); }>()},
    {"v_mac_f32",
     accumulate_meaning<[](f32 a, f32 b, f32 c) { return multiplied_added(a, b, c); }>()},
    {"v_madmk_f32",
     literal_meaning<[](f32 a, f32 b, f32 k) { return multiplied_added(a, k, b); }>()},
    {"v_madak_f32",
     literal_meaning<[](f32 a, f32 b, f32 k) { return multiplied_added(a, b, k); }>()},
    {"v_fmamk_f32", literal_meaning<[](f32 a, f32 b, f32 k) { return fused(a, k, b); }>()},
    {"v_fmaak_f32", literal_meaning<[](f32 a, f32 b, f32 k) { return fused(a, b, k); }>()},
    {"v_maxmin_f32",
     keeping(vector_meaning<[](f32 a, f32 b, f32 c) { return minimum(maximum(a, b), c); }>())},
    {"v_minmax_f32",
     keeping(vector_meaning<[](f32 a, f32 b, f32 c) { return maximum(minimum(a, b), c); }>())},
    {"v_min_f32", keeping(vector_meaning<[](f32 a, f32 b) { return minimum(a, b); }>())},
    {"v_max_f32", keeping(vector_meaning<[](f32 a, f32 b) { return maximum(a, b); }>())},
    {"v_min_f64", vector_meaning<[](f64 a, f64 b) { return minimum(a, b); }>()},
    {"v_max_f64", vector_meaning<[](f64 a, f64 b) { return maximum(a, b); }>()},
    {"v_min3_f32",
     keeping(vector_meaning<[](f32 a, f32 b, f32 c) { return minimum(minimum(a, b), c); }>())},
    {"v_max3_f32",
     keeping(vector_meaning<[](f32 a, f32 b, f32 c) { return maximum(maximum(a, b), c); }>())},
    {"v_med3_f32", keeping(vector_meaning<[](f32 a, f32 b, f32 c) { return middle(a, b, c); }>())},

    {"v_rcp_f32", vector_meaning<[](f32 a) { return reciprocal(a); }>()},
    {"v_rcp_iflag_f32", vector_meaning<[](f32 a) { return reciprocal(a); }>()},
    {"v_rcp_f64", vector_meaning<[](f64 a) { return reciprocal(a); }>()},
    {"v_rsq_f32", vector_meaning<[](f32 a) { return reciprocal_root(a); }>()},
    {"v_rsq_f64", vector_meaning<[](f64 a) { return reciprocal_root(a); }>()},
    {"v_sqrt_f32", vector_meaning<[](f32 a) { return __builtin_elementwise_sqrt(a); }>()},
    {"v_sqrt_f64", vector_meaning<[](f64 a) { return __builtin_elementwise_sqrt(a); }>()},
    {"v_exp_f32",
     vector_meaning<[](f32 a) { return static_cast<f32>(std::exp2(static_cast<f64>(a))); }>()},
    {"v_log_f32",
     vector_meaning<[](f32 a) { return static_cast<f32>(std::log2(static_cast<f64>(a))); }>()},
    {"v_sin_f32", vector_meaning<[](f32 a) { return static_cast<f32>(sine_of_turns(a)); }>()},
    {"v_cos_f32", vector_meaning<[](f32 a) { return static_cast<f32>(cosine_of_turns(a)); }>()},
    {"v_div_scale_f32",
     keeping(masked_meaning<[](f32 a, f32 b, f32 c) { return scaled_for_division(a, b, c); }>())},
    {"v_div_scale_f64",
     masked_meaning<[](f64 a, f64 b, f64 c) { return scaled_for_division(a, b, c); }>()},
    {"v_div_fixup_f32", vector_meaning<[](f32 a, f32 b, f32 c) { return fixed_up(a, b, c); }>()},
    {"v_div_fixup_f64", vector_meaning<[](f64 a, f64 b, f64 c) { return fixed_up(a, b, c); }>()},
    {"v_div_fmas_f32",
     vcc_meaning<[](f32 a, f32 b, f32 c, bool scaled) { return scaled_back(a, b, c, scaled); }>()},
    {"v_div_fmas_f64",
     vcc_meaning<[](f64 a, f64 b, f64 c, bool scaled) { return scaled_back(a, b, c, scaled); }>()},

    {"v_floor_f32", vector_meaning<[](f32 a) { return std::floor(a); }>()},
    {"v_ceil_f32", vector_meaning<[](f32 a) { return std::ceil(a); }>()},
    {"v_trunc_f32", vector_meaning<[](f32 a) { return std::trunc(a); }>()},
    {"v_rndne_f32", vector_meaning<[](f32 a) { return std::nearbyint(a); }>()},
    {"v_fract_f32", vector_meaning<[](f32 a) { return fraction(a); }>()},
    {"v_floor_f64", vector_meaning<[](f64 a) { return std::floor(a); }>()},
    {"v_ceil_f64", vector_meaning<[](f64 a) { return std::ceil(a); }>()},
    {"v_trunc_f64", vector_meaning<[](f64 a) { return std::trunc(a); }>()},
    {"v_rndne_f64", vector_meaning<[](f64 a) { return std::nearbyint(a); }>()},
    {"v_fract_f64", vector_meaning<[](f64 a) { return fraction(a); }>()},
    {"v_frexp_exp_i32_f32", keeping(vector_meaning<[](f32 a) { return frexp_exponent(a); }>())},
    {"v_frexp_exp_i32_f64", vector_meaning<[](f64 a) { return frexp_exponent(a); }>()},
    {"v_frexp_mant_f32", keeping(vector_meaning<[](f32 a) { return frexp_mantissa(a); }>())},
    {"v_frexp_mant_f64", vector_meaning<[](f64 a) { return frexp_mantissa(a); }>()},
    {"v_ldexp_f32", vector_meaning<[](f32 a, u32 b) { return scaled(a, static_cast<i32>(b)); }>()},
    {"v_ldexp_f64", vector_meaning<[](f64 a, u32 b) { return scaled(a, static_cast<i32>(b)); }>()},

    {"v_cvt_f32_f64", vector_meaning<[](f64 a) { return static_cast<f32>(a); }>()},
    {"v_cvt_f64_f32", vector_meaning<[](f32 a) { return static_cast<f64>(a); }>()},
    {"v_cvt_f32_i32",
     vector_meaning<[](u32 a) { return static_cast<f32>(static_cast<i32>(a)); }>()},
    {"v_cvt_f32_u32", vector_meaning<[](u32 a) { return static_cast<f32>(a); }>()},
    {"v_cvt_f64_i32",
     vector_meaning<[](u32 a) { return static_cast<f64>(static_cast<i32>(a)); }>()},
    {"v_cvt_f64_u32", vector_meaning<[](u32 a) { return static_cast<f64>(a); }>()},
    {"v_cvt_i32_f32", vector_meaning<[](f32 a) { return static_cast<u32>(converted<i32>(a)); }>()},
    {"v_cvt_u32_f32", vector_meaning<[](f32 a) { return converted<u32>(a); }>()},
    {"v_cvt_flr_i32_f32",
     vector_meaning<[](f32 a) { return static_cast<u32>(converted<i32>(std::floor(a))); }>()},
    {"v_cvt_rpi_i32_f32", vector_meaning<[](f32 a) {
       return static_cast<u32>(converted<i32>(std::floor(f64{a} + 0.5)));
     }>()},
    {"v_cvt_i32_f64", vector_meaning<[](f64 a) { return static_cast<u32>(converted<i32>(a)); }>()},
    {"v_cvt_u32_f64", vector_meaning<[](f64 a) { return converted<u32>(a); }>()},
    {"v_cvt_f32_ubyte0", vector_meaning<[](u32 a) { return byte_of<0>(a); }>()},
    {"v_cvt_f32_ubyte1", vector_meaning<[](u32 a) { return byte_of<1>(a); }>()},
    {"v_cvt_f32_ubyte2", vector_meaning<[](u32 a) { return byte_of<2>(a); }>()},
    {"v_cvt_f32_ubyte3", vector_meaning<[](u32 a) { return byte_of<3>(a); }>()},
    {"v_cmp_class_f32", keeping(compare_meaning<[](f32 a, u32 b) { return is_of_class(a, b); }>())},
    {"v_cmp_class_f64", compare_meaning<[](f64 a, u32 b) { return is_of_class(a, b); }>()},
    {"v_cmpx_class_f32",
     keeping(compare_meaning<[](f32 a, u32 b) { return is_of_class(a, b); }, true>())},
    {"v_cmpx_class_f64", compare_meaning<[](f64 a, u32 b) { return is_of_class(a, b); }, true>()},
};

} // namespace

std::span<const MeaningEntry> vector_float_meanings() {
  return kMeanings;
}

GANTRY_LEVEL_END

} // namespace gantry::simt::amdgcn
