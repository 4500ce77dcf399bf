// Prefix sums of a block: by shuffles within the warps and then over the warps, and by the two sweeps
// of a tree in shared memory.

__device__ int scan_warp(int value) {
  const unsigned lane = threadIdx.x % 32;
  for (int offset = 1; offset < 32; offset *= 2) {
    const int before = __shfl_up_sync(0xFFFFFFFF, value, offset);
    if (lane >= offset) {
      value += before;
    }
  }
  return value;
}

__device__ int scan_block(int value) {
  __shared__ int warps[32];
  const unsigned lane = threadIdx.x % 32;
  const unsigned warp = threadIdx.x / 32;
  const int sum = scan_warp(value);
  if (lane == 31) {
    warps[warp] = sum;
  }
  __syncthreads();
  if (warp == 0) {
    warps[lane] = scan_warp(lane < blockDim.x / 32 ? warps[lane] : 0);
  }
  __syncthreads();
  return warp == 0 ? sum : sum + warps[warp - 1];
}

extern "C" __global__ void inclusive_scan(const int* values, int* sums) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  sums[i] = scan_block(values[i]);
}

extern "C" __global__ void exclusive_scan(const int* values, int* sums) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  sums[i] = scan_block(values[i]) - values[i];
}

// 512 elements by 256 threads.
extern "C" __global__ void sweep_scan(const unsigned* values, unsigned* sums) {
  __shared__ unsigned tree[512];
  const unsigned t = threadIdx.x;
  tree[2 * t] = values[2 * t];
  tree[2 * t + 1] = values[2 * t + 1];
  unsigned stride = 1;
  for (unsigned active = 256; active > 0; active /= 2) {
    __syncthreads();
    if (t < active) {
      tree[stride * (2 * t + 2) - 1] += tree[stride * (2 * t + 1) - 1];
    }
    stride *= 2;
  }
  if (t == 0) {
    tree[511] = 0;
  }
  for (unsigned active = 1; active < 512; active *= 2) {
    stride /= 2;
    __syncthreads();
    if (t < active) {
      const unsigned left = stride * (2 * t + 1) - 1;
      const unsigned right = stride * (2 * t + 2) - 1;
      const unsigned old = tree[left];
      tree[left] = tree[right];
      tree[right] += old;
    }
  }
  __syncthreads();
  sums[2 * t] = tree[2 * t];
  sums[2 * t + 1] = tree[2 * t + 1];
}
