// Where kernels begin and end, and how the workers of a generic kernel spend the time between.
//
// Clang calls __kmpc_target_init in every thread: the result -1 says "run the region's code", any
// other "return". A worker waits for a parallel region at the work barrier, takes its function
// there, runs it if the team is large enough to have it, and comes to the work barrier again for
// the region's end. The optimiser may put a loop of its own, with direct calls, in place of
// run_worker; it is made of the same functions.
#include "device/gpu/loops.h"
#include "device/gpu/memory.h"
#include "device/gpu/team.h"
#include "device/gpu/thread_state.h"

namespace gantry::device {

extern "C" {
/// Called by kernels of Flang's in which one thread runs (src/pass/flang/sharing.cpp).
[[gnu::always_inline]] void __gantry_one_thread() {}

bool __kmpc_kernel_parallel(WorkFunction* work);
void __kmpc_kernel_end_parallel();
}

namespace {

/// Threads that a generic kernel's team can have: the block without the main thread's warp.
uint32_t workers() {
  const uint32_t threads = machine::block_size();
  return threads > machine::warp_size() ? threads - machine::warp_size() : 0;
}

[[gnu::always_inline]] inline void start_team(const KernelEnvironment& kernel,
                                              LaunchEnvironment* launch) {
  const bool spmd = (kernel.mode & GANTRY_KERNEL_SPMD) != 0;
  team.mode = kernel.mode;
  team.available = spmd ? machine::block_size() : workers();
  team.size = spmd ? team.available : 1;
  team.work = nullptr;
  team.arguments = nullptr;
  // Depending on its version, the host writes null or all ones for "none".
  team.launch = reinterpret_cast<uintptr_t>(launch) + 1 <= 1 ? nullptr : launch;
  team.icvs.num_threads = 0;
  team.icvs.schedule = kStaticChunked;
  team.icvs.chunk = 1;
  team.icvs.max_active_levels = 1;
  start_barriers();
  start_stack();
  start_thread_states();
}

void run_worker(uint32_t thread) {
  for (;;) {
    WorkFunction work = nullptr;
    machine::sync_all(kWorkBarrier);
    const bool takes_part = __kmpc_kernel_parallel(&work);
    if (work == nullptr) {
      return;
    }
    if (takes_part) {
      work(0, static_cast<int32_t>(thread));
      __kmpc_kernel_end_parallel();
    }
    machine::sync_all(kWorkBarrier);
  }
}

} // namespace

extern "C" {

[[gnu::always_inline]] int32_t __kmpc_target_init(KernelEnvironment& kernel,
                                                  LaunchEnvironment* launch) {
  const uint32_t thread = machine::thread_in_block();
  set_depth(0);
  if ((kernel.mode & GANTRY_KERNEL_SPMD) != 0) {
    if (thread == 0) {
      start_team(kernel, launch);
    }
    machine::sync_block_aligned();
    return -1;
  }
  if (thread == main_thread()) {
    start_team(kernel, launch); // the workers look at it behind the work barrier
    return -1;
  }
  if (thread < main_thread() && kernel.uses_state_machine != 0) {
    run_worker(thread);
  }
  return static_cast<int32_t>(thread);
}

[[gnu::always_inline]] void __kmpc_target_deinit() {
  end_thread_state();
  if (!is_spmd()) {
    team.work = nullptr;
    machine::sync_all(kWorkBarrier);
  }
}

bool __kmpc_kernel_parallel(WorkFunction* work) {
  *work = team.work;
  if (team.work == nullptr || machine::thread_in_block() >= team.size) {
    return false;
  }
  enter_region(0);
  return true;
}

void __kmpc_kernel_end_parallel() {
  leave_region(0);
}

void __kmpc_barrier_simple_generic(Ident*, int32_t) {
  machine::sync_all(kWorkBarrier);
}

void __kmpc_barrier_simple_spmd(Ident*, int32_t) {
  machine::sync_block_aligned();
}

int8_t __kmpc_is_spmd_exec_mode() {
  return is_spmd() ? 1 : 0;
}

uint32_t __kmpc_get_hardware_thread_id_in_block() {
  return machine::thread_in_block();
}

uint32_t __kmpc_get_hardware_num_threads_in_block() {
  return machine::block_size();
}

uint32_t __kmpc_get_hardware_num_blocks() {
  return machine::grid_size();
}

uint32_t __kmpc_get_warp_size() {
  return machine::warp_size();
}

/// For the kernels that construct and destroy the image's variables, which have one thread and no
/// environments.
void __gantry_begin_alone() {
  const KernelEnvironment kernel = {};
  set_depth(0);
  start_team(kernel, nullptr);
}

int16_t __kmpc_parallel_level(Ident*, int32_t) {
  return static_cast<int16_t>(depth());
}

int32_t __kmpc_global_thread_num(Ident*) {
  return static_cast<int32_t>(thread_number());
}

} // extern "C"

} // namespace gantry::device
