// distribute: every iteration is done by exactly one team, with and without a schedule, alone and
// combined with parallel for and simd.
#include "device.h"

enum { kCount = 1013 };

static void check_each_once(const int* times) {
  for (int i = 0; i < kCount; ++i) {
    CHECK_EQUAL(times[i], 1);
  }
}

int main(void) {
  require_device();
  int times[kCount];
  int team_of[kCount];

  for (int i = 0; i < kCount; ++i) {
    times[i] = 0;
  }
#pragma omp target teams distribute num_teams(4) map(tofrom : times)
  for (int i = 0; i < kCount; ++i) {
    times[i] += 1;
  }
  check_each_once(times);

  int teams = 0;
  for (int i = 0; i < kCount; ++i) {
    times[i] = 0;
  }
#pragma omp target teams num_teams(4) map(tofrom : times) map(from : team_of, teams)
  {
    if (omp_get_team_num() == 0) {
      teams = omp_get_num_teams();
    }
#pragma omp distribute dist_schedule(static, 10)
    for (int i = 0; i < kCount; ++i) {
      times[i] += 1;
      team_of[i] = omp_get_team_num();
    }
  }
  check_each_once(times);
  for (int i = 0; i < kCount; ++i) {
    CHECK_EQUAL(team_of[i], i / 10 % teams);
  }

  for (int i = 0; i < kCount; ++i) {
    times[i] = 0;
  }
#pragma omp target teams distribute parallel for simd num_teams(4) map(tofrom : times)
  for (int i = 0; i < kCount; ++i) {
    times[i] += 1;
  }
  check_each_once(times);

  int last = -1;
  int grid[24][31];
#pragma omp target teams distribute parallel for collapse(2) num_teams(3) map(from : grid)
  for (int row = 0; row < 24; ++row) {
    for (int column = 0; column < 31; ++column) {
      grid[row][column] = row * 100 + column;
    }
  }
  for (int row = 0; row < 24; ++row) {
    for (int column = 0; column < 31; ++column) {
      CHECK_EQUAL(grid[row][column], row * 100 + column);
    }
  }
#pragma omp target teams distribute num_teams(4) map(tofrom : last) lastprivate(last)
  for (int i = 0; i < kCount; ++i) {
    last = i;
  }
  CHECK_EQUAL(last, kCount - 1);
  printf("distribute: %d iterations\n", kCount);
  return pass();
}
