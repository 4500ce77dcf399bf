// Loops as Flang hands them over: a function for one iteration, and how many there are. Iterations
// are counted from 0; a chunk of 0 iterations means that the program has named none.
//
// Without a chunk neighbouring threads take neighbouring iterations, so that their accesses
// coalesce.
#include "team.h"

namespace gantry::device {
namespace {

/// Who takes part in a loop, and who of them this thread is.
struct Share {
  uint64_t number, count;
};

Share of_thread() {
  return {thread_number(), thread_count()};
}

Share of_team() {
  return {machine::block_in_grid(), machine::grid_size()};
}

template <typename Number>
using Iteration = void (*)(Number number, void* arguments);

/// The iterations from `begin` to before `end`, in chunks dealt out in turn.
template <typename Number>
[[gnu::always_inline]] inline void deal(Iteration<Number> run, void* arguments, uint64_t begin,
                                        uint64_t end, const Share& share, Number named_chunk) {
  const uint64_t chunk = named_chunk == 0 ? 1 : static_cast<uint64_t>(named_chunk);
  const uint64_t stride = share.count * chunk;
  uint64_t first = begin + share.number * chunk;
  while (first < end) {
    const uint64_t last = end - first < chunk ? end : first + chunk;
    for (uint64_t number = first; number < last; ++number) {
      run(static_cast<Number>(number), arguments);
    }
    if (end - first <= stride) { // the sum could wrap around
      return;
    }
    first += stride;
  }
}

/// The chunk of a team that the program has not named: all teams get about as many iterations, one
/// block each (OpenMP 5.2, section 11.6), and whole warps of threads have work.
uint64_t even_chunk(uint64_t count, uint64_t teams, uint64_t threads) {
  const uint64_t each = count / teams + (count % teams == 0 ? 0 : 1);
  return each == 0 ? 1 : (each + threads - 1) / threads * threads;
}

/// A team's chunks are divided among its threads.
template <typename Number>
[[gnu::always_inline]] inline void deal_twice(Iteration<Number> run, void* arguments,
                                              uint64_t count, Number team_chunk,
                                              Number thread_chunk) {
  const Share team = of_team();
  const Share thread = of_thread();
  const uint64_t chunk = team_chunk == 0 ? even_chunk(count, team.count, thread.count)
                                         : static_cast<uint64_t>(team_chunk);
  const uint64_t stride = team.count * chunk;
  uint64_t first = team.number * chunk;
  while (first < count) {
    const uint64_t last = count - first < chunk ? count : first + chunk;
    deal<Number>(run, arguments, first, last, thread, thread_chunk);
    if (count - first <= stride) { // the sum could wrap around
      return;
    }
    first += stride;
  }
}

} // namespace

#define GANTRY_NORMALISED_LOOP(suffix, Number)                                                     \
  [[gnu::always_inline]] void __kmpc_for_static_loop_##suffix(                                     \
      Ident*, Iteration<Number> run, void* arguments, Number count, Number /*threads*/,            \
      Number chunk, uint8_t /*at_most_one*/) {                                                     \
    deal<Number>(run, arguments, 0, count, of_thread(), chunk);                                    \
  }                                                                                                \
  [[gnu::always_inline]] void __kmpc_distribute_static_loop_##suffix(                              \
      Ident*, Iteration<Number> run, void* arguments, Number count, Number chunk,                  \
      uint8_t /*at_most_one*/) {                                                                   \
    const Share team = of_team();                                                                  \
    const uint64_t even = even_chunk(count, team.count, 1);                                        \
    deal<Number>(run, arguments, 0, count, team, chunk == 0 ? static_cast<Number>(even) : chunk);  \
  }                                                                                                \
  [[gnu::always_inline]] void __kmpc_distribute_for_static_loop_##suffix(                          \
      Ident*, Iteration<Number> run, void* arguments, Number count, Number /*threads*/,            \
      Number team_chunk, Number thread_chunk, uint8_t /*at_most_one*/) {                           \
    deal_twice<Number>(run, arguments, count, team_chunk, thread_chunk);                           \
  }

extern "C" {

GANTRY_NORMALISED_LOOP(4, uint32_t)
GANTRY_NORMALISED_LOOP(4u, uint32_t)
GANTRY_NORMALISED_LOOP(8, uint64_t)
GANTRY_NORMALISED_LOOP(8u, uint64_t)

} // extern "C"

} // namespace gantry::device
