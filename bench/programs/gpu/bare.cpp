// Kernels without a runtime, compiled to PTX: what a CUDA C++ compiler makes of the same loops.
#define KERNEL extern "C" __attribute__((nvptx_kernel)) void

namespace {

inline long global_thread() {
  return static_cast<long>(__nvvm_read_ptx_sreg_ctaid_x()) * __nvvm_read_ptx_sreg_ntid_x() +
         __nvvm_read_ptx_sreg_tid_x();
}

} // namespace

KERNEL empty() {}

KERNEL multiply(double* __restrict__ c, const double* __restrict__ a, const double* __restrict__ b,
                long n) {
  const long index = global_thread();
  if (index >= n * n) {
    return;
  }
  const long i = index / n, j = index % n;
  double sum = 0;
  for (long k = 0; k < n; ++k) {
    sum += a[i * n + k] * b[k * n + j];
  }
  c[index] = sum;
}
