// A five-point stencil on a grid that is a struct with pointers, for docs/find-a-missing-map.md:
// one of its clauses is missing, and a device that shares the host's memory does not notice.
#include <cstdio>
#include <utility>
#include <vector>

struct Grid {
  int width;
  int height;
  double* now;
  double* next;
};

/// One step: the mean of the four neighbours, inside of the border.
void step(Grid& grid) {
#pragma omp target teams distribute parallel for collapse(2)
  for (int y = 1; y < grid.height - 1; ++y) {
    for (int x = 1; x < grid.width - 1; ++x) {
      const double* at = grid.now + y * grid.width + x;
      grid.next[y * grid.width + x] = (at[-1] + at[1] + at[-grid.width] + at[grid.width]) / 4;
    }
  }
}

int main() {
  constexpr int kSize = 34;
  std::vector<double> now(kSize * kSize);
  std::vector<double> next(kSize * kSize);
  for (int x = 0; x < kSize; ++x) {
    now[x] = next[x] = 1; // the upper border is warm, and stays so
  }
  Grid grid{kSize, kSize, now.data(), next.data()};
  for (int round = 0; round < 10; ++round) {
    const int cells = grid.width * grid.height;
#pragma omp target data map(to : grid, grid.now[0 : cells])
    step(grid);
    std::swap(grid.now, grid.next);
  }
  double sum = 0;
  for (int cell = 0; cell < kSize * kSize; ++cell) {
    sum += grid.now[cell];
  }
  std::printf("mean %.6f\n", sum / (kSize * kSize));
}
