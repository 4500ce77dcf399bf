// flags: -fmad=false
// Matrix products by tiles in shared memory, of two sizes, and one without.

template <int kTile>
__device__ void multiply_tiled(const float* a, const float* b, float* c, int n) {
  __shared__ float tile_a[kTile][kTile];
  __shared__ float tile_b[kTile][kTile + 1];
  const int row = blockIdx.y * kTile + threadIdx.y;
  const int column = blockIdx.x * kTile + threadIdx.x;
  float sum = 0;
  for (int start = 0; start < n; start += kTile) {
    const int k = start + threadIdx.x;
    const int l = start + threadIdx.y;
    tile_a[threadIdx.y][threadIdx.x] = row < n && k < n ? a[row * n + k] : 0.0f;
    tile_b[threadIdx.y][threadIdx.x] = l < n && column < n ? b[l * n + column] : 0.0f;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kTile; ++i) {
      sum += tile_a[threadIdx.y][i] * tile_b[i][threadIdx.x];
    }
    __syncthreads();
  }
  if (row < n && column < n) {
    c[row * n + column] = sum;
  }
}

extern "C" __global__ void multiply_16(const float* a, const float* b, float* c, int n) {
  multiply_tiled<16>(a, b, c, n);
}

extern "C" __global__ void multiply_32(const float* a, const float* b, float* c, int n) {
  multiply_tiled<32>(a, b, c, n);
}

extern "C" __global__ void multiply_fma(const double* a, const double* b, double* c, int n) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < n && column < n) {
    double sum = 0;
    for (int i = 0; i < n; ++i) {
      sum = fma(a[row * n + i], b[i * n + column], sum);
    }
    c[row * n + column] = sum;
  }
}
