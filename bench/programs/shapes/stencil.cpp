// A step of the heat equation in three dimensions: seven points, and a nest of three loops that are
// collapsed into one, so that the indices are quotients and remainders.
#include "shape.h"

namespace {

constexpr int kSide = 192;
constexpr long kPoints = static_cast<long>(kSide) * kSide * kSide;

void step(const double* from, double* to, int side, double weight) {
#pragma omp target teams distribute parallel for collapse(3)
  for (int z = 1; z < side - 1; ++z) {
    for (int y = 1; y < side - 1; ++y) {
      for (int x = 1; x < side - 1; ++x) {
        const long i = (static_cast<long>(z) * side + y) * side + x;
        const long row = side;
        const long plane = static_cast<long>(side) * side;
        to[i] = from[i] + weight * (from[i - 1] + from[i + 1] + from[i - row] + from[i + row] +
                                    from[i - plane] + from[i + plane] - 6 * from[i]);
      }
    }
  }
}

} // namespace

int main(int count, char** words) {
  const Shape shape(count, words);
  std::vector<double> points(kPoints);
  for (long i = 0; i < kPoints; ++i) {
    points[i] = random_of(i);
  }
  std::vector<double> next = points;
  double* now = points.data();
  double* then = next.data();
#pragma omp target enter data map(to : now[ : kPoints], then[ : kPoints])
  shape.row(
      "stencil",
      [&] {
        step(now, then, kSide, 0.1);
        step(then, now, kSide, 0.1);
      },
      [&] {
#pragma omp target update from(now[ : kPoints])
        return sum(now, kPoints);
      });
#pragma omp target exit data map(delete : now[ : kPoints], then[ : kPoints])
}
