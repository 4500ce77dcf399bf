// Operations over the lanes of a warp: votes, match, redux, active masks, barriers of a warp.

extern "C" __global__ void votes(const int* values, unsigned* results) {
  const unsigned t = threadIdx.x;
  const unsigned i = blockIdx.x * blockDim.x + t;
  const int value = values[i];
  const unsigned all = 0xFFFFFFFF;
  unsigned* row = results + i * 8;
  row[0] = __ballot_sync(all, value % 2);
  row[1] = __all_sync(all, value >= 0);
  row[2] = __any_sync(all, value == 13);
  row[3] = __match_any_sync(all, value % 5);
  int same;
  row[4] = __match_all_sync(all, value / 1000, &same);
  row[5] = same != 0;
  row[6] = __match_any_sync(all, (unsigned long long)value << 33);
  unsigned uniform;
  asm volatile("{ .reg .pred p; .reg .pred q; setp.ne.s32 p, %1, 0; vote.sync.uni.pred q, p, "
               "0xffffffff; selp.u32 %0, 1, 0, q; }"
               : "=r"(uniform)
               : "r"(value % 2));
  row[7] = uniform;
}

// Only some lanes take part.
extern "C" __global__ void partial_votes(const int* values, unsigned* results) {
  const unsigned t = threadIdx.x;
  unsigned result = 0;
  if (t % 3 == 0) {
    result = __ballot_sync(0x49249249, values[t] > 50);
  } else if (t % 3 == 1) {
    result = __ballot_sync(0x92492492, values[t] > 50);
  }
  results[t] = result;
  __syncwarp();
  results[32 + t] = t < 16 ? __any_sync(0xFFFF, values[t] == 99) : __all_sync(0xFFFF0000, t > 3);
}

extern "C" __global__ void redux(const int* values, int* results) {
  const unsigned t = threadIdx.x;
  const int value = values[t];
  const unsigned all = 0xFFFFFFFF;
  results[t] = __reduce_add_sync(all, value);
  results[32 + t] = __reduce_min_sync(all, value);
  results[64 + t] = __reduce_max_sync(all, value);
  results[96 + t] = (int)__reduce_min_sync(all, (unsigned)value);
  results[128 + t] = (int)__reduce_max_sync(all, (unsigned)value);
  results[160 + t] = (int)__reduce_and_sync(all, (unsigned)value);
  results[192 + t] = (int)__reduce_or_sync(all, (unsigned)value);
  results[224 + t] = (int)__reduce_xor_sync(all, (unsigned)value);
  results[256 + t] = t < 8 ? __reduce_add_sync(0xFF, value) : __reduce_max_sync(0xFFFFFF00, value);
}

// A mask of active lanes is whatever the device makes of it; what is asserted holds on each.
extern "C" __global__ void active_masks(unsigned* results) {
  const unsigned t = threadIdx.x;
  unsigned good = 1;
  if (t % 2) {
    const unsigned mask = __activemask();
    good &= (mask & ~0xAAAAAAAAu) == 0 && (mask >> t & 1);
    if (t > 20) {
      const unsigned inner = __activemask();
      good &= (inner >> t & 1) && (inner & 0x1FFFFF) == 0;
    }
  } else {
    const unsigned mask = __activemask();
    good &= (mask & ~0x55555555u) == 0 && (mask >> t & 1);
  }
  results[t] = good;
  unsigned lane;
  unsigned below;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
  results[32 + t] = lane;
  results[64 + t] = below;
}

// Lanes exchange through shared memory with barriers of the warp alone, from diverged paths.
extern "C" __global__ void warp_barriers(int* results) {
  __shared__ int shared[64];
  const unsigned t = threadIdx.x;
  const unsigned lane = t % 32;
  int* mine = shared + (t - lane);
  for (int round = 0; round < 5; ++round) {
    if (lane < 16) {
      mine[lane] = round * 100 + t;
      __syncwarp();
    } else {
      mine[lane] = round * 1000 + t;
      __syncwarp();
    }
    const int seen = mine[31 - lane];
    __syncwarp();
    results[round * 64 + t] = seen;
  }
}
