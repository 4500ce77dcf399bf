// One device works while the other one is idle; for so long that it outweighs a kernel's wait for a
// processor of a busy machine.
// The line behind which `waste` stands is the one that `gantry profile` is to name. Built with
// -DMENDED it follows the advice.
#include <cstdio>

namespace unequal_load {

static double x[4000];

#ifdef MENDED
#define DEVICE(step) (step) % 2
#else
#define DEVICE(step) ((step) < 270 ? 0 : 1)
#endif

static int run() {
  for (int step = 0; step < 300; ++step) {
    const int device = DEVICE(step);
#pragma omp target device(device) map(tofrom : x) // waste:
    for (int i = 0; i < 4000; ++i)
      for (int k = 0; k < 250; ++k)
        x[i] = x[i] * 0.5 + 1;
  }
  std::printf("%g\n", x[1]);
  return x[1] > 1.9 ? 0 : 1;
}

} // namespace unequal_load
#undef DEVICE
