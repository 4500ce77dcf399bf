// Constructs on devices of nodes: medians of a region's time, and bandwidths. Prints lines "NAME
// VALUE", in seconds and bytes a second.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <omp.h>

static double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

template <typename Body>
static double median(int times, Body body) {
  std::vector<double> taken;
  for (int i = 0; i < times + times / 10 + 3; ++i) {
    const double begin = now();
    body();
    taken.push_back(now() - begin);
  }
  taken.erase(taken.begin(), taken.end() - times);
  std::sort(taken.begin(), taken.end());
  return taken[taken.size() / 2];
}

int main() {
  int x = 0;
  std::printf("empty %.9f\n", median(2001, [] {
#pragma omp target
                {
                }
              }));
  std::printf("scalar %.9f\n", median(2001, [&] {
#pragma omp target map(tofrom : x)
                x += 1;
              }));
  static double a[16][64];
  double *a0 = a[0], *a1 = a[1], *a2 = a[2], *a3 = a[3], *a4 = a[4], *a5 = a[5], *a6 = a[6],
         *a7 = a[7], *a8 = a[8], *a9 = a[9], *a10 = a[10], *a11 = a[11], *a12 = a[12], *a13 = a[13],
         *a14 = a[14], *a15 = a[15];
#define ARRAY(n) map(tofrom : a##n [0:64])
  std::printf("arrays %.9f\n", median(501, [&] {
#pragma omp target ARRAY(0) ARRAY(1) ARRAY(2) ARRAY(3) ARRAY(4) ARRAY(5) ARRAY(6) ARRAY(7)         \
    ARRAY(8) ARRAY(9) ARRAY(10) ARRAY(11) ARRAY(12) ARRAY(13) ARRAY(14) ARRAY(15)
                {
                  a0[0] += a1[0] + a2[0] + a3[0] + a4[0] + a5[0] + a6[0] + a7[0] + a8[0] + a9[0] +
                           a10[0] + a11[0] + a12[0] + a13[0] + a14[0] + a15[0];
                }
              }));
  const std::size_t size = std::size_t{1} << 30;
  char* const large = static_cast<char*>(std::malloc(size));
  std::fill(large, large + size, 1);
#pragma omp target enter data map(to : large[0 : size])
  std::printf("to %.6g\n", static_cast<double>(size) / median(5, [&] {
#pragma omp target update to(large[0 : size])
                           }));
  std::printf("from %.6g\n", static_cast<double>(size) / median(5, [&] {
#pragma omp target update from(large[0 : size])
                             }));
#pragma omp target exit data map(delete : large[0 : size])
  if (omp_get_num_devices() > 1) {
    const std::size_t part = std::size_t{256} << 20;
    void* const one = omp_target_alloc(part, 0);
    void* const other = omp_target_alloc(part, 1);
    omp_target_memcpy(one, large, part, 0, 0, 0, omp_get_initial_device());
    std::printf("between %.6g\n", static_cast<double>(part) / median(5, [&] {
                                    omp_target_memcpy(other, one, part, 0, 0, 1, 0);
                                  }));
    omp_target_free(one, 0);
    omp_target_free(other, 1);
  }
  return x == 0;
}
