// Loops in which each thread's or team's iterations are known at the start: schedule(static),
// sections, and distribute (OpenMP 5.2, sections 11.5 and 11.6).
//
// Clang counts iterations from the lower to the upper bound in steps of `increment`. It gets the
// first chunk and the distance to the next, and clips the last chunk itself.
#include "device/gpu/loops.h"
#include "device/gpu/team.h"

namespace gantry::device {
namespace {

template <typename Number, typename Signed>
struct Bounds {
  Number* lower;
  Number* upper;
  Signed* stride;
};

// Nothing to do: a lower bound above the upper one, within the type's range and not beyond the
// upper bound of the whole loop, to which Clang clips.
template <typename Number, typename Signed>
void give_nothing(const Bounds<Number, Signed>& bounds) {
  const Number upper = *bounds.upper;
  const Number next = upper + 1;
  if (next > upper) {
    *bounds.lower = next;
  } else {
    *bounds.lower = upper;
    *bounds.upper = upper - 1;
  }
}

template <typename Number, typename Signed>
void share(const Part& part, bool chunked, int32_t* last, const Bounds<Number, Signed>& bounds,
           Signed increment, Signed chunk_size) {
  const auto lower = static_cast<uint64_t>(*bounds.lower);
  const auto upper = static_cast<uint64_t>(*bounds.upper);
  const auto step = static_cast<uint64_t>(static_cast<int64_t>(increment));
  const bool empty = increment > 0 ? *bounds.upper < *bounds.lower : *bounds.lower < *bounds.upper;
  if (empty) {
    if (last != nullptr) {
      *last = 0;
    }
    return;
  }
  const uint64_t trips = increment == 1  ? upper - lower
                         : increment > 0 ? (upper - lower) / step
                                         : (lower - upper) / (0 - step);
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
  if (length == 0) {
    give_nothing(bounds);
    return;
  }
  *bounds.lower = static_cast<Number>(lower + first * step);
  *bounds.upper = static_cast<Number>(lower + (first + length - 1) * step);
}

bool is_chunked(int32_t schedule) {
  const int32_t kind = schedule & kScheduleMask;
  return kind == kStaticChunked || kind == kStaticBalancedChunked ||
         kind == kOrderedStaticChunked || kind == kDistributeChunked;
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
    share<Number, Signed>(this_team(), is_chunked(schedule), last, {lower, upper, stride},         \
                          increment, chunk);                                                       \
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
