// A picture of the Mandelbrot set, in which neighbouring iterations take very different times.
#include "device.h"

namespace {

constexpr int kWidth = 40;
constexpr int kHeight = 24;
constexpr int kLimit = 100;

#pragma omp declare target
int steps(double x, double y) {
  double a = 0;
  double b = 0;
  int count = 0;
  while (a * a + b * b <= 4 && count < kLimit) {
    const double next = a * a - b * b + x;
    b = 2 * a * b + y;
    a = next;
    ++count;
  }
  return count;
}
#pragma omp end declare target

} // namespace

int main() {
  require_device();
  int picture[kHeight][kWidth];
#pragma omp target teams distribute num_teams(4) map(from : picture)
  for (int row = 0; row < kHeight; ++row) {
#pragma omp parallel for simd schedule(dynamic, 8)
    for (int column = 0; column < kWidth; ++column) {
      picture[row][column] = steps(-2.1 + column * 0.075, -1.2 + row * 0.1);
    }
  }
  long sum = 0;
  int different = 0;
  for (int row = 0; row < kHeight; ++row) {
    for (int column = 0; column < kWidth; ++column) {
      sum += picture[row][column];
      different += picture[row][column] != steps(-2.1 + column * 0.075, -1.2 + row * 0.1);
    }
  }
  // A point at the border may go either way where the device fuses a multiplication and an
  // addition.
  CHECK(different <= kWidth * kHeight / 50);
  CHECK_EQUAL(picture[12][28], kLimit);
  printf("mandelbrot: %s\n", sum > 10000 ? "drawn" : "empty");
  return pass();
}
