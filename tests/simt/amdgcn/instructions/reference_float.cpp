// What floating-point instructions give: exact numbers, rounded to nearest, denormal numbers kept.
#include "vector_form.h"

#include "../../instructions/number.h"

#include <cmath>

namespace gantry::simt::amdgcn {

namespace {

namespace number = instructions;
using number::Format;
using number::kDouble;
using number::kSingle;
using number::Number;
using Bits = std::uint64_t;
using In = const LaneInput&;
constexpr auto kNearest = number::Round::kNearestEven;

LaneResult only(Bits value) {
  return {value, false};
}
Number value_of(Bits bits, Format format) {
  return number::unpacked(bits, format);
}
LaneResult rounded(const Number& value, Format format) {
  return only(number::packed(value, format, kNearest));
}
Bits negative(Bits bits, Format format) {
  return bits ^ format.sign();
}
LaneResult sum(Bits a, Bits b, Format format) {
  return rounded(number::sum(value_of(a, format), value_of(b, format), kNearest), format);
}
LaneResult product(Bits a, Bits b, Format format) {
  return rounded(number::product(value_of(a, format), value_of(b, format)), format);
}
LaneResult fused(Bits a, Bits b, Bits c, Format format) {
  const Number exact = number::product(value_of(a, format), value_of(b, format));
  return rounded(number::sum(exact, value_of(c, format), kNearest), format);
}
/// v_mad and v_mac: two roundings, and zeros for denormal numbers before and behind each.
LaneResult multiplied_added(Bits a, Bits b, Bits c) {
  const Bits first =
      kSingle.flushed(product(kSingle.flushed(a), kSingle.flushed(b), kSingle).value);
  return only(kSingle.flushed(sum(first, kSingle.flushed(c), kSingle).value));
}

bool is_signalling(Bits bits, Format format) {
  return format.is_nan(bits) && ((bits >> (format.fraction_bits - 1)) & 1) == 0;
}
Bits quiet(Bits nan, Format format) {
  return nan | Bits{1} << (format.fraction_bits - 1);
}
/// Sign and magnitude as an integer in the order of numbers, -0 below 0.
std::int64_t order(Bits bits, Format format) {
  const auto magnitude = static_cast<std::int64_t>(bits & (format.sign() - 1));
  return (bits & format.sign()) != 0 ? -magnitude - 1 : magnitude;
}
/// In IEEE mode, which all kernels of both compilers have, a signalling NaN wins and becomes
/// quiet; a quiet one loses.
Bits chosen(Bits a, Bits b, Format format, bool the_least) {
  if (is_signalling(a, format)) {
    return quiet(a, format);
  }
  if (is_signalling(b, format)) {
    return quiet(b, format);
  }
  if (format.is_nan(a)) {
    return b;
  }
  if (format.is_nan(b)) {
    return a;
  }
  return (order(a, format) < order(b, format)) == the_least ? a : b;
}
template <bool kWide, bool kLeast>
LaneResult extreme(In in) {
  return only(chosen(in.a, in.b, kWide ? kDouble : kSingle, kLeast));
}
/// Of the first two the least or the greatest, and then the other way about.
template <bool kLeast>
LaneResult two_extremes(In in) {
  return only(chosen(chosen(in.a, in.b, kSingle, kLeast), in.c, kSingle, !kLeast));
}
template <bool kLeast>
LaneResult extreme_of_three(In in) {
  return only(chosen(chosen(in.a, in.b, kSingle, kLeast), in.c, kSingle, kLeast));
}
LaneResult middle(In in) {
  if (kSingle.is_nan(in.a) || kSingle.is_nan(in.b) || kSingle.is_nan(in.c)) {
    return extreme_of_three<true>(in);
  }
  const auto is_between = [](Bits low, Bits x, Bits high) {
    return order(low, kSingle) <= order(x, kSingle) && order(x, kSingle) <= order(high, kSingle);
  };
  for (const auto& [low, x, high] : {std::tuple{in.b, in.a, in.c}, {in.a, in.b, in.c}}) {
    if (is_between(low, x, high) || is_between(high, x, low)) {
      return only(x);
    }
  }
  return only(in.c);
}

template <bool kWide>
LaneResult reciprocal(In in) {
  constexpr Format kFormat = kWide ? kDouble : kSingle;
  return rounded(number::quotient(value_of(kFormat.one(), kFormat), value_of(in.a, kFormat)),
                 kFormat);
}
template <bool kWide>
LaneResult root(In in) {
  constexpr Format kFormat = kWide ? kDouble : kSingle;
  return rounded(number::square_root(value_of(in.a, kFormat)), kFormat);
}
template <bool kWide>
LaneResult reciprocal_root(In in) {
  constexpr Format kFormat = kWide ? kDouble : kSingle;
  const Number made = number::square_root(value_of(in.a, kFormat)); // of 64 digits
  return rounded(number::quotient(value_of(kFormat.one(), kFormat), made), kFormat);
}
/// By a function of long double, which has more digits than are asked for.
template <auto F>
LaneResult approximate(In in) {
  const auto x = static_cast<long double>(std::bit_cast<float>(static_cast<std::uint32_t>(in.a)));
  return only(std::bit_cast<std::uint32_t>(static_cast<float>(F(x))));
}
constexpr long double kTurn = 6.28318530717958647692528676655900577L;
long double sine(long double x) {
  const long double rest = std::remainder(x, 1.0L);
  return std::abs(rest) == 0.5L ? 0 : std::sin(rest * kTurn);
}
long double cosine(long double x) {
  const long double rest = std::remainder(x, 1.0L);
  return std::abs(rest) == 0.25L ? 0 : std::cos(rest * kTurn);
}

template <bool kWide, number::Round kMode>
LaneResult integral(In in) {
  constexpr Format kFormat = kWide ? kDouble : kSingle;
  return rounded(number::integral(value_of(in.a, kFormat), kMode), kFormat);
}
/// x - floor(x), below 1.
template <bool kWide>
LaneResult fraction(In in) {
  constexpr Format kFormat = kWide ? kDouble : kSingle;
  const Number x = value_of(in.a, kFormat);
  const Number below = number::integral(x, number::Round::kDown);
  const Bits made =
      number::packed(number::sum(x, number::negated(below), kNearest), kFormat, kNearest);
  return only(made == kFormat.one() ? made - 1 : made);
}
/// Where the first digit is: x = 0.1… * 2^result.
template <bool kWide>
int exponent_of(Bits bits) {
  constexpr Format kFormat = kWide ? kDouble : kSingle;
  const Number x = value_of(bits, kFormat);
  auto digits = static_cast<Bits>(x.significand);
  int length = 0;
  while (digits != 0) {
    digits >>= 1;
    ++length;
  }
  return length == 0 ? 0 : x.exponent + length;
}
template <bool kWide>
LaneResult frexp_exponent(In in) {
  constexpr Format kFormat = kWide ? kDouble : kSingle;
  const bool is_finite = !kFormat.is_nan(in.a) && !kFormat.is_infinite(in.a);
  return only(static_cast<std::uint32_t>(is_finite ? exponent_of<kWide>(in.a) : 0));
}
template <bool kWide>
LaneResult frexp_mantissa(In in) {
  constexpr Format kFormat = kWide ? kDouble : kSingle;
  if (kFormat.is_nan(in.a) || kFormat.is_infinite(in.a)) {
    return only(in.a);
  }
  Number x = value_of(in.a, kFormat);
  x.exponent -= exponent_of<kWide>(in.a);
  return rounded(x, kFormat);
}
template <bool kWide>
LaneResult scaled(In in) {
  constexpr Format kFormat = kWide ? kDouble : kSingle;
  Number x = value_of(in.a, kFormat);
  const auto power = static_cast<std::int32_t>(in.b);
  x.exponent += std::clamp(power, -5000, 5000);
  return rounded(x, kFormat);
}
LaneResult legacy_product(In in) {
  return kSingle.is_zero(in.a) || kSingle.is_zero(in.b) ? only(0) : product(in.a, in.b, kSingle);
}

/// As it is stored.
int stored_exponent(Bits bits, Format format) {
  return static_cast<int>((bits & (format.sign() - 1)) >> format.fraction_bits);
}
/// v_div_scale: which of a division's two numbers has to be scaled, b the denominator and c the
/// numerator, and whether v_div_fmas has to scale the quotient.
template <bool kWide>
LaneResult scaled_for_division(In in) {
  constexpr Format kFormat = kWide ? kDouble : kSingle;
  constexpr int kPower = kWide ? 128 : 64;
  const auto scaled_by = [&](int power) {
    Number x = value_of(in.a, kFormat);
    x.exponent += power;
    return number::packed(x, kFormat, kNearest);
  };
  const auto is_denormal_quotient = [&](Bits numerator) {
    return kFormat.is_subnormal(
        rounded(number::quotient(value_of(numerator, kFormat), value_of(in.b, kFormat)), kFormat)
            .value);
  };
  const bool reciprocal = is_denormal_quotient(kFormat.one());
  const bool quotient = is_denormal_quotient(in.c);
  if (kFormat.is_zero(in.b) || kFormat.is_zero(in.c)) {
    return {kFormat.nan(), false};
  }
  if (stored_exponent(in.c, kFormat) - stored_exponent(in.b, kFormat) >= (kWide ? 768 : 96)) {
    return {in.a == in.b ? scaled_by(kPower) : in.a, true};
  }
  if (kFormat.is_subnormal(in.b)) {
    return {scaled_by(kPower), false};
  }
  if (reciprocal && quotient) {
    return {in.a == in.b ? scaled_by(-kPower) : in.a, true};
  }
  if (reciprocal) {
    return {scaled_by(-kPower), false};
  }
  if (quotient) {
    return {in.a == in.c ? scaled_by(kPower) : in.a, true};
  }
  const bool is_tiny = stored_exponent(in.c, kFormat) <= (kWide ? 53 : 23);
  return {is_tiny ? scaled_by(kPower) : in.a, false};
}
/// v_div_fmas: with one rounding, or quotients that are denormal would have two.
template <bool kWide>
LaneResult scaled_back(In in) {
  constexpr Format kFormat = kWide ? kDouble : kSingle;
  constexpr int kPower = kWide ? 128 : 64;
  Number made = number::sum(number::product(value_of(in.a, kFormat), value_of(in.b, kFormat)),
                            value_of(in.c, kFormat), kNearest);
  // A sum beyond all numbers, which no division has, is not scaled back.
  if (in.bit && !kFormat.is_infinite(number::packed(made, kFormat, kNearest))) {
    made.exponent += stored_exponent(in.c, kFormat) > kFormat.bias() ? kPower : -kPower;
  }
  return rounded(made, kFormat);
}
/// v_div_fixup: a is the quotient, b the denominator, c the numerator.
template <bool kWide>
LaneResult fixed_up(In in) {
  constexpr Format kFormat = kWide ? kDouble : kSingle;
  const Bits sign = (in.b ^ in.c) & kFormat.sign();
  if (kFormat.is_nan(in.c) || kFormat.is_nan(in.b)) {
    return only(quiet(kFormat.is_nan(in.c) ? in.c : in.b, kFormat));
  }
  const bool both_zero = kFormat.is_zero(in.b) && kFormat.is_zero(in.c);
  if (both_zero || (kFormat.is_infinite(in.b) && kFormat.is_infinite(in.c))) {
    return only(quiet(kFormat.sign() | kFormat.infinity(), kFormat));
  }
  if (kFormat.is_zero(in.b) || kFormat.is_infinite(in.c)) {
    return only(sign | kFormat.infinity());
  }
  if (kFormat.is_infinite(in.b) || kFormat.is_zero(in.c) ||
      stored_exponent(in.c, kFormat) - stored_exponent(in.b, kFormat) < (kWide ? -1075 : -150)) {
    return only(sign);
  }
  const Bits magnitude = kFormat.is_nan(in.a) ? kFormat.infinity() : in.a & (kFormat.sign() - 1);
  return only(sign | magnitude);
}

using enum Exactness;
constexpr VectorForm kForms[] = {
    {"v_div_scale_f32", "f!=fff", scaled_for_division<false>, kNumber},
    {"v_div_scale_f64", "d!=ddd", scaled_for_division<true>, kNumber},
    {"v_div_fmas_f32", "f=fffv", scaled_back<false>, kNumber},
    {"v_div_fmas_f64", "d=dddv", scaled_back<true>, kNumber},
    {"v_div_fixup_f32", "f=fff", fixed_up<false>},
    {"v_div_fixup_f64", "d=ddd", fixed_up<true>},
    {"v_add_f32", "f=ff", [](In i) { return sum(i.a, i.b, kSingle); }, kNumber},
    {"v_sub_f32", "f=ff", [](In i) { return sum(i.a, negative(i.b, kSingle), kSingle); }, kNumber},
    {"v_subrev_f32", "f=ff", [](In i) { return sum(i.b, negative(i.a, kSingle), kSingle); },
     kNumber},
    {"v_mul_f32", "f=ff", [](In i) { return product(i.a, i.b, kSingle); }, kNumber},
    {"v_mul_legacy_f32", "f=ff", legacy_product, kNumber},
    {"v_add_f64", "d=dd", [](In i) { return sum(i.a, i.b, kDouble); }, kNumber},
    {"v_mul_f64", "d=dd", [](In i) { return product(i.a, i.b, kDouble); }, kNumber},
    {"v_fma_f32", "f=fff", [](In i) { return fused(i.a, i.b, i.c, kSingle); }, kNumber},
    {"v_fma_f64", "d=ddd", [](In i) { return fused(i.a, i.b, i.c, kDouble); }, kNumber},
    {"v_fmac_f32", "f=ff+", [](In i) { return fused(i.a, i.b, i.c, kSingle); }, kNumber},
    {"v_fmac_f64", "d=dd+", [](In i) { return fused(i.a, i.b, i.c, kDouble); }, kNumber},
    {"v_mad_f32", "f=fff", [](In i) { return multiplied_added(i.a, i.b, i.c); }, kNumber},
    {"v_mac_f32", "f=ff+", [](In i) { return multiplied_added(i.a, i.b, i.c); }, kNumber},
    {"v_madmk_f32", "f=ffK", [](In i) { return multiplied_added(i.a, i.b, i.c); }, kNumber},
    {"v_madak_f32", "f=ffk", [](In i) { return multiplied_added(i.a, i.b, i.c); }, kNumber},
    {"v_min_f32", "f=ff", extreme<false, true>},
    {"v_max_f32", "f=ff", extreme<false, false>},
    {"v_min_f64", "d=dd", extreme<true, true>},
    {"v_max_f64", "d=dd", extreme<true, false>},
    {"v_fmamk_f32", "f=ffK", [](In i) { return fused(i.a, i.b, i.c, kSingle); }, kNumber},
    {"v_fmaak_f32", "f=ffk", [](In i) { return fused(i.a, i.b, i.c, kSingle); }, kNumber},
    {"v_maxmin_f32", "f=fff", two_extremes<false>},
    {"v_minmax_f32", "f=fff", two_extremes<true>},
    {"v_min3_f32", "f=fff", extreme_of_three<true>},
    {"v_max3_f32", "f=fff", extreme_of_three<false>},
    {"v_med3_f32", "f=fff", middle},
    {"v_rcp_f32", "f=f", reciprocal<false>, kApproximate},
    {"v_rcp_iflag_f32", "f=f", reciprocal<false>, kApproximate},
    {"v_rcp_f64", "d=d", reciprocal<true>, kApproximate},
    {"v_rsq_f32", "f=f", reciprocal_root<false>, kApproximate},
    {"v_rsq_f64", "d=d", reciprocal_root<true>, kApproximate},
    {"v_sqrt_f32", "f=f", root<false>, kApproximate},
    {"v_sqrt_f64", "d=d", root<true>, kApproximate},
    {"v_exp_f32", "f=f", approximate<[](long double x) { return std::exp2(x); }>, kApproximate},
    {"v_log_f32", "f=f", approximate<[](long double x) { return std::log2(x); }>, kApproximate},
    {"v_sin_f32", "f=f", approximate<sine>, kApproximate},
    {"v_cos_f32", "f=f", approximate<cosine>, kApproximate},
    {"v_floor_f32", "f=f", integral<false, number::Round::kDown>, kNumber},
    {"v_ceil_f32", "f=f", integral<false, number::Round::kUp>, kNumber},
    {"v_trunc_f32", "f=f", integral<false, number::Round::kZero>, kNumber},
    {"v_rndne_f32", "f=f", integral<false, kNearest>, kNumber},
    {"v_fract_f32", "f=f", fraction<false>, kNumber},
    {"v_floor_f64", "d=d", integral<true, number::Round::kDown>, kNumber},
    {"v_ceil_f64", "d=d", integral<true, number::Round::kUp>, kNumber},
    {"v_trunc_f64", "d=d", integral<true, number::Round::kZero>, kNumber},
    {"v_rndne_f64", "d=d", integral<true, kNearest>, kNumber},
    {"v_fract_f64", "d=d", fraction<true>, kNumber},
    {"v_frexp_exp_i32_f32", "u=f", frexp_exponent<false>},
    {"v_frexp_exp_i32_f64", "u=d", frexp_exponent<true>},
    {"v_frexp_mant_f32", "f=f", frexp_mantissa<false>, kNumber},
    {"v_frexp_mant_f64", "d=d", frexp_mantissa<true>, kNumber},
    {"v_ldexp_f32", "f=fu", scaled<false>, kNumber},
    {"v_ldexp_f64", "d=du", scaled<true>, kNumber},
};

} // namespace

std::span<const VectorForm> float_forms() {
  return kForms;
}

} // namespace gantry::simt::amdgcn
