// A histogram with atomics in shared memory, which the blocks then add up in global memory.

extern "C" __global__ void histogram(const unsigned char* values, unsigned count, unsigned* bins) {
  __shared__ unsigned local[256];
  for (unsigned i = threadIdx.x; i < 256; i += blockDim.x) {
    local[i] = 0;
  }
  __syncthreads();
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    atomicAdd(&local[values[i]], 1);
  }
  __syncthreads();
  for (unsigned i = threadIdx.x; i < 256; i += blockDim.x) {
    if (local[i]) {
      atomicAdd(&bins[i], local[i]);
    }
  }
}

// All lanes hit few bins, so that most of a warp's atomics collide.
extern "C" __global__ void crowded(const unsigned char* values, unsigned count,
                                   unsigned long long* sums) {
  __shared__ unsigned long long local[4];
  if (threadIdx.x < 4) {
    local[threadIdx.x] = 0;
  }
  __syncthreads();
  for (unsigned i = threadIdx.x; i < count; i += blockDim.x) {
    atomicAdd(&local[values[i] & 3], (unsigned long long)values[i] << 20);
  }
  __syncthreads();
  if (threadIdx.x < 4) {
    sums[threadIdx.x] = local[threadIdx.x];
  }
}
