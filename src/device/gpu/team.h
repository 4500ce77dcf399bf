// The state of a team: what its threads, the runtime's functions called by them, and the workers of
// a generic kernel share.
//
// A team is a block. In an SPMD kernel all its threads run the user's code from the start, outside
// of parallel regions redundantly. In a generic kernel the main thread, lane 0 of the last warp,
// runs it alone, and the threads of the other warps are workers that wait for parallel regions; the
// rest of the last warp ends at once. Regions inside of parallel regions have one thread.
//
// How deep in regions a thread is, only that thread reads and writes. Everything else in Team is
// written by one thread (thread 0, or the main thread) while the others wait for it in a barrier.
#pragma once

#include "device/gpu/machine.h"

namespace gantry::device {

/// Internal control variables of a data environment (OpenMP 5.2, section 2.1). Those that are not
/// here have one value on the device.
struct Icvs {
  int32_t num_threads; ///< of the next parallel region; 0: as many as there are
  int32_t schedule;    ///< run-sched-var: a Schedule of worksharing
  int32_t chunk;
  int32_t max_active_levels;
};

struct Team {
  uint8_t mode;       ///< the kernel's: bits of GANTRY_KERNEL_*
  uint32_t available; ///< threads that can be in a region: all of the block, or the workers
  uint32_t size;     ///< of the parallel region at work; in SPMD kernels `available` outside of one
  WorkFunction work; ///< generic: of the region at work; null when the kernel ends
  void** arguments;  ///< generic: of the region at work
  LaunchEnvironment* launch; ///< null if there is none
  Icvs icvs;                 ///< of the initial task, and inherited by the region's threads
};

extern GANTRY_IN_SHARED Team team;
/// For each thread, the number of regions that it is in, without the team's implicit one.
extern GANTRY_IN_SHARED uint8_t region_depth[machine::kMaxBlockSize];

inline uint32_t stored_depth() {
  return region_depth[machine::thread_in_block()];
}
/// stored_depth(). The linker wrapper folds this query in functions that are reached at one depth
/// alone (src/link/runtime_queries.h), so what runs between enter_region() and leave_region() for
/// the function that begins the region must not ask.
extern "C" uint32_t __gantry_region_depth();
inline uint32_t depth() {
  return __gantry_region_depth();
}
inline void set_depth(uint32_t depth) {
  region_depth[machine::thread_in_block()] = static_cast<uint8_t>(depth);
}
/// The kernel's mode, which nothing else reads from team.mode, because the linker wrapper folds
/// this query (src/link/runtime_queries.h).
extern "C" uint8_t __gantry_kernel_mode();
inline bool is_spmd() {
  return (__gantry_kernel_mode() & GANTRY_KERNEL_SPMD) != 0;
}

/// The calling thread begins and ends its part of a region, which `outer` others are around.
void enter_region(uint32_t outer);
void leave_region(uint32_t outer);

/// In a region of more than one thread, at its own level?
inline bool in_active_region() {
  return depth() == 1 && team.size > 1;
}
/// In an SPMD kernel, thread 0 runs what one thread does: its place in the block is its number.
inline uint32_t thread_number() {
  return depth() == 1 && (is_spmd() || team.size > 1) ? machine::thread_in_block() : 0;
}
inline uint32_t thread_count() {
  return depth() == 1 ? team.size : 1;
}

/// Lanes of this warp that are in the team.
inline machine::LaneMask lanes_of_team() {
  const uint32_t threads = in_active_region() ? team.size : machine::block_size();
  const uint32_t first = machine::thread_in_block() - machine::lane();
  const uint32_t lanes =
      threads - first < machine::warp_size() ? threads - first : machine::warp_size();
  return ~machine::LaneMask{0} >> (64 - lanes);
}

/// The main thread of a generic kernel.
inline uint32_t main_thread() {
  return (machine::block_size() - 1) & ~(machine::warp_size() - 1);
}

/// A barrier of the calling thread's team. Outside of regions the team is the block in an SPMD
/// kernel, and the thread alone in a generic kernel.
void sync_team();
/// By one thread when a kernel begins.
void start_barriers();

/// Barriers of the block by number. 0 is sync_block()'s.
inline constexpr uint32_t kTeamBarrier = 1;
inline constexpr uint32_t kWorkBarrier = 2;

} // namespace gantry::device
