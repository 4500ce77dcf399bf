// Memory stays mapped that nothing uses any more.
// The line behind which `waste` stands is the one that `gantry profile` is to name. Built with
// -DMENDED it follows the advice.
#include <cstdio>

namespace idle_memory {

static double a[100000], b[100000];

static int run() {
#pragma omp target enter data map(to : a)
#pragma omp target teams distribute parallel for // waste: a
  for (int i = 0; i < 100000; ++i)
    a[i] += 1;
#ifdef MENDED
#pragma omp target exit data map(from : a)
#endif
#pragma omp target enter data map(to : b)
#pragma omp target teams distribute parallel for
  for (int i = 0; i < 100000; ++i)
    b[i] += 2;
#pragma omp target exit data map(from : b)
#ifndef MENDED
#pragma omp target exit data map(from : a)
#endif
  std::printf("%g %g\n", a[1], b[1]);
  return a[1] == 1 && b[1] == 2 ? 0 : 1;
}

} // namespace idle_memory
