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

int32_t ompx_thread_id(int32_t dimension) {
  return in_dimension(dimension, machine::thread_in_block(), machine::thread_in_block_y(),
                      machine::thread_in_block_z());
}
int32_t ompx_block_id(int32_t dimension) {
  return in_dimension(dimension, machine::block_in_grid(), machine::block_in_grid_y(),
                      machine::block_in_grid_z());
}
int32_t ompx_block_dim(int32_t dimension) {
  return in_dimension(dimension, machine::block_size(), machine::block_size_y(),
                      machine::block_size_z());
}
int32_t ompx_grid_dim(int32_t dimension) {
  return in_dimension(dimension, machine::grid_size(), machine::grid_size_y(),
                      machine::grid_size_z());
}
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
int32_t ompx_shfl_down_sync_i(uint64_t mask, int32_t value, uint32_t delta, int32_t width) {
  return shuffle_down(mask, value, delta, static_cast<uint32_t>(width));
}
float ompx_shfl_down_sync_f(uint64_t mask, float value, uint32_t delta, int32_t width) {
  return shuffle_down(mask, value, delta, static_cast<uint32_t>(width));
}
int64_t ompx_shfl_down_sync_l(uint64_t mask, int64_t value, uint32_t delta, int32_t width) {
  return shuffle_down(mask, value, delta, static_cast<uint32_t>(width));
}
double ompx_shfl_down_sync_d(uint64_t mask, double value, uint32_t delta, int32_t width) {
  return shuffle_down(mask, value, delta, static_cast<uint32_t>(width));
}

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
