// A stencil that is iterated on the device until it changes little; the same arithmetic on the
// host.
#include "device.h"

enum { kSide = 26 };

static double field[kSide][kSide];
static double next[kSide][kSide];
static double reference[kSide][kSide];

int main(void) {
  require_device();
  for (int i = 0; i < kSide; ++i) {
    for (int k = 0; k < kSide; ++k) {
      field[i][k] = i == 0 ? 100.0 : k == 0 ? 50.0 : 0.0;
      next[i][k] = reference[i][k] = field[i][k];
    }
  }
  const int kSteps = 20;
  double change = 0;
#pragma omp target data map(tofrom : field) map(to : next)
  for (int step = 0; step < kSteps; ++step) {
    change = 0;
#pragma omp target teams distribute parallel for collapse(2) num_teams(4) map(tofrom : change)     \
    reduction(max : change)
    for (int i = 1; i < kSide - 1; ++i) {
      for (int k = 1; k < kSide - 1; ++k) {
        next[i][k] = 0.25 * (field[i - 1][k] + field[i + 1][k] + field[i][k - 1] + field[i][k + 1]);
        const double by = fabs(next[i][k] - field[i][k]);
        change = by > change ? by : change;
      }
    }
#pragma omp target teams distribute parallel for num_teams(4)
    for (int i = 1; i < kSide - 1; ++i) {
      for (int k = 1; k < kSide - 1; ++k) {
        field[i][k] = next[i][k];
      }
    }
  }
  double expected_change = 0;
  for (int step = 0; step < kSteps; ++step) {
    double after[kSide][kSide];
    expected_change = 0;
    for (int i = 1; i < kSide - 1; ++i) {
      for (int k = 1; k < kSide - 1; ++k) {
        after[i][k] = 0.25 * (reference[i - 1][k] + reference[i + 1][k] + reference[i][k - 1] +
                              reference[i][k + 1]);
        expected_change = fmax(expected_change, fabs(after[i][k] - reference[i][k]));
      }
    }
    for (int i = 1; i < kSide - 1; ++i) {
      for (int k = 1; k < kSide - 1; ++k) {
        reference[i][k] = after[i][k];
      }
    }
  }
  for (int i = 0; i < kSide; ++i) {
    for (int k = 0; k < kSide; ++k) {
      CHECK_NEAR(field[i][k], reference[i][k], 1e-12);
    }
  }
  CHECK_NEAR(change, expected_change, 1e-12);
  printf("jacobi: %.6f\n", change);
  return pass();
}
