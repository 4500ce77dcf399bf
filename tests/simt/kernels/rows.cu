// Matrices by blocks whose rows are shorter than a warp: what a row's lanes name lies side by side, and
// the rows are apart by a number of run time.

template <typename Number>
__device__ void rearrange(const Number* from, Number* to, int width, int height, int pitch) {
  __shared__ Number tile[1024];
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  const int thread = threadIdx.y * blockDim.x + threadIdx.x;
  if (x < width && y < height) {
    tile[thread] = from[y * pitch + x];
  } else {
    tile[thread] = static_cast<Number>(thread);
  }
  __syncthreads();
  Number sum = 0;
  for (int i = 0; i < blockDim.x; ++i) {
    // One place for each row, and one for each column.
    sum += tile[threadIdx.y * blockDim.x + i] + tile[i % blockDim.y * blockDim.x + threadIdx.x];
  }
  if (x < width && y < height) {
    to[(height - 1 - y) * pitch + x] = sum; // rows from the end
  }
}

extern "C" __global__ void rearrange_bytes(const unsigned char* from, unsigned char* to, int width,
                                           int height, int pitch) {
  rearrange(from, to, width, height, pitch);
}
extern "C" __global__ void rearrange_shorts(const unsigned short* from, unsigned short* to, int width,
                                            int height, int pitch) {
  rearrange(from, to, width, height, pitch);
}
extern "C" __global__ void rearrange_words(const unsigned* from, unsigned* to, int width, int height,
                                           int pitch) {
  rearrange(from, to, width, height, pitch);
}
extern "C" __global__ void rearrange_wide(const unsigned long long* from, unsigned long long* to,
                                          int width, int height, int pitch) {
  rearrange(from, to, width, height, pitch);
}

// Indices without a sign that wrap around, between rows and within them; three dimensions; one place that
// many threads write; a row's place that all its threads write.
extern "C" __global__ void wrapping_rows(const unsigned* from, unsigned* to, unsigned* last, unsigned step,
                                         unsigned size) {
  const unsigned thread =
      (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  const unsigned index = threadIdx.x + threadIdx.y * step + threadIdx.z * 100 - 5;
  unsigned value = 0;
  if (index < size) {
    value = from[index];
  }
  to[thread] = value * 3 + from[threadIdx.y * 2 + 1];
  last[threadIdx.z * blockDim.y + threadIdx.y] = threadIdx.y + 1000 * threadIdx.z;
  last[100 + threadIdx.z] = step;
}
