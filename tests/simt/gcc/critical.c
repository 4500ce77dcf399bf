// critical sections, named and not, and the two kinds of locks.
#include "device.h"

int main(void) {
  require_device();
  long sum = 0;
  int log_length = 0;
  int log_entries[256];
#pragma omp target teams num_teams(4) map(tofrom : sum, log_length) map(from : log_entries)
#pragma omp parallel for num_threads(4)
  for (int i = 0; i < 64; ++i) {
    if (omp_get_team_num() == 0) {
#pragma omp critical
      sum += i;
#pragma omp critical(log)
      {
        log_entries[log_length] = i;
        log_length = log_length + 1;
      }
    }
  }
  CHECK_EQUAL(sum, 2016);
  CHECK_EQUAL(log_length, 64);
  int seen[64] = {0};
  for (int i = 0; i < 64; ++i) {
    seen[log_entries[i]] += 1;
  }
  for (int i = 0; i < 64; ++i) {
    CHECK_EQUAL(seen[i], 1);
  }

  int locked = 0;
  int nested = 0;
  int tested = 0;
#pragma omp target map(tofrom : locked, nested, tested)
  {
    omp_lock_t lock;
    omp_nest_lock_t nest_lock;
    omp_init_lock(&lock);
    omp_init_nest_lock(&nest_lock);
#pragma omp parallel num_threads(4)
    for (int i = 0; i < 25; ++i) {
      omp_set_lock(&lock);
      locked += 1;
      omp_unset_lock(&lock);
      omp_set_nest_lock(&nest_lock);
      omp_set_nest_lock(&nest_lock);
      nested += 2;
      omp_unset_nest_lock(&nest_lock);
      omp_unset_nest_lock(&nest_lock);
    }
    tested = omp_test_lock(&lock);
    tested = tested * 10 + omp_test_lock(&lock);
    omp_unset_lock(&lock);
    omp_destroy_lock(&lock);
    omp_destroy_nest_lock(&nest_lock);
    const int threads = locked / 25;
    locked = locked == 25 * threads;
    nested = nested == 50 * threads;
  }
  CHECK(locked);
  CHECK(nested);
  CHECK_EQUAL(tested, 10);
  printf("critical: %ld\n", sum);
  return pass();
}
