// Says which of its images ran.
#include <cstdio>

int main() {
  int architecture = 0;
#pragma omp target map(from : architecture)
  {
#ifdef __CUDA_ARCH__
    architecture = __CUDA_ARCH__;
#else
    architecture = 1;
#endif
  }
  std::printf("%d\n", architecture);
}
