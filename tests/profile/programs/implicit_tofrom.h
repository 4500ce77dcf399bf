// A region only reads what it has no map clause for.
// The line behind which `waste` stands is the one that `gantry profile` is to name. Built with
// -DMENDED it follows the advice.
#include <cstdio>

namespace implicit_tofrom {

static double x[65536], y[65536];

#ifdef MENDED
#define CLAUSE map(to : x)
#else
#define CLAUSE
#endif

static int run() {
  for (int step = 0; step < 3; ++step) {
    for (int i = 0; i < 65536; ++i)
      x[i] = i + step;
#pragma omp target teams distribute parallel for CLAUSE map(from : y) // waste: x
    for (int i = 0; i < 65536; ++i)
      y[i] = x[i] + 1;
  }
  std::printf("%g\n", y[1]);
  return y[1] == 4 ? 0 : 1;
}

} // namespace implicit_tofrom
#undef CLAUSE
