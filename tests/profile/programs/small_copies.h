// Many small copies, where one would do.
// The line behind which `waste` stands is the one that `gantry profile` is to name. Built with
// -DMENDED it follows the advice.
#include <cstdio>

namespace small_copies {

static struct All {
  int a[4], b[4], c[4], d[4], e[4], f[4];
} all;
static int a[4], b[4], c[4], d[4], e[4], f[4];

static int run() {
  int sum = 0;
  for (int step = 0; step < 50; ++step) {
    int result = 0;
#ifdef MENDED
    all.a[0] = all.b[0] = all.c[0] = all.d[0] = all.e[0] = all.f[0] = step;
#pragma omp target map(to : all) map(from : result)
    result = all.a[0] + all.b[0] + all.c[0] + all.d[0] + all.e[0] + all.f[0];
#else
    a[0] = b[0] = c[0] = d[0] = e[0] = f[0] = step;
#pragma omp target map(to : a, b, c, d, e, f) map(from : result) // waste: a
    result = a[0] + b[0] + c[0] + d[0] + e[0] + f[0];
#endif
    sum += result;
  }
  std::printf("%d\n", sum);
  return sum == 6 * 49 * 25 ? 0 : 1;
}

} // namespace small_copies
