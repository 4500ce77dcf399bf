// A dot product: a reduction over all teams, once with the teams that the runtime chooses and once
// with more than a processor has cores, as programs written for GPUs ask for.
#include "shape.h"

namespace {

constexpr int kSize = 1 << 23;

double dot(const double* a, const double* b) {
  double product = 0;
#pragma omp target teams distribute parallel for reduction(+ : product) map(tofrom : product)
  for (int i = 0; i < kSize; ++i) {
    product += a[i] * b[i];
  }
  return product;
}

double dot_of_many_teams(const double* a, const double* b) {
  double product = 0;
#pragma omp target teams distribute parallel for reduction(+ : product) map(tofrom : product)      \
    num_teams(1024) thread_limit(256)
  for (int i = 0; i < kSize; ++i) {
    product += a[i] * b[i];
  }
  return product;
}

} // namespace

int main(int count, char** words) {
  const Shape shape(count, words);
  std::vector<double> left(kSize);
  std::vector<double> right(kSize);
  for (int i = 0; i < kSize; ++i) {
    left[i] = random_of(i);
    right[i] = random_of(i + kSize);
  }
  const double* a = left.data();
  const double* b = right.data();
  double product = 0;
#pragma omp target enter data map(to : a[ : kSize], b[ : kSize])
  shape.row("dot", [&] { product = dot(a, b); }, [&] { return product; });
  shape.row("dot-teams", [&] { product = dot_of_many_teams(a, b); }, [&] { return product; });
#pragma omp target exit data map(delete : a[ : kSize], b[ : kSize])
}
