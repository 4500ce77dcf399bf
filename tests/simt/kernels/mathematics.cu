// flags: -fmad=false
// Functions of the maths library, which nvcc makes of instructions, some of them approximate.

extern "C" __global__ void single_functions(const float* a, float* results, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) {
    return;
  }
  const float x = a[i];
  float* row = results + i * 12;
  row[0] = sinf(x);
  row[1] = cosf(x);
  row[2] = expf(x);
  row[3] = logf(fabsf(x) + 0.25f);
  row[4] = powf(fabsf(x), 1.5f);
  row[5] = tanhf(x);
  row[6] = atanf(x);
  row[7] = erff(x);
  row[8] = cbrtf(x);
  row[9] = rsqrtf(fabsf(x) + 0.5f);
  row[10] = exp2f(x);
  row[11] = hypotf(x, 2.0f);
}

extern "C" __global__ void double_functions(const double* a, double* results, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) {
    return;
  }
  const double x = a[i];
  double* row = results + i * 10;
  row[0] = sin(x);
  row[1] = cos(x);
  row[2] = exp(x);
  row[3] = log(fabs(x) + 0.25);
  row[4] = pow(fabs(x), 1.5);
  row[5] = tanh(x);
  row[6] = atan(x);
  row[7] = erf(x);
  row[8] = rsqrt(fabs(x) + 0.5);
  row[9] = fmod(x, 0.75);
}

// The instructions themselves; their error is bounded absolutely or relatively by the PTX ISA.
extern "C" __global__ void fast_functions(const float* a, float* results, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) {
    return;
  }
  const float x = a[i];
  const float positive = fabsf(x) + 0.5f;
  float* row = results + i * 7;
  row[0] = __fdividef(x, positive);
  asm("rcp.approx.f32 %0, %1;" : "=f"(row[1]) : "f"(positive));
  asm("sqrt.approx.f32 %0, %1;" : "=f"(row[2]) : "f"(positive));
  asm("rsqrt.approx.f32 %0, %1;" : "=f"(row[3]) : "f"(positive));
  asm("ex2.approx.f32 %0, %1;" : "=f"(row[4]) : "f"(x));
  row[5] = __expf(x * 0.25f);
  asm("div.full.f32 %0, %1, %2;" : "=f"(row[6]) : "f"(x), "f"(positive));
}
