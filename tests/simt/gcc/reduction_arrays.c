// Reductions over arrays and array sections.
#include "device.h"

enum { kCount = 640, kBins = 16 };

int main(void) {
  require_device();
  int values[kCount];
  for (int i = 0; i < kCount; ++i) {
    values[i] = i * 31 % 97;
  }
  int bins[kBins] = {0};
  double sums[4] = {1, 2, 3, 4};
#pragma omp target map(to : values) map(tofrom : bins, sums)
#pragma omp parallel for reduction(+ : bins[0 : kBins]) reduction(+ : sums[1 : 2])
  for (int i = 0; i < kCount; ++i) {
    bins[values[i] % kBins] += 1;
    sums[1 + i % 2] += values[i];
  }
  int expected[kBins] = {0};
  double expected_sums[4] = {1, 2, 3, 4};
  for (int i = 0; i < kCount; ++i) {
    expected[values[i] % kBins] += 1;
    expected_sums[1 + i % 2] += values[i];
  }
  for (int bin = 0; bin < kBins; ++bin) {
    CHECK_EQUAL(bins[bin], expected[bin]);
  }
  for (int i = 0; i < 4; ++i) {
    CHECK(sums[i] == expected_sums[i]);
  }

  int matrix[3][5] = {{0}};
#pragma omp target teams distribute parallel for num_teams(4) map(tofrom : matrix)                 \
    reduction(max : matrix)
  for (int i = 0; i < kCount; ++i) {
    const int value = i * 13 % 641;
    if (value > matrix[i % 3][i % 5]) {
      matrix[i % 3][i % 5] = value;
    }
  }
  int expected_matrix[3][5] = {{0}};
  for (int i = 0; i < kCount; ++i) {
    const int value = i * 13 % 641;
    if (value > expected_matrix[i % 3][i % 5]) {
      expected_matrix[i % 3][i % 5] = value;
    }
  }
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 5; ++column) {
      CHECK_EQUAL(matrix[row][column], expected_matrix[row][column]);
    }
  }
  printf("array reductions: first bin %d\n", bins[0]);
  return pass();
}
