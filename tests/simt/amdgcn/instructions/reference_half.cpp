// What operations on one half of a register give: IEEE 754's halves, rounded to nearest with their
// denormal numbers, and integers of 16 bits.
#include "vector_form.h"

#include "../../instructions/number.h"

#include <algorithm>
#include <cmath>

namespace gantry::simt::amdgcn {

namespace {

namespace number = instructions;
using number::kHalf;
using number::kSingle;
using number::Number;
using number::Round;
using Bits = std::uint64_t;
using In = const LaneInput&;

LaneResult only(Bits value) {
  return {value, false};
}
Number value_of(Bits bits) {
  return number::unpacked(bits, kHalf);
}
LaneResult rounded(const Number& value) {
  return only(number::packed(value, kHalf, Round::kNearestEven));
}
Number sum_of(const Number& a, const Number& b) {
  return number::sum(a, b, Round::kNearestEven);
}
LaneResult sum(Bits a, Bits b) {
  return rounded(sum_of(value_of(a), value_of(b)));
}
LaneResult product(Bits a, Bits b) {
  return rounded(number::product(value_of(a), value_of(b)));
}
LaneResult fused(In in) {
  return rounded(sum_of(number::product(value_of(in.a), value_of(in.b)), value_of(in.c)));
}
/// Two roundings, and zeros for denormal numbers before and behind each.
LaneResult multiplied_added(Bits a, Bits b, Bits c) {
  const Bits first = kHalf.flushed(product(kHalf.flushed(a), kHalf.flushed(b)).value);
  return only(kHalf.flushed(sum(first, kHalf.flushed(c)).value));
}
Bits negative(Bits bits) {
  return bits ^ kHalf.sign();
}
Bits quiet(Bits nan) {
  return nan | 0x200;
}

/// Numbers by their order, -0 below 0; a signalling NaN wins and becomes quiet, a quiet one loses.
Bits chosen(Bits a, Bits b, bool the_least) {
  const auto is_signalling = [](Bits x) { return kHalf.is_nan(x) && (x & 0x200) == 0; };
  if (is_signalling(a) || is_signalling(b)) {
    return quiet(is_signalling(a) ? a : b);
  }
  if (kHalf.is_nan(a) || kHalf.is_nan(b)) {
    return kHalf.is_nan(a) ? b : a;
  }
  const auto key = [](Bits x) { return x >= 0x8000 ? 0xffff - x : x + 0x8000; };
  return (key(a) < key(b)) == the_least ? a : b;
}
template <bool kLeast>
LaneResult extreme(In in) {
  return only(chosen(in.a, in.b, kLeast));
}
/// Of the first two the least or the greatest, and then the other way about.
template <bool kLeast>
LaneResult two_extremes(In in) {
  return only(chosen(chosen(in.a, in.b, kLeast), in.c, !kLeast));
}
template <bool kLeast>
LaneResult extreme_of_three(In in) {
  return only(chosen(chosen(in.a, in.b, kLeast), in.c, kLeast));
}
LaneResult middle(In in) {
  if (kHalf.is_nan(in.a) || kHalf.is_nan(in.b) || kHalf.is_nan(in.c)) {
    return extreme_of_three<true>(in);
  }
  Bits all[] = {in.a, in.b, in.c};
  std::ranges::sort(all, [](Bits x, Bits y) { return x != y && chosen(x, y, true) == x; });
  return only(all[1]);
}

/// By a function of long double.
template <auto F>
LaneResult approximate(In in) {
  const auto single = static_cast<std::uint32_t>(
      number::packed(value_of(in.a), kSingle, Round::kNearestEven)); // exact
  const long double made = F(static_cast<long double>(std::bit_cast<float>(single)));
  const auto close = std::bit_cast<Bits>(static_cast<double>(made));
  return rounded(number::unpacked(close, number::kDouble));
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

template <Round kMode>
LaneResult integral(In in) {
  return rounded(number::integral(value_of(in.a), kMode));
}
LaneResult fraction(In in) {
  const Number x = value_of(in.a);
  const Bits made = rounded(sum_of(x, number::negated(number::integral(x, Round::kDown)))).value;
  return only(made == kHalf.one() ? made - 1 : made);
}
/// x = 0.1… * 2^result.
int exponent_of(Bits bits) {
  const Number x = value_of(bits);
  const auto digits = static_cast<Bits>(x.significand);
  return digits == 0 ? 0 : x.exponent + 64 - std::countl_zero(digits);
}
bool is_finite(Bits bits) {
  return !kHalf.is_nan(bits) && !kHalf.is_infinite(bits);
}
LaneResult frexp_exponent(In in) {
  return only(static_cast<std::uint16_t>(is_finite(in.a) ? exponent_of(in.a) : 0));
}
LaneResult frexp_mantissa(In in) {
  Number x = value_of(in.a);
  if (is_finite(in.a)) {
    x.exponent -= exponent_of(in.a);
  }
  return rounded(x);
}
LaneResult scaled(In in) {
  Number x = value_of(in.a);
  x.exponent += std::clamp<int>(static_cast<std::int16_t>(in.b), -100, 100);
  return rounded(x);
}
LaneResult fixed_up(In in) { // a is the quotient, b the denominator, c the numerator
  const Bits sign = (in.b ^ in.c) & kHalf.sign();
  if (kHalf.is_nan(in.c)) {
    return only(quiet(in.c));
  }
  if (kHalf.is_nan(in.b)) {
    return only(quiet(in.b));
  }
  const bool zeros = kHalf.is_zero(in.b) && kHalf.is_zero(in.c);
  if (zeros || (kHalf.is_infinite(in.b) && kHalf.is_infinite(in.c))) {
    return only(0xfe00);
  }
  if (kHalf.is_infinite(in.c) || kHalf.is_zero(in.b)) {
    return only(sign | kHalf.infinity());
  }
  if (kHalf.is_infinite(in.b) || kHalf.is_zero(in.c)) {
    return only(sign);
  }
  return only(sign | (in.a & 0x7fff));
}

LaneResult from_single(In in) {
  return rounded(number::unpacked(in.a, kSingle));
}
LaneResult to_single(In in) {
  return only(number::packed(value_of(in.a), kSingle, Round::kNearestEven));
}
std::int64_t as_signed(Bits bits) {
  return static_cast<std::int16_t>(bits);
}
/// Towards zero, and the nearest that there is; 0 for what is no number.
LaneResult to_integer(Bits bits, int least, int most) {
  if (kHalf.is_nan(bits)) {
    return only(0);
  }
  const __int128 value = number::to_integer(number::integral(value_of(bits), Round::kZero));
  return only(static_cast<std::uint16_t>(std::clamp<__int128>(value, least, most)));
}
/// The nearest integer of a fraction of `most`.
Bits normalised(const Number& x, int least, int most) {
  if (x.is_nan()) {
    return 0;
  }
  const Number product = number::product(x, Number::integer(most));
  const __int128 value = number::to_integer(number::integral(product, Round::kNearestEven));
  return static_cast<std::uint16_t>(std::clamp<__int128>(value, least, most));
}
template <bool kSigned, number::Format kFormat>
LaneResult normalised_pair(In in) {
  constexpr int kMost = kSigned ? 32767 : 65535;
  constexpr int kLeast = kSigned ? -32767 : 0;
  return only(normalised(number::unpacked(in.a, kFormat), kLeast, kMost) |
              normalised(number::unpacked(in.b, kFormat), kLeast, kMost) << 16);
}
template <bool kSigned>
LaneResult normalised_half(In in) {
  return only(normalised(value_of(in.a), kSigned ? -32767 : 0, kSigned ? 32767 : 65535));
}
/// Towards zero. A NaN keeps what of it a half has, and is quiet.
LaneResult cut_pair(In in) {
  const auto cut = [](Bits bits) {
    return kSingle.is_nan(bits)
               ? (bits >> 16 & 0x8000) | quiet(0x7c00) | (bits >> 13 & 0x1ff)
               : number::packed(number::unpacked(bits, kSingle), kHalf, Round::kZero);
  };
  return only(cut(in.a) | cut(in.b) << 16);
}
LaneResult saturated_pair(std::int64_t a, std::int64_t b, int least, int most) {
  const auto cut = [&](std::int64_t x) {
    return Bits{static_cast<std::uint16_t>(std::clamp<std::int64_t>(x, least, most))};
  };
  return only(cut(a) | cut(b) << 16);
}

enum Relation : unsigned { kLess = 1, kEqual = 2, kGreater = 4, kUnordered = 8 };
template <unsigned kRelations>
LaneResult compare(In in) {
  const auto order = [](Bits x) {
    return (x & 0x8000) != 0 ? -(as_signed(x & 0x7fff)) : as_signed(x);
  };
  const bool has_nan = kHalf.is_nan(in.a) || kHalf.is_nan(in.b);
  const Relation found = has_nan                      ? kUnordered
                         : order(in.a) < order(in.b)  ? kLess
                         : order(in.a) == order(in.b) ? kEqual
                                                      : kGreater;
  return {0, (found & kRelations) != 0};
}
LaneResult is_of_class(In in) {
  // From -infinity to infinity, by magnitude.
  const Bits magnitude = in.a & 0x7fff;
  const unsigned size = magnitude == 0        ? 0
                        : magnitude < 0x0400  ? 1
                        : magnitude < 0x7c00  ? 2
                        : magnitude == 0x7c00 ? 3
                                              : 4;
  const bool negative = (in.a & 0x8000) != 0;
  const unsigned found = size == 4 ? ((in.a & 0x200) != 0 ? 1 : 0) : negative ? 5 - size : 6 + size;
  return {0, ((in.b >> found) & 1) != 0};
}

/// Of 16 bits, or with a clamp the nearest that there is.
LaneResult short_result(In in, std::int64_t exact, std::int64_t least, std::int64_t most) {
  return only(static_cast<Bits>(in.clamp ? std::clamp(exact, least, most) : exact));
}
LaneResult unsigned_short(In in, std::int64_t exact) {
  return short_result(in, exact, 0, 0xffff);
}
LaneResult signed_short(In in, std::int64_t exact) {
  return short_result(in, exact, -0x8000, 0x7fff);
}
template <bool kSigned, unsigned kPlace>
LaneResult of_three(In in) {
  Bits all[] = {in.a, in.b, in.c};
  std::ranges::sort(all,
                    [](Bits x, Bits y) { return kSigned ? as_signed(x) < as_signed(y) : x < y; });
  return only(all[kPlace]);
}

using enum Exactness;
#define PAIR(name, relations)                                                                      \
  {"v_cmp_" name "_f16", "m=hh", compare<relations>}, {                                            \
    "v_cmpx_" name "_f16", "x=hh", compare<relations>                                              \
  }
constexpr unsigned kAll = kLess | kEqual | kGreater;
constexpr VectorForm kForms[] = {
    {"v_add_f16", "h=hh", [](In i) { return sum(i.a, i.b); }, kNumber},
    {"v_sub_f16", "h=hh", [](In i) { return sum(i.a, negative(i.b)); }, kNumber},
    {"v_subrev_f16", "h=hh", [](In i) { return sum(i.b, negative(i.a)); }, kNumber},
    {"v_mul_f16", "h=hh", [](In i) { return product(i.a, i.b); }, kNumber},
    {"v_min_f16", "h=hh", extreme<true>},
    {"v_max_f16", "h=hh", extreme<false>},
    {"v_fma_f16", "h^=hhh", fused, kNumber},
    {"v_fma_legacy_f16", "h=hhh", fused, kNumber},
    {"v_mad_f16", "h^=hhh", [](In i) { return multiplied_added(i.a, i.b, i.c); }, kNumber},
    {"v_mad_legacy_f16", "h=hhh", [](In i) { return multiplied_added(i.a, i.b, i.c); }, kNumber},
    {"v_mac_f16", "h|=hh+", [](In i) { return multiplied_added(i.a, i.b, i.c); }, kNumber},
    {"v_madmk_f16", "h|=hhK", [](In i) { return multiplied_added(i.a, i.b, i.c); }, kNumber},
    {"v_madak_f16", "h|=hhk", [](In i) { return multiplied_added(i.a, i.b, i.c); }, kNumber},
    {"v_fmac_f16", "h|=hh+", fused, kNumber},
    {"v_fmamk_f16", "h|=hhK", fused, kNumber},
    {"v_fmaak_f16", "h|=hhk", fused, kNumber},
    {"v_maxmin_f16", "h^=hhh", two_extremes<false>},
    {"v_minmax_f16", "h^=hhh", two_extremes<true>},
    {"v_min3_f16", "h^=hhh", extreme_of_three<true>},
    {"v_max3_f16", "h^=hhh", extreme_of_three<false>},
    {"v_med3_f16", "h^=hhh", middle},
    {"v_div_fixup_f16", "h^=hhh", fixed_up},
    {"v_div_fixup_legacy_f16", "h=hhh", fixed_up},
    {"v_rcp_f16", "h=h",
     [](In i) { return rounded(number::quotient(value_of(kHalf.one()), value_of(i.a))); },
     kApproximate},
    {"v_rsq_f16", "h=h",
     [](In i) {
       return rounded(number::quotient(value_of(kHalf.one()), number::square_root(value_of(i.a))));
     },
     kApproximate},
    {"v_sqrt_f16", "h=h", [](In i) { return rounded(number::square_root(value_of(i.a))); },
     kApproximate},
    {"v_exp_f16", "h=h", approximate<[](long double x) { return std::exp2(x); }>, kApproximate},
    {"v_log_f16", "h=h", approximate<[](long double x) { return std::log2(x); }>, kApproximate},
    {"v_sin_f16", "h=h", approximate<sine>, kApproximate},
    {"v_cos_f16", "h=h", approximate<cosine>, kApproximate},
    {"v_floor_f16", "h=h", integral<Round::kDown>, kNumber},
    {"v_ceil_f16", "h=h", integral<Round::kUp>, kNumber},
    {"v_trunc_f16", "h=h", integral<Round::kZero>, kNumber},
    {"v_rndne_f16", "h=h", integral<Round::kNearestEven>, kNumber},
    {"v_fract_f16", "h=h", fraction, kNumber},
    {"v_frexp_exp_i16_f16", "s=h", frexp_exponent},
    {"v_frexp_mant_f16", "h=h", frexp_mantissa, kNumber},
    {"v_ldexp_f16", "h=hs", scaled, kNumber},
    {"v_cvt_f16_f32", "h=f", from_single, kNumber},
    {"v_cvt_f32_f16", "f=h", to_single, kNumber},
    {"v_cvt_f16_u16", "h=s", [](In i) { return rounded(Number::integer(i.a)); }},
    {"v_cvt_f16_i16", "h=s", [](In i) { return rounded(Number::integer(as_signed(i.a))); }},
    {"v_cvt_u16_f16", "s=h", [](In i) { return to_integer(i.a, 0, 65535); }},
    {"v_cvt_i16_f16", "s=h", [](In i) { return to_integer(i.a, -32768, 32767); }},
    {"v_cvt_norm_u16_f16", "s=h", normalised_half<false>},
    {"v_cvt_norm_i16_f16", "s=h", normalised_half<true>},
    {"v_cvt_pkrtz_f16_f32", "u=ff", cut_pair},
    {"v_cvt_pknorm_u16_f32", "u=ff", normalised_pair<false, kSingle>},
    {"v_cvt_pknorm_i16_f32", "u=ff", normalised_pair<true, kSingle>},
    {"v_cvt_pknorm_u16_f16", "u^=hh", normalised_pair<false, kHalf>},
    {"v_cvt_pknorm_i16_f16", "u^=hh", normalised_pair<true, kHalf>},
    {"v_cvt_pk_u16_u32", "u=uu",
     [](In i) {
       return saturated_pair(static_cast<std::int64_t>(i.a), static_cast<std::int64_t>(i.b), 0,
                             65535);
     }},
    {"v_cvt_pk_i16_i32", "u=uu",
     [](In i) {
       return saturated_pair(static_cast<std::int32_t>(i.a), static_cast<std::int32_t>(i.b), -32768,
                             32767);
     }},
    {"v_pack_b32_f16", "u^=hh", [](In i) { return only(i.a | i.b << 16); }},

    {"v_cmp_class_f16", "m=hs", is_of_class},
    {"v_cmpx_class_f16", "x=hs", is_of_class},
    PAIR("f", 0),
    PAIR("lt", kLess),
    PAIR("eq", kEqual),
    PAIR("le", kLess | kEqual),
    PAIR("gt", kGreater),
    PAIR("lg", kLess | kGreater),
    PAIR("ge", kGreater | kEqual),
    PAIR("o", kAll),
    PAIR("u", kUnordered),
    PAIR("nge", kLess | kUnordered),
    PAIR("nlg", kEqual | kUnordered),
    PAIR("ngt", kLess | kEqual | kUnordered),
    PAIR("nle", kGreater | kUnordered),
    PAIR("neq", kLess | kGreater | kUnordered),
    PAIR("nlt", kEqual | kGreater | kUnordered),
    PAIR("tru", kAll | kUnordered),

    {"v_add_i16", "s~^=ss", [](In i) { return signed_short(i, as_signed(i.a) + as_signed(i.b)); }},
    {"v_sub_i16", "s~^=ss", [](In i) { return signed_short(i, as_signed(i.a) - as_signed(i.b)); }},
    {"v_mad_u16", "s~^=sss",
     [](In i) { return unsigned_short(i, static_cast<std::int64_t>(i.a * i.b + i.c)); }},
    {"v_mad_i16", "s~^=sss",
     [](In i) { return signed_short(i, as_signed(i.a) * as_signed(i.b) + as_signed(i.c)); }},
    {"v_mad_legacy_u16", "s~=sss",
     [](In i) { return unsigned_short(i, static_cast<std::int64_t>(i.a * i.b + i.c)); }},
    {"v_mad_legacy_i16", "s~=sss",
     [](In i) { return signed_short(i, as_signed(i.a) * as_signed(i.b) + as_signed(i.c)); }},
    {"v_mad_u32_u16", "u~^=ssu",
     [](In i) {
       return short_result(i, static_cast<std::int64_t>(i.a * i.b + i.c), 0, 0xffffffff);
     }},
    {"v_mad_i32_i16", "u~^=ssu",
     [](In i) {
       return short_result(i, as_signed(i.a) * as_signed(i.b) + static_cast<std::int32_t>(i.c),
                           -(std::int64_t{1} << 31), (std::int64_t{1} << 31) - 1);
     }},
    {"v_min3_u16", "s^=sss", of_three<false, 0>},
    {"v_med3_u16", "s^=sss", of_three<false, 1>},
    {"v_max3_u16", "s^=sss", of_three<false, 2>},
    {"v_min3_i16", "s^=sss", of_three<true, 0>},
    {"v_med3_i16", "s^=sss", of_three<true, 1>},
    {"v_max3_i16", "s^=sss", of_three<true, 2>},
};
#undef PAIR

} // namespace

std::span<const VectorForm> half_forms() {
  return kForms;
}

} // namespace gantry::simt::amdgcn
