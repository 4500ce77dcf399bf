// A target region that maps sixteen arrays: what each more variable costs.
#include "timing.h"

enum { kLength = 256 };
static long a[kLength], b[kLength], c[kLength], d[kLength], e[kLength], f[kLength], g[kLength],
    h[kLength], i[kLength], j[kLength], k[kLength], l[kLength], m[kLength], n[kLength], o[kLength],
    p[kLength];

static void run_constructs(long count) {
  const long before = p[kLength - 1];
  for (long construct = 0; construct < count; ++construct) {
#pragma omp target map(tofrom : a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p)
    {
      a[0] += 1, b[0] += 1, c[0] += 1, d[0] += 1, e[0] += 1, f[0] += 1, g[0] += 1, h[0] += 1;
      i[0] += 1, j[0] += 1, k[0] += 1, l[0] += 1, m[0] += 1, n[0] += 1, o[0] += 1;
      p[kLength - 1] += 1;
    }
  }
  require(p[kLength - 1] == before + count && a[0] == p[kLength - 1],
          "the regions did not count to the number of constructs");
}

int main(void) {
  return report_time(run_constructs, 1e6);
}
