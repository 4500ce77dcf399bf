// Particles in a cell: each particle gathers the field at its place, moves, wraps around, and
// scatters its charge to the four corners of its cell by atomic additions.
#include "shape.h"

#include <cmath>

namespace {

constexpr int kSide = 512;
constexpr int kParticles = 1 << 20;

void push(double* x, double* y, double* vx, double* vy, const double* field, double step) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < kParticles; ++i) {
    const int column = static_cast<int>(x[i]);
    const int row = static_cast<int>(y[i]);
    const double fx = x[i] - column;
    const double fy = y[i] - row;
    const int right = (column + 1) % kSide;
    const int below = (row + 1) % kSide;
    for (int part = 0; part < 2; ++part) {
      const double* plane = field + part * kSide * kSide;
      const double force =
          (1 - fy) * ((1 - fx) * plane[row * kSide + column] + fx * plane[row * kSide + right]) +
          fy * ((1 - fx) * plane[below * kSide + column] + fx * plane[below * kSide + right]);
      (part == 0 ? vx : vy)[i] += step * force;
    }
    const double nx = x[i] + step * vx[i];
    const double ny = y[i] + step * vy[i];
    x[i] = nx - kSide * std::floor(nx / kSide);
    y[i] = ny - kSide * std::floor(ny / kSide);
  }
}

void deposit(const double* x, const double* y, double* charge) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < kParticles; ++i) {
    const int column = static_cast<int>(x[i]) % kSide;
    const int row = static_cast<int>(y[i]) % kSide;
    const double fx = x[i] - column;
    const double fy = y[i] - row;
    const int right = (column + 1) % kSide;
    const int below = (row + 1) % kSide;
#pragma omp atomic update
    charge[row * kSide + column] += (1 - fx) * (1 - fy);
#pragma omp atomic update
    charge[row * kSide + right] += fx * (1 - fy);
#pragma omp atomic update
    charge[below * kSide + column] += (1 - fx) * fy;
#pragma omp atomic update
    charge[below * kSide + right] += fx * fy;
  }
}

} // namespace

int main(int count, char** words) {
  const Shape shape(count, words);
  std::vector<double> places[4];
  for (int k = 0; k < 4; ++k) {
    places[k].resize(kParticles);
    for (int i = 0; i < kParticles; ++i) {
      const double value = random_of(static_cast<std::uint64_t>(i) * 4 + k);
      places[k][i] = k < 2 ? value * kSide : value - 0.5;
    }
  }
  std::vector<double> fields(2 * kSide * kSide);
  for (int i = 0; i < 2 * kSide * kSide; ++i) {
    fields[i] = random_of(i) - 0.5;
  }
  std::vector<double> charges(kSide * kSide, 0);
  double* x = places[0].data();
  double* y = places[1].data();
  double* vx = places[2].data();
  double* vy = places[3].data();
  const double* field = fields.data();
  double* charge = charges.data();
#pragma omp target enter data map(to : x[ : kParticles], y[ : kParticles], vx[ : kParticles])      \
    map(to : vy[ : kParticles], field[ : 2 * kSide * kSide], charge[ : kSide * kSide])
  shape.row(
      "particles-push", [&] { push(x, y, vx, vy, field, 0.1); },
      [&] {
#pragma omp target update from(x[ : kParticles], y[ : kParticles])
        return sum(x, kParticles) + sum(y, kParticles);
      });
  shape.row(
      "particles-scatter", [&] { deposit(x, y, charge); },
      [&] {
#pragma omp target update from(charge[ : kSide * kSide])
        double weighted = 0;
        for (int i = 0; i < kSide * kSide; ++i) {
          weighted += charge[i] * (i % 101);
        }
        return weighted;
      });
}
