// The same bytes are copied to the device again and again.
// The line behind which `waste` stands is the one that `gantry profile` is to name. Built with
// -DMENDED it follows the advice.
#include <cstdio>

namespace duplicate_copy {

static double x[8192], y[8192];

static int run() {
  for (int i = 0; i < 8192; ++i)
    x[i] = i;
#ifdef MENDED
#pragma omp target data map(to : x)
#endif
  for (int step = 0; step < 50; ++step) {
#pragma omp target teams distribute parallel for map(to : x) map(from : y) // waste: x
    for (int i = 0; i < 8192; ++i)
      y[i] = x[i] + step;
  }
  std::printf("%g\n", y[1]);
  return y[1] == 50 ? 0 : 1;
}

} // namespace duplicate_copy
