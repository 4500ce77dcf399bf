// What it takes to bring arrays to a device and back: a region that maps what it needs, and updates
// in both directions.
#include "shape.h"

namespace {

constexpr int kSize = 1 << 23;

void mapped_triad(double* a, const double* b, const double* c) {
#pragma omp target teams distribute parallel for map(from : a[ : kSize])                           \
    map(to : b[ : kSize], c[ : kSize])
  for (int i = 0; i < kSize; ++i) {
    a[i] = b[i] + 0.4 * c[i];
  }
}

} // namespace

int main(int count, char** words) {
  const Shape shape(count, words);
  const ThreeArrays arrays(kSize);
  double* a = arrays.a;
  double* b = arrays.b;
  double* c = arrays.c;
  const auto result = [&] { return sum(a, kSize) + sum(b, kSize) + sum(c, kSize); };
  shape.row("mapping-region", [&] { mapped_triad(a, b, c); }, result);
#pragma omp target enter data map(to : a[ : kSize], b[ : kSize])
  shape.row(
      "mapping-update",
      [&] {
#pragma omp target update to(a[ : kSize])
#pragma omp target update from(b[ : kSize])
      },
      result);
#pragma omp target exit data map(delete : a[ : kSize], b[ : kSize])
}
