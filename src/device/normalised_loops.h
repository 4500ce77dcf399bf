// Loops as Flang hands them over: a function for one iteration, and how many there are, counted
// from 0. A chunk of 0 iterations means that the program has named none. Chunks are dealt out in
// turn (OpenMP 5.2, sections 11.5.3 and 11.6); a share without a chunk is one block for each team,
// and what the kind of device says for each thread.
//
// Everything is inlined where it is called, the iteration too.
#pragma once

#include <stdint.h>

namespace gantry::device {

/// One of those among whom a loop is divided.
struct Part {
  uint64_t number, count;
};

template <typename Number>
using Iteration = void (*)(Number number, void* arguments);

/// A chunk that the program names, cut to the loop: products of it and of the number of parts do
/// not wrap around then, in any loop that ends in this century.
[[gnu::always_inline]] inline uint64_t cut(uint64_t chunk, uint64_t count) {
  return chunk < count ? chunk : count;
}

/// Iterations from `begin` to before `end`, in chunks that are dealt out in turn.
template <typename Number>
[[gnu::always_inline]] inline void deal(Iteration<Number> run, void* arguments, uint64_t begin,
                                        uint64_t end, const Part& part, uint64_t chunk) {
  const uint64_t stride = part.count * chunk;
  for (uint64_t first = begin + part.number * chunk; first < end;) {
    const auto base = static_cast<Number>(first);
    const auto length = static_cast<Number>(end - first < chunk ? end - first : chunk);
    // In the iteration's own type, from which the optimiser learns how addresses follow each other.
    for (Number number = 0; number < length; ++number) {
      run(base + number, arguments);
    }
    if (end - first <= stride) { // the sum could wrap around
      return;
    }
    first += stride;
  }
}

/// The chunk by which all get about as many iterations, one block each; a multiple of `unit`.
[[gnu::always_inline]] inline uint64_t even_chunk(uint64_t count, uint64_t parts, uint64_t unit) {
  const uint64_t each = count / parts + (count % parts == 0 ? 0 : 1);
  return each == 0 ? unit : (each + unit - 1) / unit * unit;
}

/// Team by team, and the team's chunks thread by thread. `thread_chunk` is what a thread takes of a
/// block where the program does not say.
template <typename Number, typename ThreadChunk>
[[gnu::always_inline]] inline void deal_twice(Iteration<Number> run, void* arguments,
                                              uint64_t count, const Part& team, uint64_t team_chunk,
                                              const Part& thread, uint64_t named_thread_chunk,
                                              ThreadChunk thread_chunk) {
  const uint64_t block =
      team_chunk == 0 ? even_chunk(count, team.count, thread.count) : cut(team_chunk, count);
  const uint64_t stride = team.count * block;
  for (uint64_t first = team.number * block; first < count;) {
    const uint64_t last = count - first < block ? count : first + block;
    const uint64_t chunk = named_thread_chunk == 0 ? thread_chunk(last - first, thread.count)
                                                   : cut(named_thread_chunk, last - first);
    deal(run, arguments, first, last, thread, chunk);
    if (count - first <= stride) {
      return;
    }
    first += stride;
  }
}

} // namespace gantry::device

/// The entry points for one type of iteration number. `this_thread()` and `this_team()` are the
/// calling thread's parts, `thread_chunk(count, threads)` as above.
#define GANTRY_NORMALISED_LOOP(suffix, Number)                                                     \
  [[gnu::always_inline]] void __kmpc_for_static_loop_##suffix(                                     \
      void*, Iteration<Number> run, void* arguments, Number count, Number /*threads*/,             \
      Number chunk, uint8_t /*at_most_one*/) {                                                     \
    const Part thread = this_thread();                                                             \
    deal(run, arguments, 0, count, thread,                                                         \
         chunk == 0 ? thread_chunk(count, thread.count) : cut(chunk, count));                      \
  }                                                                                                \
  [[gnu::always_inline]] void __kmpc_distribute_static_loop_##suffix(                              \
      void*, Iteration<Number> run, void* arguments, Number count, Number chunk,                   \
      uint8_t /*at_most_one*/) {                                                                   \
    const Part team = this_team();                                                                 \
    deal(run, arguments, 0, count, team,                                                           \
         chunk == 0 ? even_chunk(count, team.count, 1) : cut(chunk, count));                       \
  }                                                                                                \
  [[gnu::always_inline]] void __kmpc_distribute_for_static_loop_##suffix(                          \
      void*, Iteration<Number> run, void* arguments, Number count, Number /*threads*/,             \
      Number team_chunk, Number chunk, uint8_t /*at_most_one*/) {                                  \
    deal_twice(run, arguments, count, this_team(), team_chunk, this_thread(), chunk,               \
               thread_chunk);                                                                      \
  }
#define GANTRY_NORMALISED_LOOPS                                                                    \
  GANTRY_NORMALISED_LOOP(4, uint32_t)                                                              \
  GANTRY_NORMALISED_LOOP(4u, uint32_t)                                                             \
  GANTRY_NORMALISED_LOOP(8, uint64_t)                                                              \
  GANTRY_NORMALISED_LOOP(8u, uint64_t)
