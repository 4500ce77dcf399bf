// A device loads its image while work is under way.
// The line behind which `waste` stands is the one that `gantry profile` is to name. Built with
// -DMENDED it follows the advice.
#include <cstdio>

namespace late_image {

static double x[1000];

static int run() {
#ifdef MENDED
  for (int device = 0; device < 2; ++device) {
#pragma omp target device(device)
    {
    }
  }
#endif
  for (int step = 0; step < 10; ++step) {
#pragma omp target device(0) map(tofrom : x)
    x[0] += 1;
  }
#pragma omp target device(1) map(tofrom : x) // waste:
  x[0] += 1;
  std::printf("%g\n", x[0]);
  return x[0] == 11 ? 0 : 1;
}

} // namespace late_image
