// Loops in which each thread's or team's iterations are known at the start: schedule(static),
// sections, and distribute (OpenMP 5.2, sections 11.5 and 11.6).
//
// Clang counts iterations from the lower to the upper bound in steps of `increment`. It gets the
// first chunk and the distance to the next, and clips the last chunk itself.
#include "device/gpu/loops.h"
#include "device/gpu/team.h"

#include <gantry/gpu_image.h>

namespace gantry::device {
namespace {

template <typename Number, typename Signed>
struct Bounds {
  Number* lower;
  Number* upper;
  Signed* stride;
};

/// The first chunk of a part and the distance to its next one; all lie beyond the loop where there
/// is nothing to do, and Clang clips. False if numbers beyond the loop do not fit into the type:
/// without that, every thread's lower bound is a multiple of its number, as addresses of
/// neighbours should be.
template <typename Number, typename Signed>
[[gnu::always_inline]] inline bool deal_chunks(const Part& part,
                                               const Bounds<Number, Signed>& bounds,
                                               Signed increment, Signed chunk_size) {
  Signed round = 0;
  Number beyond = 0;
  if (increment < 0 || __builtin_mul_overflow(part.count, chunk_size, &round) ||
      __builtin_mul_overflow(round, increment, &round) ||
      __builtin_add_overflow(*bounds.lower, round, &beyond) ||
      __builtin_add_overflow(*bounds.upper, round, &beyond)) {
    return false;
  }
  const auto size = static_cast<Number>(chunk_size) * static_cast<Number>(increment);
  *bounds.lower += static_cast<Number>(part.number) * size;
  *bounds.upper = *bounds.lower + size - static_cast<Number>(increment);
  *bounds.stride = round;
  return true;
}

template <typename Number, typename Signed>
void share(const Part& part, bool chunked, int32_t* last, const Bounds<Number, Signed>& bounds,
           Signed increment, Signed chunk_size) {
  const auto lower = static_cast<uint64_t>(*bounds.lower);
  const auto upper = static_cast<uint64_t>(*bounds.upper);
  const auto step = static_cast<uint64_t>(static_cast<int64_t>(increment));
  const bool empty = increment > 0 ? *bounds.upper < *bounds.lower : *bounds.lower < *bounds.upper;
  const uint64_t trips = increment == 1  ? upper - lower
                         : increment > 0 ? (upper - lower) / step
                                         : (lower - upper) / (0 - step);
  if (chunked && chunk_size > 0 && deal_chunks(part, bounds, increment, chunk_size)) {
    if (last != nullptr) {
      const uint64_t chunks = trips / static_cast<uint64_t>(chunk_size);
      *last = !empty && chunks % part.count == part.number ? 1 : 0;
    }
    return;
  }
  if (empty) {
    if (last != nullptr) {
      *last = 0;
    }
    return;
  }
  // Of trips + 1 iterations, which may not fit into 64 bits.
  uint64_t first = 0, length = 0, stride = 0;
  bool is_last = false;
  if (chunked && chunk_size > 0) {
    const auto chunk = static_cast<uint64_t>(chunk_size);
    const bool has_some = part.number <= trips / chunk;
    first = part.number * chunk;
    length = has_some ? chunk : 0;
    stride = part.count * chunk;
    is_last = trips / chunk % part.count == part.number;
  } else {
    uint64_t each = trips / part.count, more = trips % part.count + 1;
    if (more == part.count) {
      ++each;
      more = 0;
    }
    first = part.number * each + (part.number < more ? part.number : more);
    length = each + (part.number < more ? 1 : 0);
    stride = trips + 1;
    is_last = length != 0 && first + length - 1 == trips;
  }
  if (last != nullptr) {
    *last = is_last ? 1 : 0;
  }
  *bounds.stride = static_cast<Signed>(stride * step);
  // Nothing to do is a lower bound above the upper one, within the type's range and not beyond the
  // upper bound of the whole loop, to which Clang clips.
  const Number whole = *bounds.upper;
  const bool has_next = static_cast<Number>(whole + 1) > whole;
  *bounds.lower = length != 0 ? static_cast<Number>(lower + first * step)
                  : has_next  ? static_cast<Number>(whole + 1)
                              : whole;
  *bounds.upper = length != 0 ? static_cast<Number>(lower + (first + length - 1) * step)
                  : has_next  ? whole
                              : static_cast<Number>(whole - 1);
}

/// As many iterations in a chunk of a team that the program leaves open: several for each thread,
/// whose parallel region costs what it costs, and as many for each team as for the others.
template <typename Number, typename Signed>
Signed chunk_of_team(int32_t schedule, const Bounds<Number, Signed>& bounds, Signed increment,
                     Signed chunk_size) {
  constexpr uint64_t kMostPerThread = 64;
  if (schedule != GANTRY_DISTRIBUTE_OPEN || increment != 1 || *bounds.upper < *bounds.lower) {
    return chunk_size;
  }
  const auto trips = static_cast<uint64_t>(*bounds.upper) - static_cast<uint64_t>(*bounds.lower);
  const uint64_t rounds =
      trips / (uint64_t{machine::grid_size()} * static_cast<uint64_t>(chunk_size)) + 1;
  return chunk_size * static_cast<Signed>(rounds < kMostPerThread ? rounds : kMostPerThread);
}

bool is_chunked(int32_t schedule) {
  const int32_t kind = schedule & kScheduleMask;
  return kind == kStaticChunked || kind == kStaticBalancedChunked ||
         kind == kOrderedStaticChunked || kind == kDistributeChunked ||
         kind == GANTRY_DISTRIBUTE_OPEN;
}

} // namespace

#define GANTRY_STATIC_LOOP(suffix, Number, Signed)                                                 \
  void __kmpc_for_static_init_##suffix(Ident*, int32_t, int32_t schedule, int32_t* last,           \
                                       Number* lower, Number* upper, Signed* stride,               \
                                       Signed increment, Signed chunk) {                           \
    share<Number, Signed>(this_thread(), is_chunked(schedule), last, {lower, upper, stride},       \
                          increment, chunk);                                                       \
  }                                                                                                \
  void __kmpc_distribute_static_init_##suffix(Ident*, int32_t, int32_t schedule, int32_t* last,    \
                                              Number* lower, Number* upper, Signed* stride,        \
                                              Signed increment, Signed chunk) {                    \
    const Bounds<Number, Signed> bounds = {lower, upper, stride};                                  \
    share<Number, Signed>(this_team(), is_chunked(schedule), last, bounds, increment,              \
                          chunk_of_team(schedule, bounds, increment, chunk));                      \
  }

extern "C" {

GANTRY_STATIC_LOOP(4, int32_t, int32_t)
GANTRY_STATIC_LOOP(4u, uint32_t, int32_t)
GANTRY_STATIC_LOOP(8, int64_t, int64_t)
GANTRY_STATIC_LOOP(8u, uint64_t, int64_t)

void __kmpc_for_static_fini(Ident*, int32_t) {}
void __kmpc_distribute_static_fini(Ident*, int32_t) {}

} // extern "C"

} // namespace gantry::device
