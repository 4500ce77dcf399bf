// Collapsed nests: rectangular, with steps, and triangular ones.
#include "device.h"

int main(void) {
  require_device();
  int cube[7][11][5];
#pragma omp target teams distribute parallel for collapse(3) num_teams(3) map(from : cube)
  for (int x = 0; x < 7; ++x) {
    for (int y = 10; y >= 0; --y) {
      for (int z = 0; z < 5; ++z) {
        cube[x][y][z] = x * 100 + y * 10 + z;
      }
    }
  }
  for (int x = 0; x < 7; ++x) {
    for (int y = 0; y < 11; ++y) {
      for (int z = 0; z < 5; ++z) {
        CHECK_EQUAL(cube[x][y][z], x * 100 + y * 10 + z);
      }
    }
  }

  int triangle = 0;
#pragma omp target map(tofrom : triangle)
#pragma omp parallel for collapse(2) reduction(+ : triangle)
  for (int row = 0; row < 40; ++row) {
    for (int column = row; column < 40; ++column) {
      triangle += row * 41 + column;
    }
  }
  int expected = 0;
  for (int row = 0; row < 40; ++row) {
    for (int column = row; column < 40; ++column) {
      expected += row * 41 + column;
    }
  }
  CHECK_EQUAL(triangle, expected);

  unsigned visits = 0;
#pragma omp target map(tofrom : visits)
#pragma omp parallel for collapse(2) schedule(dynamic, 4) reduction(+ : visits)
  for (short i = -9; i < 30; i += 4) {
    for (unsigned char k = 200; k > 20; k -= 15) {
      visits += (unsigned)(i + 10) * k;
    }
  }
  unsigned expected_visits = 0;
  for (short i = -9; i < 30; i += 4) {
    for (unsigned char k = 200; k > 20; k -= 15) {
      expected_visits += (unsigned)(i + 10) * k;
    }
  }
  CHECK_EQUAL(visits, expected_visits);

  // An empty nest does nothing, not even with an outer loop that would run.
  int touched = 0;
  const int none = 0;
#pragma omp target teams distribute parallel for collapse(2) num_teams(2) map(tofrom : touched)    \
    reduction(+ : touched)
  for (int i = 0; i < 10; ++i) {
    for (int k = 0; k < none; ++k) {
      touched += 1;
    }
  }
  CHECK_EQUAL(touched, 0);
  printf("collapse: %d %u\n", triangle, visits);
  return pass();
}
