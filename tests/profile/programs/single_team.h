// A loop runs in one team.
// The line behind which `waste` stands is the one that `gantry profile` is to name. Built with
// -DMENDED it follows the advice.
#include <cstdio>

namespace single_team {

static double x[100000];

static int run() {
  for (int step = 0; step < 5; ++step) {
#ifdef MENDED
#pragma omp target teams distribute parallel for map(tofrom : x)
#else
#pragma omp target map(tofrom : x) // waste:
#endif
    for (int i = 0; i < 100000; ++i) {
      double value = x[i];
      for (int k = 0; k < 20; ++k)
        value = value * 0.5 + 1;
      x[i] = value;
    }
  }
  std::printf("%g\n", x[1]);
  return x[1] > 1.9 ? 0 : 1;
}

} // namespace single_team
