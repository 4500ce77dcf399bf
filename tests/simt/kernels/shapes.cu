// Blocks and grids of two and three dimensions, of sizes that are no multiple of 32.

extern "C" __global__ void indices(unsigned* results) {
  const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  const unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  const unsigned size = blockDim.x * blockDim.y * blockDim.z;
  unsigned lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  unsigned* row = results + (block * size + thread) * 3;
  row[0] = threadIdx.x | threadIdx.y << 8 | threadIdx.z << 16 | lane << 24;
  row[1] = blockIdx.x | blockIdx.y << 8 | blockIdx.z << 16;
  row[2] = blockDim.x * 10000 + blockDim.y * 100 + blockDim.z + gridDim.x * gridDim.y * gridDim.z;
}

// The last warp is partial, and so are shuffles, votes and barriers in it.
extern "C" __global__ void partial_warp(unsigned* results) {
  __shared__ unsigned total;
  const unsigned t = threadIdx.y * blockDim.x + threadIdx.x;
  const unsigned size = blockDim.x * blockDim.y;
  const unsigned first = t / 32 * 32;
  const unsigned lanes = min(32u, size - first);
  const unsigned mask = lanes == 32 ? 0xFFFFFFFF : (1u << lanes) - 1;
  if (t == 0) {
    total = 0;
  }
  __syncthreads();
  const unsigned votes = __ballot_sync(mask, t % 3 == 0);
  const unsigned first_value = __shfl_sync(mask, t * 5, 0);
  atomicAdd(&total, 1);
  __syncthreads();
  results[t] = votes ^ first_value << 8 ^ total << 20;
}

extern "C" __global__ void transpose_3d(const int* from, int* to, int nx, int ny, int nz) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  const int z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x < nx && y < ny && z < nz) {
    to[(x * ny + y) * nz + z] = from[(z * ny + y) * nx + x];
  }
}
