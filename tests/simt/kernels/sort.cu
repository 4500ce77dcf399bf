// Bitonic sort of a block's elements in shared memory, and a merge sort by rank in registers.

extern "C" __global__ void bitonic_sort(unsigned* values, unsigned ascending) {
  __shared__ unsigned shared[1024];
  const unsigned t = threadIdx.x;
  unsigned* block = values + blockIdx.x * 1024;
  shared[t] = block[t];
  shared[t + 512] = block[t + 512];
  for (unsigned size = 2; size <= 1024; size *= 2) {
    for (unsigned stride = size / 2; stride > 0; stride /= 2) {
      __syncthreads();
      const unsigned i = 2 * t - (t & (stride - 1));
      const bool up = ((i & size) == 0) == (ascending != 0);
      const unsigned a = shared[i];
      const unsigned b = shared[i + stride];
      if ((a > b) == up) {
        shared[i] = b;
        shared[i + stride] = a;
      }
    }
  }
  __syncthreads();
  block[t] = shared[t];
  block[t + 512] = shared[t + 512];
}

// Each warp sorts 32 elements by shuffles alone.
extern "C" __global__ void warp_sort(float* values) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned lane = threadIdx.x % 32;
  float mine = values[i];
  for (unsigned size = 2; size <= 32; size *= 2) {
    for (unsigned stride = size / 2; stride > 0; stride /= 2) {
      const float other = __shfl_xor_sync(0xFFFFFFFF, mine, stride);
      const bool lower = (lane & stride) == 0;
      const bool up = (lane & size) == 0;
      mine = lower == up ? fminf(mine, other) : fmaxf(mine, other);
    }
  }
  values[i] = mine;
}
