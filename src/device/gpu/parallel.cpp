// Parallel regions (OpenMP 5.2, section 10.1).
//
// In an SPMD kernel all threads come to the region, each with its own copy of the arguments, and
// those of the team run it; where the optimiser has made the kernel one, they execute what is
// before the region too, and a region may write what is read there. In a generic kernel the main
// thread comes alone, hands the region to the workers and waits. A region inside of another has one
// thread, its master's.
#include "device/gpu/heap.h"
#include "device/gpu/messages.h"
#include "device/gpu/team.h"
#include "device/gpu/thread_state.h"

namespace gantry::device {
namespace {

/// The number of shared variables whose list fits in shared memory; longer lists are on the heap.
constexpr uint64_t kArgumentsKept = 32;

using Slot = void*;
GANTRY_SHARED Slot kept_arguments[kArgumentsKept];

/// The region's body. Clang makes functions with a parameter for each variable; the linker wrapper
/// puts such a function in front, which takes them from a list (src/link/parallel_regions.h), and
/// says so by folding the query.
using Body = void (*)(int32_t* thread, int32_t* bound, void** arguments);
extern "C" bool __gantry_bodies_take_lists();

/// Where another linker has linked the program, bodies are as Clang makes them. LLVM must see
/// nothing of it: it knows all functions that a region's body can be, and Clang says of each that
/// it does not recur, so that LLVM would take it for granted that their caller does not either. A
/// nested region's body is called by the function that the outer one's body calls.
constexpr uint64_t kMostParameters = 32;
template <typename... Given>
[[gnu::always_inline]] inline void call_with_each(void* body, int32_t* thread, int32_t* bound,
                                                  void** arguments, uint64_t count,
                                                  Given... given) {
  constexpr uint64_t kGiven = sizeof...(Given);
  if (count == kGiven) {
    reinterpret_cast<void (*)(int32_t*, int32_t*, Given...)>(body)(thread, bound, given...);
  } else if constexpr (kGiven < kMostParameters) {
    call_with_each(body, thread, bound, arguments, count, given..., arguments[kGiven]);
  } else {
    fail("a parallel region with more than 32 variables takes Gantry's link");
  }
}
[[gnu::noinline, clang::optnone]] void call_with_list(void* body, int32_t* thread, int32_t* bound,
                                                      void** arguments, uint64_t count) {
  call_with_each(body, thread, bound, arguments, count);
}

uint32_t team_size(int32_t clause) {
  const int32_t asked = clause > 0 ? clause : current_icvs().num_threads;
  return asked > 0 && static_cast<uint32_t>(asked) < team.available ? static_cast<uint32_t>(asked)
                                                                    : team.available;
}

/// In an SPMD kernel: the threads from `size` on leave the others to be the region's team.
void begin_some(uint32_t size) {
  machine::sync_block(); // nobody still looks at the team of before
  if (machine::thread_in_block() == 0) {
    team.size = size;
  }
  machine::sync_block();
}

void end_some() {
  machine::sync_block();
  if (machine::thread_in_block() == 0) {
    team.size = team.available;
  }
  machine::sync_block();
}

void run_in_workers(uint32_t size, WorkFunction work, void** arguments, uint64_t count) {
  // The list is in the main thread's own memory.
  void** list = count <= kArgumentsKept ? machine::generic(kept_arguments)
                                        : static_cast<void**>(allocate(count * sizeof(void*)));
  for (uint64_t i = 0; i < count; ++i) {
    list[i] = arguments[i];
  }
  team.size = size;
  team.arguments = list;
  team.work = work;
  machine::sync_all(kWorkBarrier);
  machine::sync_all(kWorkBarrier);
  team.size = 1;
  if (count > kArgumentsKept) {
    free(list);
  }
}

} // namespace

extern "C" {

/// The body is called in one place: it is inlined there.
[[gnu::always_inline]] inline void run_region(bool parallel, int32_t num_threads, Body body,
                                              void* wrapper, void** arguments, uint64_t count) {
  const uint32_t outer = depth();
  const bool outermost = outer == 0;
  const bool active = parallel && outermost && current_icvs().max_active_levels != 0;
  const uint32_t size = active ? team_size(num_threads) : 1;
  const bool together = outermost && is_spmd();
  const bool some = together && size != team.available;
  if (active && !is_spmd() && size > 1) {
    run_in_workers(size, reinterpret_cast<WorkFunction>(wrapper), arguments, count);
    return;
  }
  if (some) {
    begin_some(size);
  } else if (together && __gantry_kernel_mode() != GANTRY_KERNEL_SPMD) {
    machine::sync_block(); // all have read what is before the region
  }
  if (!some || machine::thread_in_block() < size) {
    enter_region(outer);
    auto thread = together ? static_cast<int32_t>(machine::thread_in_block()) : 0;
    int32_t bound = 0;
    if (__gantry_bodies_take_lists()) {
      body(&thread, &bound, arguments);
    } else {
      call_with_list(reinterpret_cast<void*>(body), &thread, &bound, arguments, count);
    }
    leave_region(outer);
  }
  if (some) {
    end_some();
  } else if (together) {
    machine::sync_block();
  }
}

[[gnu::always_inline]] void __kmpc_parallel_60(Ident*, int32_t /*thread*/, int32_t if_clause,
                                               int32_t num_threads, int32_t /*proc_bind*/,
                                               Body body, void* wrapper, void** arguments,
                                               uint64_t count, int32_t /*strict*/) {
  run_region(if_clause != 0, num_threads, body, wrapper, arguments, count);
}

/// Clang 19's.
[[gnu::always_inline]] void __kmpc_parallel_51(Ident*, int32_t /*thread*/, int32_t if_clause,
                                               int32_t num_threads, int32_t /*proc_bind*/,
                                               Body body, void* wrapper, void** arguments,
                                               uint64_t count) {
  run_region(if_clause != 0, num_threads, body, wrapper, arguments, count);
}

void __kmpc_get_shared_variables(void*** arguments) {
  *arguments = team.arguments;
}

} // extern "C"

} // namespace gantry::device
