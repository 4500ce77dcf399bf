// The omp_* routines, called on the device and on the host.
#include "device.h"

int main(void) {
  require_device();
  int values[16];
  double times[2];
#pragma omp target map(from : values, times)
  {
    int n = 0;
    values[n++] = omp_is_initial_device();
    values[n++] = omp_get_num_teams();
    values[n++] = omp_get_team_num();
    values[n++] = omp_in_parallel();
    values[n++] = omp_get_num_threads();
    values[n++] = omp_get_thread_num();
    values[n++] = omp_get_max_threads() >= 1;
    values[n++] = omp_get_level();
    values[n++] = omp_get_active_level();
    values[n++] = omp_in_final();
    values[n++] = omp_get_num_procs() >= 1;
    omp_set_num_threads(2);
    int inside = 0;
#pragma omp parallel
#pragma omp master
    inside = omp_get_num_threads() * 10 + omp_in_parallel();
    values[n++] = inside / 10 <= 2;
    values[n++] = omp_get_device_num();
    values[n++] = omp_get_team_size(0);
    values[n++] = omp_get_ancestor_thread_num(0);
    values[n++] = omp_get_thread_limit() >= 1;
    times[0] = omp_get_wtime();
    volatile int spin = 0;
    for (int i = 0; i < 200; ++i) {
      spin += i;
    }
    times[1] = omp_get_wtime();
  }
  const int on_device = !values[0];
  CHECK(on_device || host_is_allowed());
  const int expected[16] = {!on_device, 1, 0, 0, 1, 0, 1, 0, 0, 0, 1, 1, -1, 1, 0, 1};
  for (int i = 1; i < 16; ++i) {
    if (expected[i] >= 0) {
      CHECK_EQUAL(values[i], expected[i]);
    }
  }
  CHECK(times[1] >= times[0]);
  CHECK(omp_is_initial_device());
  CHECK_EQUAL(omp_get_device_num(), omp_get_initial_device());
  CHECK_EQUAL(omp_get_initial_device(), omp_get_num_devices());
  if (on_device) {
    CHECK_EQUAL(values[12], omp_get_default_device());
  }
  printf("routines: 16 on the device\n");
  return pass();
}
