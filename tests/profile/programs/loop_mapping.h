// Storage that only the device uses is mapped and unmapped in a loop.
// The line behind which `waste` stands is the one that `gantry profile` is to name. Built with
// -DMENDED it follows the advice.
#include <cstdio>

namespace loop_mapping {

static double scratch[65536], sums[50];

static int run() {
#ifdef MENDED
#pragma omp target enter data map(alloc : scratch)
#endif
  for (int step = 0; step < 50; ++step) {
    double sum = 0;
#pragma omp target map(alloc : scratch) map(tofrom : sum) // waste: scratch
    {
      for (int i = 0; i < 100; ++i)
        scratch[i] = i + step;
      for (int i = 0; i < 100; ++i)
        sum += scratch[i];
    }
    sums[step] = sum;
  }
#ifdef MENDED
#pragma omp target exit data map(release : scratch)
#endif
  std::printf("%g\n", sums[1]);
  return sums[1] == 5050 ? 0 : 1;
}

} // namespace loop_mapping
