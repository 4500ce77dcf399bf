// What Flang's device code for a CPU calls, where Clang's has the constructs of the host
// (pass/flang/device_code.h): the kernel's begin and end, parallel regions, and loops of which an
// iteration is a function.
//
// A kernel is called once for each team, by its initial thread (league.cpp beside this folder);
// libomp makes the team of a parallel region. Iterations are counted from 0; a chunk of 0
// iterations means that the program has named none: then each thread takes one block of them, as
// schedule(static) says (OpenMP 5.2, section 11.5.3).
//
// Bitcode, linked into each module when it is compiled.
#include "device/normalised_loops.h"

#include <stdint.h>

#define GANTRY_INLINE [[gnu::always_inline]]

struct Ident;
struct Environment;

extern "C" {

// Of libomp.
void __kmpc_fork_call(Ident*, int32_t count, void* region, ...);
void __kmpc_push_num_threads(Ident*, int32_t thread, int32_t threads);
void __kmpc_push_proc_bind(Ident*, int32_t thread, int32_t kind);
void __kmpc_serialized_parallel(Ident*, int32_t thread);
void __kmpc_end_serialized_parallel(Ident*, int32_t thread);
int omp_get_thread_num();
int omp_get_num_threads();
int omp_get_team_num();
int omp_get_num_teams();
int omp_get_max_threads();
int omp_get_thread_limit();

/// league.cpp's, which the image has to have where it has a kernel of this kind.
void __gantry_run_league(void (*team)(void*), void* context, uint32_t teams, uint32_t thread_limit);

} // extern "C"

namespace gantry::device {
namespace {

/// A region with its arguments in an array: Flang hands over one, Clang many.
struct Call {
  void* region;
  void** arguments;
  uint64_t count;
};

GANTRY_INLINE inline void run(const Call& call, int32_t* thread, int32_t* bound) {
  void** const a = call.arguments;
  switch (call.count) {
  case 0:
    reinterpret_cast<void (*)(int32_t*, int32_t*)>(call.region)(thread, bound);
    break;
  case 1:
    reinterpret_cast<void (*)(int32_t*, int32_t*, void*)>(call.region)(thread, bound, a[0]);
    break;
  default:
    __builtin_trap(); // Flang puts all that a region uses into one structure
  }
}

GANTRY_INLINE inline void fork(Ident* place, const Call& call) {
  if (call.count == 0) {
    __kmpc_fork_call(place, 0, call.region);
  } else if (call.count == 1) {
    __kmpc_fork_call(place, 1, call.region, call.arguments[0]);
  } else {
    __builtin_trap();
  }
}

Part this_thread() {
  return {static_cast<uint64_t>(omp_get_thread_num()),
          static_cast<uint64_t>(omp_get_num_threads())};
}

Part this_team() {
  return {static_cast<uint64_t>(omp_get_team_num()), static_cast<uint64_t>(omp_get_num_teams())};
}

/// A thread takes one block.
uint64_t thread_chunk(uint64_t count, uint64_t threads) {
  return even_chunk(count, threads, 1);
}

} // namespace

extern "C" {

/// Answers -1 to the thread that is to run the kernel's code: here to each that comes.
GANTRY_INLINE int32_t __kmpc_target_init(Environment*, void*) {
  // The linker takes league.cpp into the image where an object refers to it.
  asm volatile("" : : "r"(__gantry_run_league));
  return -1;
}

GANTRY_INLINE void __kmpc_target_deinit() {}

GANTRY_INLINE void __kmpc_parallel_60(Ident* place, int32_t thread, int32_t if_clause,
                                      int32_t num_threads, int32_t proc_bind, void* region,
                                      void* /*wrapper*/, void** arguments, uint64_t count,
                                      int32_t /*strict*/) {
  const Call call{region, arguments, count};
  if (if_clause == 0) {
    int32_t bound = 0;
    __kmpc_serialized_parallel(place, thread);
    run(call, &thread, &bound);
    __kmpc_end_serialized_parallel(place, thread);
    return;
  }
  // libomp warns of teams that the limit makes smaller than they would be.
  const int32_t limit = omp_get_thread_limit();
  const int32_t wanted = num_threads > 0 ? num_threads : omp_get_max_threads();
  if (num_threads > 0 || wanted > limit) {
    __kmpc_push_num_threads(place, thread, wanted < limit ? wanted : limit);
  }
  if (proc_bind >= 0) {
    __kmpc_push_proc_bind(place, thread, proc_bind);
  }
  fork(place, call);
}

GANTRY_NORMALISED_LOOPS

} // extern "C"

} // namespace gantry::device
