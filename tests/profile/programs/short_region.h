// A region takes less time than its launch and its copies.
// The line behind which `waste` stands is the one that `gantry profile` is to name. Built with
// -DMENDED it follows the advice.
#include <cstdio>

namespace short_region {

static int x[1 << 21];

static int run() {
#ifdef MENDED
#pragma omp target map(tofrom : x)
#endif
  for (int step = 0; step < 20; ++step) {
#ifndef MENDED
#pragma omp target map(tofrom : x) // waste:
#endif
    ++x[step];
  }
  std::printf("%d\n", x[1]);
  return x[1] == 1 ? 0 : 1;
}

} // namespace short_region
