// A sparse matrix times a vector: row after row, where lengths differ, and by columns, where each
// product is added to the result by an atomic operation.
#include "shape.h"

namespace {

constexpr int kRows = 150000;

void by_rows(const int* starts, const int* columns, const double* values, const double* x,
             double* y) {
#pragma omp target teams distribute parallel for
  for (int row = 0; row < kRows; ++row) {
    double sum = 0;
    for (int k = starts[row]; k < starts[row + 1]; ++k) {
      sum += values[k] * x[columns[k]];
    }
    y[row] = sum;
  }
}

void transposed(const int* starts, const int* columns, const double* values, const double* x,
                double* y) {
#pragma omp target teams distribute parallel for
  for (int row = 0; row < kRows; ++row) {
    for (int k = starts[row]; k < starts[row + 1]; ++k) {
#pragma omp atomic update
      y[columns[k]] += values[k] * x[row];
    }
  }
}

} // namespace

int main(int count, char** words) {
  const Shape shape(count, words);
  std::vector<int> all_starts{0};
  std::vector<int> all_columns;
  std::vector<double> all_values;
  for (int row = 0; row < kRows; ++row) {
    const int length = 1 + static_cast<int>(random_of(row) * random_of(row + kRows) * 80);
    for (int k = 0; k < length; ++k) {
      const std::uint64_t seed = static_cast<std::uint64_t>(row) * 97 + k;
      // Half of them near the diagonal.
      const int column =
          k % 2 == 0 ? row + k - length / 2 : static_cast<int>(random_of(seed) * kRows);
      all_columns.push_back(column < 0 ? 0 : column >= kRows ? kRows - 1 : column);
      all_values.push_back(random_of(seed + 1));
    }
    all_starts.push_back(static_cast<int>(all_columns.size()));
  }
  std::vector<double> all_x(kRows);
  std::vector<double> all_y(kRows, 0);
  for (int row = 0; row < kRows; ++row) {
    all_x[row] = random_of(row);
  }
  const int entries = all_starts.back();
  const int* starts = all_starts.data();
  const int* columns = all_columns.data();
  const double* values = all_values.data();
  const double* x = all_x.data();
  double* y = all_y.data();
#pragma omp target enter data map(to : starts[ : kRows + 1], columns[ : entries])                  \
    map(to : values[ : entries], x[ : kRows], y[ : kRows])
  const auto result = [&] {
#pragma omp target update from(y[ : kRows])
    return sum(y, kRows);
  };
  shape.row("sparse-rows", [&] { by_rows(starts, columns, values, x, y); }, result);
  shape.row("sparse-atomic", [&] { transposed(starts, columns, values, x, y); }, result);
}
