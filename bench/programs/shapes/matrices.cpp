// A product of matrices, as one writes it first, and in tiles that a team keeps in its own memory.
#include "shape.h"

namespace {

constexpr int kSize = 512;
constexpr int kTile = 16;

void plain(const double* a, const double* b, double* c, int size) {
#pragma omp target teams distribute parallel for collapse(2)
  for (int i = 0; i < size; ++i) {
    for (int j = 0; j < size; ++j) {
      double sum = 0;
      for (int k = 0; k < size; ++k) {
        sum += a[i * size + k] * b[k * size + j];
      }
      c[i * size + j] = sum;
    }
  }
}

void tiled(const double* a, const double* b, double* c, int size) {
#pragma omp target teams distribute collapse(2) thread_limit(kTile* kTile)
  for (int row = 0; row < size / kTile; ++row) {
    for (int column = 0; column < size / kTile; ++column) {
      double left[kTile][kTile];
      double right[kTile][kTile];
      double sums[kTile][kTile];
#pragma omp parallel num_threads(kTile* kTile)
      {
#pragma omp for collapse(2)
        for (int i = 0; i < kTile; ++i) {
          for (int j = 0; j < kTile; ++j) {
            sums[i][j] = 0;
          }
        }
        for (int tile = 0; tile < size / kTile; ++tile) {
#pragma omp for collapse(2)
          for (int i = 0; i < kTile; ++i) {
            for (int j = 0; j < kTile; ++j) {
              left[i][j] = a[(row * kTile + i) * size + tile * kTile + j];
              right[i][j] = b[(tile * kTile + i) * size + column * kTile + j];
            }
          }
#pragma omp for collapse(2)
          for (int i = 0; i < kTile; ++i) {
            for (int j = 0; j < kTile; ++j) {
              double sum = sums[i][j];
              for (int k = 0; k < kTile; ++k) {
                sum += left[i][k] * right[k][j];
              }
              sums[i][j] = sum;
            }
          }
        }
#pragma omp for collapse(2)
        for (int i = 0; i < kTile; ++i) {
          for (int j = 0; j < kTile; ++j) {
            c[(row * kTile + i) * size + column * kTile + j] = sums[i][j];
          }
        }
      }
    }
  }
}

} // namespace

int main(int count, char** words) {
  const Shape shape(count, words);
  constexpr int kAll = kSize * kSize;
  std::vector<double> left(kAll);
  std::vector<double> right(kAll);
  std::vector<double> product(kAll, 0);
  for (int i = 0; i < kAll; ++i) {
    left[i] = random_of(i);
    right[i] = random_of(i + kAll);
  }
  const double* a = left.data();
  const double* b = right.data();
  double* c = product.data();
#pragma omp target enter data map(to : a[ : kAll], b[ : kAll], c[ : kAll])
  const auto result = [&] {
#pragma omp target update from(c[ : kAll])
    return sum(c, kAll);
  };
  shape.row("matrices-plain", [&] { plain(a, b, c, kSize); }, result);
  shape.row("matrices-tiled", [&] { tiled(a, b, c, kSize); }, result);
}
