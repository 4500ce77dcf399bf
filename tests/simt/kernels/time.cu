// Clocks go forward, sleeping ends; what is written is whether that holds.

extern "C" __global__ void clocks(unsigned* good) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const long long start = clock64();
  const clock_t short_start = clock();
  unsigned long long nanoseconds;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(nanoseconds));
  __nanosleep(20000);
  unsigned long long later;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(later));
  const long long end = clock64();
  const clock_t short_end = clock();
  good[i] = (end > start) | (short_end != short_start) << 1 | (later >= nanoseconds) << 2;
}

extern "C" __global__ void special_registers(unsigned* results, unsigned warps) {
  unsigned warp;
  unsigned size;
  unsigned processor;
  unsigned processors;
  asm volatile("mov.u32 %0, %%warpid;" : "=r"(warp));
  asm volatile("mov.u32 %0, %%nwarpid;" : "=r"(size));
  asm volatile("mov.u32 %0, %%smid;" : "=r"(processor));
  asm volatile("mov.u32 %0, %%nsmid;" : "=r"(processors));
  results[threadIdx.x] = (warp < size) | (processor < processors) << 1 | (size >= warps) << 2 |
                         (warpSize == 32) << 3;
}
