// What conversions give.
#include "vector_form.h"

#include "../../instructions/number.h"

#include <algorithm>

namespace gantry::simt::amdgcn {

namespace {

namespace number = instructions;
using number::Format;
using number::kDouble;
using number::kSingle;
using number::Number;
using In = const LaneInput&;
constexpr auto kNearest = number::Round::kNearestEven;

LaneResult to_float(const Number& value, Format format) {
  return {number::packed(value, format, kNearest), false};
}
LaneResult between(std::uint64_t bits, Format from, Format to) {
  return to_float(number::unpacked(bits, from), to);
}
LaneResult from_signed(std::uint64_t bits, Format to) {
  return to_float(Number::integer(static_cast<std::int32_t>(bits)), to);
}
LaneResult from_unsigned(std::uint64_t bits, Format to) {
  return to_float(Number::integer(static_cast<std::uint32_t>(bits)), to);
}
/// Towards zero, and the nearest that there is; 0 for what is no number.
LaneResult to_integer(std::uint64_t bits, Format from, __int128 least, __int128 most) {
  if (from.is_nan(bits)) {
    return {0, false};
  }
  const Number whole = number::integral(number::unpacked(bits, from), number::Round::kZero);
  const __int128 value = std::clamp(number::to_integer(whole), least, most);
  return {static_cast<std::uint32_t>(value), false};
}
/// Towards minus infinity, of x or of x + 1/2.
template <bool kAddsHalf>
LaneResult rounded_down(In in) {
  constexpr std::uint64_t kOneHalf = 0x3f000000;
  Number x = number::unpacked(in.a, kSingle);
  if (kAddsHalf) {
    x = number::sum(x, number::unpacked(kOneHalf, kSingle), kNearest);
  }
  const Number whole = number::integral(x, number::Round::kDown);
  const __int128 value = x.is_nan() ? 0
                                    : std::clamp(number::to_integer(whole), -(__int128{1} << 31),
                                                 (__int128{1} << 31) - 1);
  return {static_cast<std::uint32_t>(value), false};
}
LaneResult to_signed(std::uint64_t bits, Format from) {
  return to_integer(bits, from, -(__int128{1} << 31), (__int128{1} << 31) - 1);
}
LaneResult to_unsigned(std::uint64_t bits, Format from) {
  return to_integer(bits, from, 0, (__int128{1} << 32) - 1);
}
template <unsigned kByte>
LaneResult byte(In in) {
  return to_float(Number::integer(in.a / (std::uint64_t{1} << (8 * kByte)) % 256), kSingle);
}

using enum Exactness;
constexpr VectorForm kForms[] = {
    {"v_cvt_f32_f64", "f=d", [](In i) { return between(i.a, kDouble, kSingle); }, kNumber},
    {"v_cvt_f64_f32", "d=f", [](In i) { return between(i.a, kSingle, kDouble); }, kNumber},
    {"v_cvt_f32_i32", "f=u", [](In i) { return from_signed(i.a, kSingle); }},
    {"v_cvt_f32_u32", "f=u", [](In i) { return from_unsigned(i.a, kSingle); }},
    {"v_cvt_f64_i32", "d=u", [](In i) { return from_signed(i.a, kDouble); }},
    {"v_cvt_f64_u32", "d=u", [](In i) { return from_unsigned(i.a, kDouble); }},
    {"v_cvt_i32_f32", "u=f", [](In i) { return to_signed(i.a, kSingle); }},
    {"v_cvt_u32_f32", "u=f", [](In i) { return to_unsigned(i.a, kSingle); }},
    {"v_cvt_flr_i32_f32", "u=f", rounded_down<false>},
    {"v_cvt_rpi_i32_f32", "u=f", rounded_down<true>},
    {"v_cvt_i32_f64", "u=d", [](In i) { return to_signed(i.a, kDouble); }},
    {"v_cvt_u32_f64", "u=d", [](In i) { return to_unsigned(i.a, kDouble); }},
    {"v_cvt_f32_ubyte0", "f=u", byte<0>},
    {"v_cvt_f32_ubyte1", "f=u", byte<1>},
    {"v_cvt_f32_ubyte2", "f=u", byte<2>},
    {"v_cvt_f32_ubyte3", "f=u", byte<3>},
};

} // namespace

std::span<const VectorForm> conversion_forms() {
  return kForms;
}

} // namespace gantry::simt::amdgcn
