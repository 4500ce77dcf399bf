// Shared, constant and local memory: dynamic shared memory of several types, constants that the host
// writes, local arrays that data index, addresses of one space as generic ones.

extern __shared__ double dynamic[];

extern "C" __global__ void dynamic_shared(const double* values, double* results, int doubles) {
  __shared__ int fixed[64];
  int* tail = (int*)(dynamic + doubles);
  const int t = threadIdx.x;
  for (int i = t; i < doubles; i += blockDim.x) {
    dynamic[i] = values[i] * 2;
  }
  tail[t] = t * t;
  fixed[t % 64] = t;
  __syncthreads();
  results[t] = dynamic[(t * 7) % doubles] + tail[blockDim.x - 1 - t] + fixed[(t + 1) % 64] % 64;
}

__constant__ int table[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
__constant__ float scale;
__device__ int module_counter = 5;
__device__ const char* const names[3] = {"zero", "one", "two"};

extern "C" __global__ void constants(float* results, int* letters) {
  const int t = threadIdx.x;
  results[t] = table[t % 16] * scale + table[3];
  letters[t] = names[t % 3][t % 2];
  if (t == 0) {
    module_counter += table[15];
  }
}

extern "C" __global__ void local_arrays(const int* order, int* results) {
  int local[16];
  char bytes[24];
  const int t = threadIdx.x;
  for (int i = 0; i < 16; ++i) {
    local[order[i]] = i * t;
  }
  for (int i = 0; i < 24; ++i) {
    bytes[(i * 5) % 24] = (char)(i + t);
  }
  int sum = 0;
  for (int i = 0; i < 16; ++i) {
    sum = sum * 3 + local[order[(i + t) % 16]];
  }
  for (int i = t % 24; i < 24; ++i) {
    sum += bytes[i];
  }
  results[t] = sum;
}

__device__ __noinline__ int sum_of(const int* values, int count) {
  int sum = 0;
  for (int i = 0; i < count; ++i) {
    sum += values[i];
  }
  return sum;
}

// One function reads through pointers into four spaces.
extern "C" __global__ void generic_pointers(const int* values, int* results) {
  __shared__ int shared[8];
  int local[8];
  const int t = threadIdx.x;
  if (t < 8) {
    shared[t] = 100 + t;
  }
  for (int i = 0; i < 8; ++i) {
    local[i] = t + i;
  }
  __syncthreads();
  const int* sources[4] = {values, shared, local, table};
  results[t] = sum_of(sources[t % 4], 1 + t % 8);
  results[blockDim.x + t] = __isGlobal(values) + 2 * __isShared(shared) + 4 * __isLocal(local) +
                            8 * __isShared(values) + 16 * __isGlobal(local);
}
