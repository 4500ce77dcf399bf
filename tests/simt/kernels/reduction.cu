// Reduction trees: by shuffles in a warp, through shared memory in a block, and over the grid by the
// block that comes last.

__device__ int sum_down(int value) {
  for (int offset = 16; offset > 0; offset /= 2) {
    value += __shfl_down_sync(0xFFFFFFFF, value, offset);
  }
  return value;
}

extern "C" __global__ void warp_sums(const int* values, int* sums) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const int sum = sum_down(values[i]);
  if (threadIdx.x % 32 == 0) {
    sums[i / 32] = sum;
  }
}

// Every lane gets the result; the 64-bit values travel as two halves.
extern "C" __global__ void butterfly(const double* values, double* largest, long long* sums) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  double maximum = values[i];
  long long sum = (long long)(values[i] * 16);
  for (int mask = 16; mask > 0; mask >>= 1) {
    maximum = fmax(maximum, __shfl_xor_sync(0xFFFFFFFF, maximum, mask));
    sum += __shfl_xor_sync(0xFFFFFFFF, sum, mask);
  }
  largest[i] = maximum;
  sums[i] = sum;
}

// Segments of 8 lanes, a rotation, and a broadcast from a lane that data choose.
extern "C" __global__ void shuffles(const int* values, int* results) {
  const unsigned i = threadIdx.x;
  const int value = values[i];
  int segment = value;
  for (int offset = 4; offset > 0; offset /= 2) {
    segment += __shfl_down_sync(0xFFFFFFFF, segment, offset, 8);
  }
  results[i] = segment;
  results[32 + i] = __shfl_sync(0xFFFFFFFF, value, (i + 5) % 32);
  results[64 + i] = __shfl_sync(0xFFFFFFFF, value, value & 31);
  results[96 + i] = __shfl_up_sync(0xFFFFFFFF, value, 3);
  results[128 + i] = __shfl_up_sync(0xFFFFFFFF, value, 1, 16);
  results[160 + i] = __shfl_xor_sync(0xFFFFFFFF, value, 9, 16);
  results[192 + i] = __shfl_sync(0xFFFFFFFF, value, 2, 4);
  results[224 + i] = i % 2 ? __shfl_down_sync(0xAAAAAAAA, value, 2) : -1;
}

__device__ int block_sum(int value) {
  __shared__ int partial[32];
  const unsigned lane = threadIdx.x % 32;
  const unsigned warp = threadIdx.x / 32;
  value = sum_down(value);
  if (lane == 0) {
    partial[warp] = value;
  }
  __syncthreads();
  value = threadIdx.x < blockDim.x / 32 ? partial[lane] : 0;
  return warp == 0 ? sum_down(value) : 0;
}

extern "C" __global__ void block_sums(const int* values, int* sums, unsigned count) {
  int sum = 0;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    sum += values[i];
  }
  sum = block_sum(sum);
  if (threadIdx.x == 0) {
    sums[blockIdx.x] = sum;
  }
}

// The classical tree with a barrier at each step.
extern "C" __global__ void shared_tree(const int* values, int* largest) {
  __shared__ int tree[256];
  tree[threadIdx.x] = values[blockIdx.x * blockDim.x + threadIdx.x];
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      tree[threadIdx.x] = max(tree[threadIdx.x], tree[threadIdx.x + half]);
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    largest[blockIdx.x] = tree[0];
  }
}

__device__ unsigned blocks_done = 0;

// Each block publishes its sum before it counts itself in; the last one adds them all.
extern "C" __global__ void last_block(const int* values, volatile int* sums, int* total) {
  __shared__ bool is_last;
  const int sum = block_sum(values[blockIdx.x * blockDim.x + threadIdx.x]);
  if (threadIdx.x == 0) {
    sums[blockIdx.x] = sum;
    __threadfence();
    is_last = atomicInc(&blocks_done, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (is_last) {
    __threadfence();
    int mine = 0;
    for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x) {
      mine += sums[i];
    }
    __syncthreads();
    mine = block_sum(mine);
    if (threadIdx.x == 0) {
      *total = mine;
    }
  }
}
