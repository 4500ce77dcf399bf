// Systems of equations, one for a team: the pivot is chosen by the team's first thread alone, and
// rows are changed by all of them, in several parallel regions of a loop that only the first runs.
#include "shape.h"

#include <cmath>

namespace {

constexpr int kSystems = 96;
constexpr int kSize = 64;
constexpr long kAll = static_cast<long>(kSystems) * kSize * kSize;

void solve(double* matrices, double* results) {
#pragma omp target teams distribute thread_limit(64)                                               \
    map(tofrom : matrices[ : kAll], results[ : kSystems * kSize])
  for (int system = 0; system < kSystems; ++system) {
    double* const a = matrices + static_cast<long>(system) * kSize * kSize;
    double* const b = results + static_cast<long>(system) * kSize;
    for (int k = 0; k < kSize; ++k) {
      int pivot = k;
      for (int i = k + 1; i < kSize; ++i) {
        if (std::fabs(a[i * kSize + k]) > std::fabs(a[pivot * kSize + k])) {
          pivot = i;
        }
      }
      if (pivot != k) {
#pragma omp parallel for
        for (int j = 0; j < kSize; ++j) {
          const double other = a[k * kSize + j];
          a[k * kSize + j] = a[pivot * kSize + j];
          a[pivot * kSize + j] = other;
        }
        const double other = b[k];
        b[k] = b[pivot];
        b[pivot] = other;
      }
#pragma omp parallel for
      for (int i = k + 1; i < kSize; ++i) {
        const double factor = a[i * kSize + k] / a[k * kSize + k];
        for (int j = k; j < kSize; ++j) {
          a[i * kSize + j] -= factor * a[k * kSize + j];
        }
        b[i] -= factor * b[k];
      }
    }
    for (int k = kSize - 1; k >= 0; --k) {
      double sum = 0;
#pragma omp parallel for reduction(+ : sum)
      for (int j = k + 1; j < kSize; ++j) {
        sum += a[k * kSize + j] * b[j];
      }
      b[k] = (b[k] - sum) / a[k * kSize + k];
    }
  }
}

} // namespace

int main(int count, char** words) {
  const Shape shape(count, words);
  std::vector<double> originals(kAll);
  for (long i = 0; i < kAll; ++i) {
    originals[i] = random_of(i) - 0.5;
  }
  std::vector<double> all(kAll);
  std::vector<double> sides(kSystems * kSize);
  double* matrices = all.data();
  double* results = sides.data();
  shape.row(
      "generic",
      [&] {
        all = originals;
        sides.assign(kSystems * kSize, 1);
        solve(matrices, results);
      },
      [&] { return sum(results, kSystems * kSize); });
}
