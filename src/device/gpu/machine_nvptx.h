// machine.h for NVIDIA's GPUs from sm_70 on (PTX ISA 6.3; CUDA's names in brackets).
#pragma once

namespace gantry::device::machine {

inline constexpr uint32_t kWarpSize = 32;

inline uint32_t thread_in_block() {
  return static_cast<uint32_t>(__nvvm_read_ptx_sreg_tid_x());
}
inline uint32_t block_size() {
  return static_cast<uint32_t>(__nvvm_read_ptx_sreg_ntid_x());
}
inline uint32_t block_in_grid() {
  return static_cast<uint32_t>(__nvvm_read_ptx_sreg_ctaid_x());
}
inline uint32_t grid_size() {
  return static_cast<uint32_t>(__nvvm_read_ptx_sreg_nctaid_x());
}
inline uint32_t lane() {
  return static_cast<uint32_t>(__nvvm_read_ptx_sreg_laneid());
}

inline uint32_t thread_in_block_y() {
  return static_cast<uint32_t>(__nvvm_read_ptx_sreg_tid_y());
}
inline uint32_t thread_in_block_z() {
  return static_cast<uint32_t>(__nvvm_read_ptx_sreg_tid_z());
}
inline uint32_t block_size_y() {
  return static_cast<uint32_t>(__nvvm_read_ptx_sreg_ntid_y());
}
inline uint32_t block_size_z() {
  return static_cast<uint32_t>(__nvvm_read_ptx_sreg_ntid_z());
}
inline uint32_t block_in_grid_y() {
  return static_cast<uint32_t>(__nvvm_read_ptx_sreg_ctaid_y());
}
inline uint32_t block_in_grid_z() {
  return static_cast<uint32_t>(__nvvm_read_ptx_sreg_ctaid_z());
}
inline uint32_t grid_size_y() {
  return static_cast<uint32_t>(__nvvm_read_ptx_sreg_nctaid_y());
}
inline uint32_t grid_size_z() {
  return static_cast<uint32_t>(__nvvm_read_ptx_sreg_nctaid_z());
}

inline LaneMask active_lanes() {
  return static_cast<uint32_t>(__nvvm_activemask());
}
inline void sync_warp(LaneMask mask) {
  __nvvm_bar_warp_sync(static_cast<uint32_t>(mask));
}
inline uint32_t shuffle_down(LaneMask mask, uint32_t value, uint32_t distance, uint32_t width) {
  const uint32_t groups = (kWarpSize - width) << 8 | 31;
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
inline void sync_first(uint32_t barrier, uint32_t threads) {
  __nvvm_barrier_sync_cnt(barrier, threads);
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

[[noreturn]] inline void trap() {
  __builtin_trap();
}

} // namespace gantry::device::machine
