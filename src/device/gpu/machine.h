// What a GPU is to this runtime: threads in warps in blocks, their barriers, and a little more.
// Everything that differs from one kind of GPU to another stands in the file included at the end.
//
// Threads of a warp may part, and on NVIDIA's GPUs go on by themselves (independent thread
// scheduling), so nothing here may be taken for convergent unless a mask says who takes part.
#pragma once

#include "device/gpu/types.h"

namespace gantry::device::machine {

/// A bit for each lane of a warp.
using LaneMask = uint64_t;

/// Threads of a block at most.
inline constexpr uint32_t kMaxBlockSize = 1024;
/// A power of two; the last warp of a block may have fewer threads.
uint32_t warp_size();

uint32_t thread_in_block();
uint32_t block_size();
uint32_t block_in_grid();
uint32_t grid_size();
uint32_t lane();
/// Further dimensions of the grid, which only bare kernels have.
uint32_t thread_in_block_y();
uint32_t thread_in_block_z();
uint32_t block_size_y();
uint32_t block_size_z();
uint32_t block_in_grid_y();
uint32_t block_in_grid_z();
uint32_t grid_size_y();
uint32_t grid_size_z();

/// The active mask: the lanes that are converged here now, without a promise that they stay so.
LaneMask active_lanes();
/// Waits for the lanes of `mask`, of which this is one; their memory accesses are ordered.
void sync_warp(LaneMask mask);
/// Of the lane `distance` further on among groups of `width` lanes, for the lanes of `mask`, which
/// all come here; undefined where there is none.
uint32_t shuffle_down(LaneMask mask, uint32_t value, uint32_t distance, uint32_t width);
LaneMask ballot(LaneMask mask, bool predicate);

/// A barrier of all threads of the block that have not ended; threads may arrive at different
/// program points.
void sync_block();
/// The same where all threads arrive at the same program point, which the optimiser may use.
void sync_block_aligned();
/// The same among the first `threads` of the block. Each `barrier` of 1 to 15 counts by itself.
/// False, without having waited, if the GPU has no barrier for that many threads.
bool sync_first(uint32_t barrier, uint32_t threads);
/// A second barrier of all threads of the block that have not ended, for kernels that do not use
/// sync_block() while some threads wait here.
void sync_all(uint32_t barrier);

/// Orders this thread's memory accesses for others of the block, of the device.
void fence_block();
void fence_device();

/// Lets other threads run for about `nanoseconds`.
void pause(uint32_t nanoseconds);

/// `kLockstep`, a constant, says whether the lanes of a warp go on together. If so, a lane that
/// waits in a loop keeps all others of its warp from running.
///
/// The number of the calling thread's warp in the grid, from 1 on, if its lanes go on together; 1
/// otherwise.
uint32_t lockstep_group();

/// Calls `body` in each thread: where the lanes of a warp go on together, in one lane after the
/// other, so that it may take a lock.
template <typename Body>
void one_by_one(Body body);
uint64_t nanoseconds(); ///< of a clock that all blocks share

/// The shared memory that the launch adds to the kernel's own.
void* dynamic_shared();
/// True if `place` is in the block's shared memory.
bool is_shared(const void* place);
/// True if `place` is in the calling thread's own memory, where there are no atomic operations.
bool is_private(const void* place);

/// Writes a message among the program's output; the arguments lie in memory as the members of a
/// structure, promoted as C does it. The number of arguments, or negative if it cannot be written.
int print(const char* format, const void* arguments);
/// The same with arguments as the compiler lays out those of a variadic function.
int print_variadic(const char* format, const void* arguments);

[[noreturn]] void trap();
[[noreturn]] void assertion_failed(const char* text, const char* file, uint32_t line,
                                   const char* function);

/// Rounded to nearest.
double square_root(double x);
float square_root(float x);
/// An integer: the nearest one, ties to even; the nearest one towards zero. Numbers that are out of
/// range become the least or the greatest.
int64_t rounded(double x);
int64_t rounded(float x);
template <typename Real>
int64_t truncated(Real x);

} // namespace gantry::device::machine

/// In the memory that a block shares: of a variable's declaration, and of its definition, which
/// leaves the variable undefined when a kernel begins.
#define GANTRY_IN_SHARED __attribute__((address_space(3)))
#define GANTRY_SHARED __attribute__((address_space(3), loader_uninitialized))

/// For functions that kernels rarely call, or that are large and wait for other threads anyway: an
/// image has one copy of each.
#define GANTRY_NOINLINE [[gnu::noinline]]

namespace gantry::device::machine {

/// The generic address of a place in shared memory.
template <typename Value>
Value* generic(GANTRY_IN_SHARED Value* place) {
  return (Value*)place;
}

} // namespace gantry::device::machine

#if defined(__NVPTX__)
#include "device/gpu/machine_nvptx.h"
#elif defined(__AMDGCN__)
#include "device/gpu/machine_amdgcn.h"
#else
#error "this GPU has no machine_*.h"
#endif
