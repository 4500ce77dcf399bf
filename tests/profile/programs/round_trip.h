// What was sent comes back unchanged, by another construct.
// The line behind which `waste` stands is the one that `gantry profile` is to name. Built with
// -DMENDED it follows the advice.
#include <cstdio>

namespace round_trip {

static double x[65536], y[65536];

static int run() {
  for (int i = 0; i < 65536; ++i)
    x[i] = i;
#pragma omp target enter data map(to : x)
#pragma omp target teams distribute parallel for map(from : y)
  for (int i = 0; i < 65536; ++i)
    y[i] = x[i] + 1;
#ifdef MENDED
#pragma omp target exit data map(release : x)
#else
#pragma omp target exit data map(from : x) // waste: x
#endif
  std::printf("%g\n", y[1]);
  return y[1] == 2 ? 0 : 1;
}

} // namespace round_trip
