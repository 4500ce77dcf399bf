// Heat in a plate by Jacobi's method, for docs/my-program-is-slow.md: right, and slow, because each
// step maps the plate anew.
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

/// One step; returns how much the plate has changed.
double step(const double* now, double* next, int size) {
  double change = 0;
#pragma omp target teams distribute parallel for collapse(2) reduction(+ : change)                 \
    map(to : now[0 : size * size]) map(tofrom : next[0 : size * size])
  for (int y = 1; y < size - 1; ++y) {
    for (int x = 1; x < size - 1; ++x) {
      const int at = y * size + x;
      next[at] = (now[at - 1] + now[at + 1] + now[at - size] + now[at + size]) / 4;
      const double difference = next[at] - now[at];
      change += difference * difference;
    }
  }
  return change;
}

int main(int argc, char** argv) {
  const int size = argc > 1 ? std::atoi(argv[1]) : 512;
  const int steps = argc > 2 ? std::atoi(argv[2]) : 200;
  std::vector<double> plates[2];
  for (std::vector<double>& plate : plates) {
    plate.resize(std::size_t(size) * size);
    for (int x = 0; x < size; ++x) {
      plate[x] = 1; // the upper border is warm, and stays so
    }
  }
  double* now = plates[0].data();
  double* next = plates[1].data();
  double change = 0;
  for (int i = 0; i < steps; ++i) {
    change = step(now, next, size);
    std::swap(now, next);
  }
  std::printf("change %.6f after %d steps\n", change, steps);
}
