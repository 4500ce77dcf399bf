// Every atomic operation on every type that it has, in global and in shared memory.

template <typename T> __device__ void integer_atomics(T* cells, T value) {
  atomicAdd(&cells[0], value);
  atomicMin(&cells[1], value);
  atomicMax(&cells[2], value);
  atomicAnd(&cells[3], (T)~((T)1 << (value % 31)));
  atomicOr(&cells[4], (T)1 << (value % 29));
  atomicXor(&cells[5], value);
  T seen = cells[6];
  T expected;
  do {
    expected = seen;
    seen = atomicCAS(&cells[6], expected, expected * 3 + 1);
  } while (seen != expected);
  atomicExch(&cells[7], value);
}

template <typename T> __device__ void test_in_both(T* global, T* from_shared, const T* values) {
  __shared__ T shared[8];
  if (threadIdx.x < 8) {
    shared[threadIdx.x] = from_shared[blockIdx.x * 8 + threadIdx.x];
  }
  __syncthreads();
  const T value = values[blockIdx.x * blockDim.x + threadIdx.x];
  integer_atomics(global, value);
  integer_atomics(shared, value);
  __syncthreads();
  if (threadIdx.x < 8) {
    from_shared[blockIdx.x * 8 + threadIdx.x] = shared[threadIdx.x];
  }
}

extern "C" __global__ void atomics_int(int* global, int* shared, const int* values) {
  test_in_both(global, shared, values);
}
extern "C" __global__ void atomics_uint(unsigned* global, unsigned* shared, const unsigned* values) {
  test_in_both(global, shared, values);
}
extern "C" __global__ void atomics_ull(unsigned long long* global, unsigned long long* shared,
                                       const unsigned long long* values) {
  test_in_both(global, shared, values);
}

extern "C" __global__ void atomics_wrap(unsigned* global, unsigned* results) {
  __shared__ unsigned shared[4];
  if (threadIdx.x < 4) {
    shared[threadIdx.x] = 3;
  }
  __syncthreads();
  atomicInc(&global[0], 10);
  atomicDec(&global[1], 7);
  atomicSub(&global[2], 3u);
  atomicInc(&shared[0], 100);
  atomicDec(&shared[1], 5);
  atomicSub(&shared[2], 2u);
  atomicInc(&shared[3], 0);
  __syncthreads();
  if (threadIdx.x < 4) {
    results[blockIdx.x * 4 + threadIdx.x] = shared[threadIdx.x];
  }
}

// Values whose sums are exact in any order.
extern "C" __global__ void atomics_floating(float* floats, double* doubles) {
  __shared__ float shared_float;
  __shared__ double shared_double;
  if (threadIdx.x == 0) {
    shared_float = 0.5f;
    shared_double = 0.25;
  }
  __syncthreads();
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&floats[0], i * 0.25f);
  atomicAdd(&doubles[0], i * 0.125);
  atomicAdd(&shared_float, (float)(threadIdx.x % 16));
  atomicAdd(&shared_double, threadIdx.x * 0.5);
  atomicExch(&floats[1], 7.5f);
  __syncthreads();
  if (threadIdx.x == 0) {
    floats[2 + blockIdx.x] = shared_float;
    doubles[1 + blockIdx.x] = shared_double;
  }
}

// Old values: each ticket is drawn once.
extern "C" __global__ void atomics_results(unsigned* counter, unsigned* drawn, int* shared_drawn) {
  __shared__ int tickets;
  if (threadIdx.x == 0) {
    tickets = 0;
  }
  __syncthreads();
  const unsigned ticket = atomicAdd(counter, 2);
  atomicAdd(&drawn[ticket / 2], 1);
  const int mine = atomicAdd(&tickets, 1);
  atomicAdd(&shared_drawn[blockIdx.x * blockDim.x + mine], 1);
}

extern "C" __global__ void atomics_scopes(unsigned* cells) {
  atomicAdd_block(&cells[0], 1);
  atomicAdd_system(&cells[1], 2);
  atomicMax_system(&cells[2], threadIdx.x);
  atomicCAS_block(&cells[3], 0, 77);
  unsigned short* half = (unsigned short*)&cells[4] + 1;
  unsigned short seen = *(volatile unsigned short*)half;
  unsigned short expected;
  do {
    expected = seen;
    seen = atomicCAS(half, expected, (unsigned short)(expected + 3));
  } while (seen != expected);
  asm volatile("red.global.add.u32 [%0], %1;" ::"l"(&cells[5]), "r"(5) : "memory");
  asm volatile("red.global.max.s32 [%0], %1;" ::"l"(&cells[6]), "r"((int)threadIdx.x - 10) : "memory");
}
