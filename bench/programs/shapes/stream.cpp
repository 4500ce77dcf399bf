// The five stream kernels on arrays of doubles that stay on the device.
#include "shape.h"

namespace {

constexpr int kSize = 1 << 23;
constexpr double kScalar = 0.4;

void copy(const double* a, double* c) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < kSize; ++i) {
    c[i] = a[i];
  }
}

void multiply(double* b, const double* c) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < kSize; ++i) {
    b[i] = kScalar * c[i];
  }
}

void add(const double* a, const double* b, double* c) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < kSize; ++i) {
    c[i] = a[i] + b[i];
  }
}

void triad(double* a, const double* b, const double* c) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < kSize; ++i) {
    a[i] = b[i] + kScalar * c[i];
  }
}

void nstream(double* a, const double* b, const double* c) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < kSize; ++i) {
    a[i] += b[i] + kScalar * c[i];
  }
}

} // namespace

int main(int count, char** words) {
  const Shape shape(count, words);
  const ThreeArrays arrays(kSize);
  double* a = arrays.a;
  double* b = arrays.b;
  double* c = arrays.c;
#pragma omp target enter data map(to : a[ : kSize], b[ : kSize], c[ : kSize])
  const auto fetched = [&] {
#pragma omp target update from(a[ : kSize], b[ : kSize], c[ : kSize])
    return sum(a, kSize) + sum(b, kSize) + sum(c, kSize);
  };
  shape.row("stream-copy", [&] { copy(a, c); }, fetched);
  shape.row("stream-mul", [&] { multiply(b, c); }, fetched);
  shape.row("stream-add", [&] { add(a, b, c); }, fetched);
  shape.row("stream-triad", [&] { triad(a, b, c); }, fetched);
  shape.row("stream-nstream", [&] { nstream(a, b, c); }, fetched);
#pragma omp target exit data map(delete : a[ : kSize], b[ : kSize], c[ : kSize])
}
