// flags: -std=c++20
// Headers of the C++ library whose code needs nothing at run time: array, algorithm, numeric, bit,
// limits, tuple, optional, complex.
#include "device.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <numeric>
#include <tuple>

#pragma omp declare target
// GCC 12 does not compile some of this inside a target region itself.
static void compute(const std::array<int, 32>& values, std::array<int, 32>& sorted, long* results) {
  int n = 0;
  std::copy(values.begin(), values.end(), sorted.begin());
  std::sort(sorted.begin(), sorted.end());
  results[n++] = std::accumulate(values.begin(), values.end(), 0L);
  results[n++] = *std::max_element(values.begin(), values.end());
  results[n++] = std::find(values.begin(), values.end(), 31) - values.begin();
  results[n++] = std::count_if(values.begin(), values.end(), [](int x) { return x % 3 == 0; });
  results[n++] = std::lower_bound(sorted.begin(), sorted.end(), 17) - sorted.begin();
  results[n++] = std::inner_product(values.begin(), values.end(), sorted.begin(), 0L);
  results[n++] = std::popcount(0xF0F0u) * 100 + std::countl_zero(std::uint16_t(1));
  results[n++] = std::bit_cast<std::int32_t>(1.0f) >> 16;
  results[n++] = std::numeric_limits<int>::max() / 1000;
  results[n++] = std::gcd(84, 36) * 100 + std::lcm(4, 6);
  std::tuple<int, double, char> tuple(4, 2.5, 'x');
  std::get<0>(tuple) += std::get<2>(tuple);
  results[n++] = std::get<0>(tuple) + long(std::get<1>(tuple) * 2);
  int left = 1;
  int right = 2;
  std::swap(left, right);
  results[n++] = left * 10 + std::min({right, 7, 4});
  std::complex<double> z(3, 4);
  z *= std::complex<double>(0, 1);
  results[n++] = long(z.real()) * 100 + long(z.imag());
  std::reverse(sorted.begin(), sorted.begin() + 4);
}
#pragma omp end declare target

int main() {
  require_device();
  std::array<int, 32> values;
  for (int i = 0; i < 32; ++i) {
    values[std::size_t(i)] = (i * 21 + 5) % 32;
  }
  std::array<int, 32> sorted;
  long results[13];
#pragma omp target map(to : values) map(from : sorted, results)
  compute(values, sorted, results);
  const long expected[13] = {
      496,  31,          std::find(values.begin(), values.end(), 31) - values.begin(),
      11,   17,          0,
      815,  0x3F80,      2147483,
      1212, 4 + 'x' + 5, 21,
      -397};
  long product = 0;
  for (int i = 0; i < 32; ++i) {
    product += values[std::size_t(i)] * i;
  }
  for (int i = 0; i < 13; ++i) {
    CHECK_EQUAL(results[i], i == 5 ? product : expected[i]);
  }
  for (int i = 0; i < 32; ++i) {
    CHECK_EQUAL(sorted[std::size_t(i)], i < 4 ? 3 - i : i);
  }
  printf("standard library: %ld\n", product);
  return pass();
}
