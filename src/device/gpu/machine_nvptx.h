// machine.h for NVIDIA's GPUs from sm_70 on (PTX ISA 6.3; CUDA's names in brackets).
#pragma once

namespace gantry::device::machine {

inline uint32_t warp_size() {
  return 32;
}

#define GANTRY_SPECIAL_REGISTER(name, special)                                                     \
  inline uint32_t name() {                                                                         \
    return static_cast<uint32_t>(__nvvm_read_ptx_sreg_##special());                                \
  }
GANTRY_SPECIAL_REGISTER(thread_in_block, tid_x)
GANTRY_SPECIAL_REGISTER(block_size, ntid_x)
GANTRY_SPECIAL_REGISTER(block_in_grid, ctaid_x)
GANTRY_SPECIAL_REGISTER(grid_size, nctaid_x)
GANTRY_SPECIAL_REGISTER(lane, laneid)
GANTRY_SPECIAL_REGISTER(thread_in_block_y, tid_y)
GANTRY_SPECIAL_REGISTER(thread_in_block_z, tid_z)
GANTRY_SPECIAL_REGISTER(block_size_y, ntid_y)
GANTRY_SPECIAL_REGISTER(block_size_z, ntid_z)
GANTRY_SPECIAL_REGISTER(block_in_grid_y, ctaid_y)
GANTRY_SPECIAL_REGISTER(block_in_grid_z, ctaid_z)
GANTRY_SPECIAL_REGISTER(grid_size_y, nctaid_y)
GANTRY_SPECIAL_REGISTER(grid_size_z, nctaid_z)
#undef GANTRY_SPECIAL_REGISTER

inline LaneMask active_lanes() {
  return static_cast<uint32_t>(__nvvm_activemask());
}
inline void sync_warp(LaneMask mask) {
  __nvvm_bar_warp_sync(static_cast<uint32_t>(mask));
}
inline uint32_t shuffle_down(LaneMask mask, uint32_t value, uint32_t distance, uint32_t width) {
  const uint32_t groups = (warp_size() - width) << 8 | 31;
  return static_cast<uint32_t>(
      __nvvm_shfl_sync_down_i32(static_cast<uint32_t>(mask), static_cast<int32_t>(value),
                                static_cast<int32_t>(distance), static_cast<int32_t>(groups)));
}
inline LaneMask ballot(LaneMask mask, bool predicate) {
  return static_cast<uint32_t>(__nvvm_vote_ballot_sync(static_cast<uint32_t>(mask), predicate));
}

inline void sync_block() {
  __nvvm_barrier_sync(0);
}
inline void sync_block_aligned() {
  __syncthreads();
}
/// The barriers count whole warps.
inline bool sync_first(uint32_t barrier, uint32_t threads) {
  if (threads % warp_size() != 0) {
    return false;
  }
  __nvvm_barrier_sync_cnt(barrier, threads);
  return true;
}
inline void sync_all(uint32_t barrier) {
  __nvvm_barrier_sync(barrier);
}

inline void fence_block() {
  __nvvm_membar_cta();
}
inline void fence_device() {
  __nvvm_membar_gl();
}

inline void pause(uint32_t nanoseconds) {
  __nvvm_nanosleep(nanoseconds);
}
// Each lane goes on by itself.
template <typename Body>
void one_by_one(Body body) {
  body();
}

inline constexpr bool kLockstep = false;
inline uint32_t lockstep_group() {
  return 1;
}

inline uint64_t nanoseconds() {
  return __builtin_readsteadycounter();
}

extern "C" __attribute__((address_space(3))) unsigned char __gantry_dynamic_shared[];
inline void* dynamic_shared() {
  return (void*)__gantry_dynamic_shared;
}
inline bool is_shared(const void* place) {
  return __nvvm_isspacep_shared(place);
}
inline bool is_private(const void* place) {
  return __nvvm_isspacep_local(place);
}

// Of the driver (CUDA C++ Programming Guide, "system calls").
extern "C" int vprintf(const char* format, const void* arguments);
extern "C" void __assertfail(const char* text, const char* file, uint32_t line,
                             const char* function, size_t character_size);

inline int print(const char* format, const void* arguments) {
  return vprintf(format, arguments);
}
inline int print_variadic(const char* format, const void* arguments) {
  return vprintf(format, arguments);
}

[[noreturn]] inline void trap() {
  __builtin_trap();
}
[[noreturn]] inline void assertion_failed(const char* text, const char* file, uint32_t line,
                                          const char* function) {
  __assertfail(text, file, line, function, 1);
  trap();
}

inline double square_root(double x) {
  return __nvvm_sqrt_rn_d(x);
}
inline float square_root(float x) {
  return __nvvm_sqrt_rn_f(x);
}
inline int64_t rounded(double x) {
  return __nvvm_d2ll_rn(x);
}
inline int64_t rounded(float x) {
  return __nvvm_f2ll_rn(x);
}
template <>
inline int64_t truncated(double x) {
  return __nvvm_d2ll_rz(x);
}
template <>
inline int64_t truncated(float x) {
  return __nvvm_f2ll_rz(x);
}

} // namespace gantry::device::machine
