// flags: -fmad=false
// Floating point with each rounding, fused operations, conversions and comparisons. Every result is
// exactly rounded, so that it is the same on every device.

extern "C" __global__ void single_rounding(const float* a, const float* b, float* results,
                                           unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) {
    return;
  }
  const float x = a[i];
  const float y = b[i];
  float* row = results + i * 24;
  row[0] = __fadd_rn(x, y);
  row[1] = __fadd_rz(x, y);
  row[2] = __fadd_ru(x, y);
  row[3] = __fadd_rd(x, y);
  row[4] = __fmul_rn(x, y);
  row[5] = __fmul_rz(x, y);
  row[6] = __fmul_ru(x, y);
  row[7] = __fmul_rd(x, y);
  row[8] = __fmaf_rn(x, y, x);
  row[9] = __fmaf_rz(x, y, x);
  row[10] = __fmaf_ru(x, y, x);
  row[11] = __fmaf_rd(x, y, x);
  row[12] = __fdiv_rn(x, y);
  row[13] = __fdiv_rz(x, y);
  row[14] = __fdiv_ru(x, y);
  row[15] = __fdiv_rd(x, y);
  row[16] = __fsqrt_rn(fabsf(x));
  row[17] = __fsqrt_rz(fabsf(x));
  row[18] = __fsqrt_ru(fabsf(x));
  row[19] = __fsqrt_rd(fabsf(x));
  row[20] = __frcp_rn(y);
  row[21] = __frcp_rz(y);
  row[22] = __frcp_ru(y);
  row[23] = __frcp_rd(y);
}

extern "C" __global__ void double_rounding(const double* a, const double* b, double* results,
                                           unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) {
    return;
  }
  const double x = a[i];
  const double y = b[i];
  double* row = results + i * 20;
  row[0] = __dadd_rn(x, y);
  row[1] = __dadd_rz(x, y);
  row[2] = __dadd_ru(x, y);
  row[3] = __dadd_rd(x, y);
  row[4] = __dmul_rn(x, y);
  row[5] = __dmul_rz(x, y);
  row[6] = __dmul_ru(x, y);
  row[7] = __dmul_rd(x, y);
  row[8] = __fma_rn(x, y, x);
  row[9] = __fma_rz(x, y, x);
  row[10] = __fma_ru(x, y, x);
  row[11] = __fma_rd(x, y, x);
  row[12] = __ddiv_rn(x, y);
  row[13] = __ddiv_rz(x, y);
  row[14] = __ddiv_ru(x, y);
  row[15] = __ddiv_rd(x, y);
  row[16] = __dsqrt_rn(fabs(x));
  row[17] = __dsqrt_rz(fabs(x));
  row[18] = __dsqrt_ru(fabs(x));
  row[19] = __drcp_rn(y);
}

extern "C" __global__ void conversions(const float* a, const double* b, int* integers,
                                       long long* wide, float* floats, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) {
    return;
  }
  const float x = a[i];
  const double y = b[i];
  int* row = integers + i * 10;
  row[0] = __float2int_rn(x);
  row[1] = __float2int_rz(x);
  row[2] = __float2int_ru(x);
  row[3] = __float2int_rd(x);
  row[4] = (int)__float2uint_rz(x);
  row[5] = __double2int_rz(y);
  row[6] = __double2int_rn(y);
  row[7] = (int)__double2uint_rd(y);
  row[8] = __float_as_int(x);
  row[9] = __double2hiint(y);
  wide[i * 4] = __float2ll_rz(x);
  wide[i * 4 + 1] = __double2ll_rn(y);
  wide[i * 4 + 2] = (long long)__double2ull_rz(y);
  wide[i * 4 + 3] = __double_as_longlong(y);
  float* converted = floats + i * 12;
  converted[0] = __double2float_rn(y);
  converted[1] = __double2float_rz(y);
  converted[2] = __double2float_ru(y);
  converted[3] = __double2float_rd(y);
  converted[4] = __int2float_rn(row[8]);
  converted[5] = __int2float_rz(row[8]);
  converted[6] = __uint2float_ru((unsigned)row[8]);
  converted[7] = __ll2float_rd(wide[i * 4 + 3]);
  converted[8] = rintf(x);
  converted[9] = floorf(x) + ceilf(x) * 2;
  converted[10] = truncf(x);
  converted[11] = __saturatef(x);
}

extern "C" __global__ void comparisons(const float* a, const float* b, unsigned* results,
                                       unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) {
    return;
  }
  const float x = a[i];
  const float y = b[i];
  unsigned bits = 0;
  bits |= (x < y) << 0;
  bits |= (x <= y) << 1;
  bits |= (x > y) << 2;
  bits |= (x >= y) << 3;
  bits |= (x == y) << 4;
  bits |= (x != y) << 5;
  bits |= !(x < y) << 6;
  bits |= !(x >= y) << 7;
  bits |= (isnan(x) != 0) << 8;
  bits |= (isinf(y) != 0) << 9;
  bits |= (signbit(x) != 0) << 10;
  bits |= (fminf(x, y) == x) << 11;
  bits |= (fmaxf(x, y) == y) << 12;
  results[i] = bits;
}
