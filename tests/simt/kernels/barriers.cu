// Named barriers between the warps of a block, reductions at a barrier, threads that leave early.

__device__ void wait_at(int barrier, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}

__device__ void arrive_at(int barrier, int threads) {
  asm volatile("bar.arrive %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}

// Warps 0 and 1 produce into two buffers, warps 2 and 3 consume: barriers 1 and 2 say that a buffer is
// full, 3 and 4 that it is empty.
extern "C" __global__ void producer_consumer(const int* values, int* sums, int rounds) {
  __shared__ int buffers[2][64];
  const int lane = threadIdx.x % 64;
  if (threadIdx.x < 64) {
    for (int round = 0; round < rounds; ++round) {
      const int buffer = round % 2;
      if (round >= 2) {
        wait_at(3 + buffer, 128);
      }
      buffers[buffer][lane] = values[round * 64 + lane] * 3;
      arrive_at(1 + buffer, 128);
    }
  } else {
    int sum = 0;
    for (int round = 0; round < rounds; ++round) {
      const int buffer = round % 2;
      wait_at(1 + buffer, 128);
      sum += buffers[buffer][63 - lane];
      if (round + 2 < rounds) {
        arrive_at(3 + buffer, 128);
      }
    }
    sums[lane] = sum;
  }
}

extern "C" __global__ void barrier_reductions(const int* values, int* results) {
  const int value = values[blockIdx.x * blockDim.x + threadIdx.x];
  const int count = __syncthreads_count(value % 3 == 0);
  const int all = __syncthreads_and(value >= 0);
  const int any = __syncthreads_or(value == 777);
  if (threadIdx.x == 0) {
    results[blockIdx.x * 3] = count;
    results[blockIdx.x * 3 + 1] = all != 0;
    results[blockIdx.x * 3 + 2] = any != 0;
  }
}

// Half of the threads leave, some warps whole, some in part; the barrier is for those that remain.
extern "C" __global__ void early_exit(int* values) {
  __shared__ int shared[128];
  const unsigned t = threadIdx.x;
  shared[t] = -1;
  __syncthreads();
  if (t % 2 == 1 || (t >= 32 && t < 64)) {
    return;
  }
  shared[t] = t * 10;
  __syncthreads();
  int sum = 0;
  for (int i = 0; i < 128; ++i) {
    sum += shared[i];
  }
  __syncthreads();
  values[t] = sum + t;
}

// Barriers in a loop whose length is the block's, and inside a function that is not inlined.
__device__ __noinline__ void rotate(int* shared, int by) {
  const int value = shared[(threadIdx.x + by) % blockDim.x];
  __syncthreads();
  shared[threadIdx.x] = value;
  __syncthreads();
}

extern "C" __global__ void barrier_in_function(int* values, int rounds) {
  __shared__ int shared[96];
  shared[threadIdx.x] = values[blockIdx.x * blockDim.x + threadIdx.x];
  __syncthreads();
  for (int round = 0; round <= (int)blockIdx.x % rounds; ++round) {
    rotate(shared, round + 1);
  }
  values[blockIdx.x * blockDim.x + threadIdx.x] = shared[threadIdx.x];
}
