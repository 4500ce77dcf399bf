// Blocks that wait for all others of a cooperative launch.
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

// Each round every thread takes its neighbours' values, which are those of other blocks at the ends.
extern "C" __global__ void rounds(unsigned* values, unsigned* next, unsigned count) {
  cg::grid_group grid = cg::this_grid();
  const unsigned threads = grid.size();
  const unsigned size = threads;
  const unsigned i = grid.thread_rank();
  for (unsigned round = 0; round < count; ++round) {
    next[i] = values[(i + 1) % size] + 3 * values[(i + size - 1) % size];
    grid.sync();
    values[i] = next[i] + round;
    grid.sync();
  }
}

// The sum of what all blocks have counted, known to all of them.
extern "C" __global__ void totals(const unsigned* values, unsigned* partial, unsigned* sums) {
  cg::grid_group grid = cg::this_grid();
  __shared__ unsigned sum;
  if (threadIdx.x == 0) {
    sum = 0;
  }
  __syncthreads();
  atomicAdd(&sum, values[grid.thread_rank()]);
  __syncthreads();
  if (threadIdx.x == 0) {
    partial[grid.block_rank()] = sum;
  }
  auto token = grid.barrier_arrive();
  grid.barrier_wait(std::move(token));
  unsigned total = 0;
  for (unsigned block = 0; block < grid.num_blocks(); ++block) {
    total += partial[block];
  }
  sums[grid.thread_rank()] = total;
}
