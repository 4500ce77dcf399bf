// flags: -fmad=false
// Copies and sums of arrays: one element a thread, grid-stride loops, vectors, bytes, shorts and 64 bits.

extern "C" __global__ void copy(const float* from, float* to, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    to[i] = from[i];
  }
}

extern "C" __global__ void triad(float* a, const float* b, const float* c, float scalar,
                                 unsigned count) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    a[i] = b[i] + scalar * c[i];
  }
}

extern "C" __global__ void copy_vectors(const float4* from, float4* to, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    const float4 value = from[i];
    to[count - 1 - i] = make_float4(value.w, value.z, value.y, value.x);
  }
}

extern "C" __global__ void sum_pairs(const ulonglong2* from, unsigned long long* to, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    const ulonglong2 pair = from[i];
    to[i] = pair.x * 3 + (pair.y >> 5);
  }
}

// Neighbours differ in width and sign, so that each load extends in its own way.
extern "C" __global__ void narrow(const signed char* bytes, const unsigned char* unsigned_bytes,
                                  const short* halves, const unsigned short* unsigned_halves,
                                  const uchar4* colours, long long* sums, short* stored,
                                  unsigned char* packed, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) {
    return;
  }
  const uchar4 colour = colours[i];
  sums[i] = (long long)bytes[i] * 1000 + unsigned_bytes[i] + (long long)halves[i] * 1000000 +
            unsigned_halves[i] + (colour.x ^ colour.y ^ colour.z ^ colour.w);
  stored[i] = (short)(bytes[i] * unsigned_halves[i]);
  packed[i] = (unsigned char)(unsigned_bytes[i] + halves[i]);
}

extern "C" __global__ void strided(const double* from, double* to, unsigned rows, unsigned columns) {
  for (unsigned i = threadIdx.x; i < rows * columns; i += blockDim.x) {
    const unsigned row = i / columns;
    const unsigned column = i % columns;
    to[column * rows + row] = from[i];
  }
}
