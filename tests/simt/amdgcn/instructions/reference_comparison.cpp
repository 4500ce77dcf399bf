// What comparisons give: their names say which of less, equal, greater and unordered is true.
#include "vector_form.h"

#include "../../instructions/number.h"

namespace gantry::simt::amdgcn {

namespace {

namespace number = instructions;

enum Relation : unsigned { kLess = 1, kEqual = 2, kGreater = 4, kUnordered = 8 };

template <unsigned kWidth, bool kSigned>
Relation of_integers(std::uint64_t a, std::uint64_t b) {
  const auto key = [](std::uint64_t value) { // whose order without a sign is the order
    const std::uint64_t top = std::uint64_t{1} << (kWidth - 1);
    return kSigned ? low_bits(value, kWidth) ^ top : low_bits(value, kWidth);
  };
  return key(a) < key(b) ? kLess : key(a) == key(b) ? kEqual : kGreater;
}

Relation of_floats(std::uint64_t a, std::uint64_t b, number::Format format) {
  if (format.is_nan(a) || format.is_nan(b)) {
    return kUnordered;
  }
  const auto key = [&](std::uint64_t bits) { // sign and magnitude as an integer
    const auto magnitude = static_cast<std::int64_t>(bits & (format.sign() - 1));
    return (bits & format.sign()) != 0 ? -magnitude : magnitude;
  };
  return key(a) < key(b) ? kLess : key(a) == key(b) ? kEqual : kGreater;
}

template <unsigned kWidth, bool kSigned, unsigned kRelations>
LaneResult compare_integers(const LaneInput& in) {
  return {0, (of_integers<kWidth, kSigned>(in.a, in.b) & kRelations) != 0};
}
template <bool kWide, unsigned kRelations>
LaneResult compare_floats(const LaneInput& in) {
  return {0, (of_floats(in.a, in.b, kWide ? number::kDouble : number::kSingle) & kRelations) != 0};
}

/// Classes by number: signalling NaN, quiet NaN, -infinity, -normal, -denormal, -0, 0, denormal,
/// normal, infinity.
template <bool kWide>
LaneResult is_of_class(const LaneInput& in) {
  constexpr number::Format kFormat = kWide ? number::kDouble : number::kSingle;
  const bool negative = (in.a & kFormat.sign()) != 0;
  unsigned found = 0;
  if (kFormat.is_nan(in.a)) {
    found = ((in.a >> (kFormat.fraction_bits - 1)) & 1) != 0 ? 1 : 0;
  } else if (kFormat.is_infinite(in.a)) {
    found = negative ? 2 : 9;
  } else if (kFormat.is_zero(in.a)) {
    found = negative ? 5 : 6;
  } else if (kFormat.is_subnormal(in.a)) {
    found = negative ? 4 : 7;
  } else {
    found = negative ? 3 : 8;
  }
  return {0, ((in.b >> found) & 1) != 0};
}

#define PAIR(name, letters, ...)                                                                   \
  {"v_cmp_" name, "m=" letters, __VA_ARGS__}, {                                                    \
    "v_cmpx_" name, "x=" letters, __VA_ARGS__                                                      \
  }
#define INTEGERS(suffix, letters, width, is_signed)                                                \
  PAIR("f_" suffix, letters, compare_integers<width, is_signed, 0>),                               \
      PAIR("lt_" suffix, letters, compare_integers<width, is_signed, kLess>),                      \
      PAIR("eq_" suffix, letters, compare_integers<width, is_signed, kEqual>),                     \
      PAIR("le_" suffix, letters, compare_integers<width, is_signed, kLess | kEqual>),             \
      PAIR("gt_" suffix, letters, compare_integers<width, is_signed, kGreater>),                   \
      PAIR("ne_" suffix, letters, compare_integers<width, is_signed, kLess | kGreater>),           \
      PAIR("ge_" suffix, letters, compare_integers<width, is_signed, kGreater | kEqual>),          \
      PAIR("t_" suffix, letters, compare_integers<width, is_signed, kLess | kEqual | kGreater>)
#define FLOATS(suffix, letters, wide)                                                              \
  PAIR("f_" suffix, letters, compare_floats<wide, 0>),                                             \
      PAIR("lt_" suffix, letters, compare_floats<wide, kLess>),                                    \
      PAIR("eq_" suffix, letters, compare_floats<wide, kEqual>),                                   \
      PAIR("le_" suffix, letters, compare_floats<wide, kLess | kEqual>),                           \
      PAIR("gt_" suffix, letters, compare_floats<wide, kGreater>),                                 \
      PAIR("lg_" suffix, letters, compare_floats<wide, kLess | kGreater>),                         \
      PAIR("ge_" suffix, letters, compare_floats<wide, kGreater | kEqual>),                        \
      PAIR("o_" suffix, letters, compare_floats<wide, kLess | kEqual | kGreater>),                 \
      PAIR("u_" suffix, letters, compare_floats<wide, kUnordered>),                                \
      PAIR("nge_" suffix, letters, compare_floats<wide, kLess | kUnordered>),                      \
      PAIR("nlg_" suffix, letters, compare_floats<wide, kEqual | kUnordered>),                     \
      PAIR("ngt_" suffix, letters, compare_floats<wide, kLess | kEqual | kUnordered>),             \
      PAIR("nle_" suffix, letters, compare_floats<wide, kGreater | kUnordered>),                   \
      PAIR("neq_" suffix, letters, compare_floats<wide, kLess | kGreater | kUnordered>),           \
      PAIR("nlt_" suffix, letters, compare_floats<wide, kEqual | kGreater | kUnordered>),          \
      PAIR("tru_" suffix, letters, compare_floats<wide, kLess | kEqual | kGreater | kUnordered>)

constexpr VectorForm kForms[] = {
    INTEGERS("i16", "ss", 16, true),
    INTEGERS("u16", "ss", 16, false),
    INTEGERS("i32", "uu", 32, true),
    INTEGERS("u32", "uu", 32, false),
    INTEGERS("i64", "II", 64, true),
    INTEGERS("u64", "UU", 64, false),
    FLOATS("f32", "ff", false),
    FLOATS("f64", "dd", true),
    PAIR("class_f32", "fu", is_of_class<false>),
    PAIR("class_f64", "du", is_of_class<true>),
};

} // namespace

std::span<const VectorForm> comparison_forms() {
  return kForms;
}

} // namespace gantry::simt::amdgcn
