// LLVM's extensions (ompx.h): the grid as the machine has it.
#include "device/gpu/machine.h"

namespace gantry::device {
namespace {

int32_t in_dimension(int32_t dimension, uint32_t x, uint32_t y, uint32_t z) {
  return static_cast<int32_t>(dimension == 0 ? x : dimension == 1 ? y : z);
}

template <typename Value>
Value shuffle_down(uint64_t mask, Value value, uint32_t delta, uint32_t width) {
  uint32_t words[sizeof(Value) / sizeof(uint32_t)];
  __builtin_memcpy(words, &value, sizeof value);
  for (uint32_t& word : words) {
    word = machine::shuffle_down(mask, word, delta, width);
  }
  __builtin_memcpy(&value, words, sizeof value);
  return value;
}

} // namespace

extern "C" {

#define GANTRY_OF_GRID(name, of_machine)                                                           \
  int32_t name(int32_t dimension) {                                                                \
    return in_dimension(dimension, machine::of_machine(), machine::of_machine##_y(),               \
                        machine::of_machine##_z());                                                \
  }
GANTRY_OF_GRID(ompx_thread_id, thread_in_block)
GANTRY_OF_GRID(ompx_block_id, block_in_grid)
GANTRY_OF_GRID(ompx_block_dim, block_size)
GANTRY_OF_GRID(ompx_grid_dim, grid_size)
#undef GANTRY_OF_GRID
void ompx_sync_block(int32_t) {
  machine::sync_block_aligned();
}
void ompx_sync_block_acq_rel() {
  machine::sync_block_aligned();
}
void ompx_sync_block_divergent(int32_t) {
  machine::sync_block();
}
uint64_t ompx_ballot_sync(uint64_t mask, int32_t predicate) {
  return machine::ballot(mask, predicate != 0);
}
#define GANTRY_SHUFFLE_DOWN(name, Value)                                                           \
  Value name(uint64_t mask, Value value, uint32_t delta, int32_t width) {                          \
    return shuffle_down(mask, value, delta, static_cast<uint32_t>(width));                         \
  }
GANTRY_SHUFFLE_DOWN(ompx_shfl_down_sync_i, int32_t)
GANTRY_SHUFFLE_DOWN(ompx_shfl_down_sync_f, float)
GANTRY_SHUFFLE_DOWN(ompx_shfl_down_sync_l, int64_t)
GANTRY_SHUFFLE_DOWN(ompx_shfl_down_sync_d, double)
#undef GANTRY_SHUFFLE_DOWN

void* __kmpc_get_dynamic_shared() {
  return machine::dynamic_shared();
}
void* llvm_omp_target_dynamic_shared_alloc() {
  return machine::dynamic_shared();
}
void* llvm_omp_get_dynamic_shared() {
  return machine::dynamic_shared();
}

} // extern "C"

} // namespace gantry::device
