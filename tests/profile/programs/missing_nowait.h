// The host waits for one device before it uses the other one.
// The line behind which `waste` stands is the one that `gantry profile` is to name. Built with
// -DMENDED it follows the advice.
#include <cstdio>

namespace missing_nowait {

static double a[50000], b[50000];

#ifdef MENDED
#define MODE nowait
#else
#define MODE
#endif

static int run() {
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int step = 0; step < 5; ++step) {
#pragma omp target teams distribute parallel for device(0) map(tofrom : a) MODE // waste: a
    for (int i = 0; i < 50000; ++i)
      for (int k = 0; k < 20; ++k)
        a[i] = a[i] * 0.5 + 1;
#pragma omp target teams distribute parallel for device(1) map(tofrom : b) MODE
    for (int i = 0; i < 50000; ++i)
      for (int k = 0; k < 20; ++k)
        b[i] = b[i] * 0.5 + 1;
#pragma omp taskwait
  }
  std::printf("%g %g\n", a[1], b[1]);
  return a[1] == b[1] ? 0 : 1;
}

} // namespace missing_nowait
#undef MODE
