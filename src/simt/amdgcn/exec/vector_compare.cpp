// Comparisons: a bit for each lane.
#include "simt/amdgcn/exec/meanings.h"

namespace gantry::simt::amdgcn {

GANTRY_LEVEL_BEGIN

namespace {

// Each comparison also has a form that writes EXEC as well, "v_cmpx_…".
#define COMPARISON(name, type, expression)                                                         \
  {"v_cmp_" name, compare_meaning<[](type a, type b) { return expression; }>()},                   \
      {"v_cmpx_" name, compare_meaning<[](type a, type b) { return expression; }, true>()},
#define OF_INTEGERS(suffix, type)                                                                  \
  COMPARISON("f_" suffix, type, (void(a), void(b), false))                                         \
  COMPARISON("lt_" suffix, type, a < b)                                                            \
  COMPARISON("eq_" suffix, type, a == b)                                                           \
  COMPARISON("le_" suffix, type, a <= b)                                                           \
  COMPARISON("gt_" suffix, type, a > b)                                                            \
  COMPARISON("ne_" suffix, type, a != b)                                                           \
  COMPARISON("ge_" suffix, type, a >= b)                                                           \
  COMPARISON("t_" suffix, type, (void(a), void(b), true))
// lg is "less or greater"; o and u: both are numbers, or not; n: not.
#define OF_FLOATS(suffix, type)                                                                    \
  COMPARISON("f_" suffix, type, (void(a), void(b), false))                                         \
  COMPARISON("lt_" suffix, type, a < b)                                                            \
  COMPARISON("eq_" suffix, type, a == b)                                                           \
  COMPARISON("le_" suffix, type, a <= b)                                                           \
  COMPARISON("gt_" suffix, type, a > b)                                                            \
  COMPARISON("lg_" suffix, type, a<b || a> b)                                                      \
  COMPARISON("ge_" suffix, type, a >= b)                                                           \
  COMPARISON("o_" suffix, type, a == a && b == b)                                                  \
  COMPARISON("u_" suffix, type, a != a || b != b)                                                  \
  COMPARISON("nge_" suffix, type, !(a >= b))                                                       \
  COMPARISON("nlg_" suffix, type, !(a < b || a > b))                                               \
  COMPARISON("ngt_" suffix, type, !(a > b))                                                        \
  COMPARISON("nle_" suffix, type, !(a <= b))                                                       \
  COMPARISON("neq_" suffix, type, !(a == b))                                                       \
  COMPARISON("nlt_" suffix, type, !(a < b))                                                        \
  COMPARISON("tru_" suffix, type, (void(a), void(b), true))

constexpr MeaningEntry kMeanings[] = {OF_INTEGERS("i16", i16) OF_INTEGERS("u16", u16)
                                          OF_INTEGERS("i32", i32) OF_INTEGERS("u32", u32)
                                              OF_INTEGERS("i64", i64) OF_INTEGERS("u64", u64)
                                                  OF_FLOATS("f32", f32) OF_FLOATS("f64", f64)};

} // namespace

std::span<const MeaningEntry> vector_compare_meanings() {
  return kMeanings;
}

GANTRY_LEVEL_END

} // namespace gantry::simt::amdgcn
