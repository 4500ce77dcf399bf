// machine.h for AMD's GPUs (LLVM's "User Guide for AMDGPU Backend"; the instructions that LLVM
// selects in brackets).
//
// The lanes of a warp, AMD's wave, execute in lockstep: a lane that waits for another one of its
// warp waits for ever. A processor's waves have 64 or 32 lanes, and one bitcode file serves both,
// since LLVM knows the number when it compiles the image.
//
// What the hardware does not pass in registers, the launch appends to the kernel's arguments, the
// "implicit kernel arguments" of code object version 5 and newer.
#pragma once

#include "device/gpu/environment.h"

namespace gantry::device::machine {

inline uint32_t warp_size() {
  return __builtin_amdgcn_wavefrontsize();
}

/// The implicit arguments as far as they are read.
struct ImplicitArguments {
  uint32_t grid_size[3]; ///< in blocks
  uint16_t block_size[3];
};
inline const ImplicitArguments& implicit_arguments() {
  return *(const ImplicitArguments*)__builtin_amdgcn_implicitarg_ptr();
}

#define GANTRY_DIMENSION(suffix, letter, number)                                                   \
  inline uint32_t thread_in_block##suffix() {                                                      \
    return __builtin_amdgcn_workitem_id_##letter();                                                \
  }                                                                                                \
  inline uint32_t block_in_grid##suffix() {                                                        \
    return __builtin_amdgcn_workgroup_id_##letter();                                               \
  }                                                                                                \
  inline uint32_t block_size##suffix() {                                                           \
    return implicit_arguments().block_size[number];                                                \
  }                                                                                                \
  inline uint32_t grid_size##suffix() {                                                            \
    return implicit_arguments().grid_size[number];                                                 \
  }
GANTRY_DIMENSION(, x, 0)
GANTRY_DIMENSION(_y, y, 1)
GANTRY_DIMENSION(_z, z, 2)
#undef GANTRY_DIMENSION

/// The number of lanes in front [v_mbcnt].
inline uint32_t lane() {
  return __builtin_amdgcn_mbcnt_hi(~0U, __builtin_amdgcn_mbcnt_lo(~0U, 0U));
}

inline LaneMask ballot(LaneMask mask, bool predicate) {
  return mask & __builtin_amdgcn_ballot_w64(predicate);
}
inline LaneMask active_lanes() {
  return __builtin_amdgcn_ballot_w64(true);
}
/// For the compiler alone: the lanes are where this one is.
inline void sync_warp(LaneMask) {
  __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "wavefront");
  __builtin_amdgcn_wave_barrier();
}
inline uint32_t shuffle_down(LaneMask, uint32_t value, uint32_t distance, uint32_t /*width*/) {
  constexpr uint32_t kBytes = sizeof value;
  return static_cast<uint32_t>(__builtin_amdgcn_ds_bpermute(
      static_cast<int32_t>((lane() + distance) * kBytes), static_cast<int32_t>(value)));
}

/// [s_barrier] counts the warps of the block that have not ended, whichever of their lanes arrive.
inline void sync_block() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
inline void sync_block_aligned() {
  sync_block();
}
/// There is one barrier in hardware, and it is the block's.
inline bool sync_first(uint32_t /*barrier*/, uint32_t /*threads*/) {
  return false;
}
/// The same barrier as sync_block(): SPMD kernels use that one and generic kernels this one.
inline void sync_all(uint32_t /*barrier*/) {
  sync_block();
}

inline void fence_block() {
  __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup");
}
inline void fence_device() {
  __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent");
}

/// [s_sleep] takes a constant, in units of 64 clock cycles.
inline void pause(uint32_t /*nanoseconds*/) {
  __builtin_amdgcn_s_sleep(1);
}
template <typename Body>
void one_by_one(Body body) {
  for (LaneMask rest = active_lanes(); rest != 0; rest &= rest - 1) {
    if (lane() == static_cast<uint32_t>(__builtin_ctzll(rest))) {
      body();
    }
  }
}

inline constexpr bool kLockstep = true;
inline uint32_t lockstep_group() {
  const uint32_t block =
      (block_in_grid_z() * grid_size_y() + block_in_grid_y()) * grid_size() + block_in_grid();
  const uint32_t thread =
      (thread_in_block_z() * block_size_y() + thread_in_block_y()) * block_size() +
      thread_in_block();
  return (block * kMaxBlockSize + thread) / warp_size() + 1;
}

/// The clock's frequency is the device's own; the plugin knows it.
inline uint64_t nanoseconds() {
  constexpr uint64_t kSecond = 1'000'000'000;
  const uint64_t frequency = __omp_rtl_device_environment.clock_frequency;
  const uint64_t ticks = __builtin_readsteadycounter();
  return frequency == 0 ? ticks
                        : ticks / frequency * kSecond + ticks % frequency * kSecond / frequency;
}

extern "C" __attribute__((address_space(3))) unsigned char __gantry_dynamic_shared[];
inline void* dynamic_shared() {
  return (void*)__gantry_dynamic_shared;
}
inline bool is_shared(const void* place) {
  return __builtin_amdgcn_is_shared((const __attribute__((address_space(0))) void*)place);
}
inline bool is_private(const void* place) {
  return __builtin_amdgcn_is_private((const __attribute__((address_space(0))) void*)place);
}

/// In printing_amdgcn.cpp; each argument is at the next multiple of its size, of `alignment` at
/// most.
extern "C" int __gantry_print(const char* format, const void* arguments, uint32_t alignment);

inline int print(const char* format, const void* arguments) {
  return __gantry_print(format, arguments, 8);
}
/// LLVM packs what varies into words of 4 bytes.
inline int print_variadic(const char* format, const void* arguments) {
  return __gantry_print(format, arguments, 4);
}

[[noreturn]] inline void trap() {
  __builtin_trap();
}
[[noreturn]] inline void assertion_failed(const char* text, const char* file, uint32_t line,
                                          const char* function) {
  struct {
    const char* file;
    uint32_t line;
    const char* function;
    uint32_t block[3], thread[3];
    const char* text;
  } arguments = {file,
                 line,
                 function,
                 {block_in_grid(), block_in_grid_y(), block_in_grid_z()},
                 {thread_in_block(), thread_in_block_y(), thread_in_block_z()},
                 text};
  print("%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n", &arguments);
  trap();
}

inline double square_root(double x) {
  return __builtin_sqrt(x);
}
inline float square_root(float x) {
  return __builtin_sqrtf(x);
}

/// The conversion itself is undefined for numbers out of range.
template <typename Real>
int64_t truncated(Real x) {
  constexpr Real kBeyond = 0x1p63F;
  constexpr int64_t kMost = 0x7FFF'FFFF'FFFF'FFFF;
  return x >= kBeyond ? kMost : x >= -kBeyond ? static_cast<int64_t>(x) : -kMost - 1;
}
inline int64_t rounded(double x) {
  return truncated(__builtin_rint(x));
}
inline int64_t rounded(float x) {
  return truncated(__builtin_rintf(x));
}

} // namespace gantry::device::machine
