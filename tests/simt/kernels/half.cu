// flags: -fmad=false
// Half precision: single, in pairs, and bfloat16.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

extern "C" __global__ void half_arithmetic(const __half* a, const __half* b, __half* results,
                                           unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) {
    return;
  }
  const __half x = a[i];
  const __half y = b[i];
  results[i] = __hadd_rn(x, y);
  results[count + i] = __hsub_rn(x, y);
  results[2 * count + i] = __hmul_rn(x, y);
  results[3 * count + i] = __hfma(x, y, x);
  results[4 * count + i] = __hneg(x);
  results[5 * count + i] = __habs(y);
  results[6 * count + i] = __hlt(x, y) ? x : y;
  results[7 * count + i] = __hmax(x, y);
  results[8 * count + i] = __hmin(x, y);
  results[9 * count + i] = __float2half_rn(__half2float(x) * 0.3f);
  results[10 * count + i] = __double2half((double)__half2float(y) / 3.0);
  results[11 * count + i] = __int2half_rn((int)i * 37 - 5000);
}

extern "C" __global__ void half_conversions(const __half* a, int* integers, unsigned short* shorts,
                                            float* floats, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) {
    return;
  }
  integers[i] = __half2int_rz(a[i]);
  integers[count + i] = __half2int_rd(a[i]);
  shorts[i] = __half2ushort_rz(__habs(a[i]));
  floats[i] = __half2float(a[i]);
}

extern "C" __global__ void half_pairs(const __half2* a, const __half2* b, __half2* results,
                                      unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) {
    return;
  }
  const __half2 x = a[i];
  const __half2 y = b[i];
  results[i] = __hadd2_rn(x, y);
  results[count + i] = __hfma2(x, y, __float2half2_rn(0.5f));
  results[2 * count + i] = __lowhigh2highlow(__hmul2_rn(x, y));
  results[3 * count + i] = __halves2half2(__low2half(x), __high2half(y));
}

extern "C" __global__ void bfloat_arithmetic(const __nv_bfloat16* a, const __nv_bfloat16* b,
                                             __nv_bfloat16* results, float* floats, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) {
    return;
  }
  const __nv_bfloat16 x = a[i];
  const __nv_bfloat16 y = b[i];
  results[i] = __hfma(x, y, y);
  results[count + i] = __float2bfloat16_rn(__bfloat162float(x) * 1.7f);
  results[2 * count + i] = __hmax(x, y);
  results[3 * count + i] = __hadd_rn(x, y);
  results[4 * count + i] = __hmul_rn(x, y);
  floats[i] = __bfloat162float(x);
}
