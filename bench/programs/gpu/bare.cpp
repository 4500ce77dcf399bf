// Kernels without a runtime: what a compiler of CUDA C++, or of HIP, makes of the same loops.
// Compiled for NVIDIA's GPUs, and for AMD's.
#ifdef __NVPTX__
#define KERNEL extern "C" __attribute__((nvptx_kernel)) void
#else
#define KERNEL                                                                                     \
  extern "C" __attribute__((amdgpu_kernel, amdgpu_flat_work_group_size(128, 128),                  \
                            visibility("protected"))) void
#endif

namespace {

inline long global_thread() {
#ifdef __NVPTX__
  return static_cast<long>(__nvvm_read_ptx_sreg_ctaid_x()) * __nvvm_read_ptx_sreg_ntid_x() +
         __nvvm_read_ptx_sreg_tid_x();
#else
  constexpr long kThreads = 128; // BareDevice::kThreads; the size is not among the arguments
  return __builtin_amdgcn_workgroup_id_x() * kThreads + __builtin_amdgcn_workitem_id_x();
#endif
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
