// Regions with nowait that are not ordered, each of which maps two rows of a table, both ways, and
// changes one: where they are spread, some are in the way of others.
#include <omp.h>

#include "check_macros.h"

enum { kRows = 64, kSize = 256, kRounds = 10, kTimes = 100 };

static int rows[kRows][kSize];

int main() {
  CHECK(omp_get_num_devices() > 1);
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < kRows; ++i) {
      int* const changed = rows[i];
      int* const unused = rows[(i * 7 + 1) % kRows];
#pragma omp target nowait map(tofrom : changed[0 : kSize], unused[0 : kSize])
      for (int k = 0; k < kSize; ++k) {
        for (int time = 0; time < kTimes; ++time) {
          changed[k] += time & 1;
        }
      }
    }
#pragma omp taskwait
  }
  for (const auto& row : rows) {
    for (const int value : row) {
      CHECK_EQUAL(value, kRounds * kTimes / 2);
    }
  }
}
