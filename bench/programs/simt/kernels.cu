// The kernels of `scripts/bench --simt`; kernels.ptx is what nvcc makes of them:
// nvcc -ptx -arch=sm_80 -O3 kernels.cu
constexpr int kTile = 32;

extern "C" __global__ void copy(float* to, const float* from, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    to[i] = from[i];
  }
}

extern "C" __global__ void triad(float* a, const float* b, const float* c, float factor, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    a[i] = b[i] + factor * c[i];
  }
}

// n is a multiple of the tile.
extern "C" __global__ void multiply(float* c, const float* a, const float* b, int n) {
  __shared__ float tile_a[kTile][kTile];
  __shared__ float tile_b[kTile][kTile];
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  const int row = blockIdx.y * kTile + y;
  const int column = blockIdx.x * kTile + x;
  float sum = 0;
  for (int tile = 0; tile < n / kTile; ++tile) {
    tile_a[y][x] = a[row * n + tile * kTile + x];
    tile_b[y][x] = b[(tile * kTile + y) * n + column];
    __syncthreads();
    for (int k = 0; k < kTile; ++k) {
      sum += tile_a[y][k] * tile_b[k][x];
    }
    __syncthreads();
  }
  c[row * n + column] = sum;
}

// One sum a block; the grid strides over the array.
extern "C" __global__ void reduce(float* sums, const float* values, int count) {
  __shared__ float partial[32];
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += blockDim.x * gridDim.x) {
    sum += values[i];
  }
  for (int distance = 16; distance > 0; distance /= 2) {
    sum += __shfl_down_sync(0xFFFFFFFF, sum, distance);
  }
  if (threadIdx.x % 32 == 0) {
    partial[threadIdx.x / 32] = sum;
  }
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = threadIdx.x < blockDim.x / 32 ? partial[threadIdx.x] : 0;
    for (int distance = 16; distance > 0; distance /= 2) {
      sum += __shfl_down_sync(0xFFFFFFFF, sum, distance);
    }
    if (threadIdx.x == 0) {
      sums[blockIdx.x] = sum;
    }
  }
}

extern "C" __global__ void mandelbrot(int* passes, int width, int height, int limit) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) {
    return;
  }
  const float real = -2.0f + 3.0f * x / width;
  const float imaginary = -1.0f + 2.0f * y / height;
  float a = 0;
  float b = 0;
  int pass = 0;
  while (pass < limit && a * a + b * b < 4) {
    const float next = a * a - b * b + real;
    b = 2 * a * b + imaginary;
    a = next;
    ++pass;
  }
  passes[y * width + x] = pass;
}

extern "C" __global__ void empty() {}
