// Locks that the lanes of one warp contend for. They end only if every lane makes progress: the one
// that holds the lock must get its turn while the others spin.

// The lock is taken and released inside one loop.
extern "C" __global__ void lock_in_loop(int* lock, int* counter, int* order) {
  for (;;) {
    if (atomicCAS(lock, 0, 1) == 0) {
      __threadfence();
      const int ticket = *(volatile int*)counter;
      order[ticket] = threadIdx.x;
      *(volatile int*)counter = ticket + 1;
      __threadfence();
      atomicExch(lock, 0);
      break;
    }
  }
}

__device__ __noinline__ void acquire(int* lock) {
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
}

__device__ __noinline__ void release(int* lock) {
  __threadfence();
  atomicExch(lock, 0);
}

// The holder leaves the function in which the other lanes still spin.
extern "C" __global__ void lock_in_function(int* lock, long long* sum) {
  for (int round = 0; round < 3; ++round) {
    acquire(lock);
    *(volatile long long*)sum += threadIdx.x + 1;
    release(lock);
  }
}

// With a pause in the loop, for the lanes of many warps and blocks.
extern "C" __global__ void lock_with_sleep(int* lock, int* counter) {
  while (atomicCAS(lock, 0, 1) != 0) {
    __nanosleep(50);
  }
  __threadfence();
  *(volatile int*)counter += 1;
  __threadfence();
  atomicExch(lock, 0);
}

// One lane of the warp waits for another's flag, in either order of the branches.
extern "C" __global__ void hand_over(volatile int* flags, volatile int* data) {
  if (threadIdx.x == 3) {
    while (flags[0] == 0) {
    }
    __threadfence();
    data[1] = data[0] * 2;
    __threadfence();
    flags[1] = 1;
  } else if (threadIdx.x == 7) {
    data[0] = 21;
    __threadfence();
    flags[0] = 1;
    while (flags[1] == 0) {
    }
    __threadfence();
    data[2] = data[1] + 1;
  }
}
