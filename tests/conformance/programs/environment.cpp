// Environment variables of the standard.
#include "conformance.h"

static int on_host_in_a_region() {
  int on_host = -1;
#pragma omp target map(from : on_host)
  on_host = omp_is_initial_device();
  return on_host;
}

CASE_WITH(mandatory, "OMP_TARGET_OFFLOAD=MANDATORY", "environment.target-offload-mandatory") {
  CHECK(omp_get_num_devices() > 0);
  CHECK_EQUAL(on_host_in_a_region(), 0);
}

CASE_WITH(default_offloads, "OMP_TARGET_OFFLOAD=DEFAULT", "environment.target-offload-default") {
  CHECK(omp_get_num_devices() > 0);
  CHECK_EQUAL(on_host_in_a_region(), 0);
}

CASE_WITH(disabled, "OMP_TARGET_OFFLOAD=DISABLED", "environment.target-offload-disabled",
          "target.if") {
  CHECK_EQUAL(omp_get_num_devices(), 0);
  CHECK_EQUAL(omp_get_initial_device(), 0);
  CHECK_EQUAL(on_host_in_a_region(), 1);
  int x = 1;
#pragma omp target data map(tofrom : x)
  {
    x = 5;
#pragma omp target map(tofrom : x)
    x += 1;
  }
  CHECK_EQUAL(x, 6);
}

CASE_WITH(default_device, "OMP_DEFAULT_DEVICE=1", "environment.default-device", "device.default") {
  CHECK_EQUAL(omp_get_default_device(), 1);
  int number = -1;
#pragma omp target map(from : number)
  number = omp_get_device_num();
  CHECK_EQUAL(number, 1);
}

CASE_WITH(the_host_as_default_device, "OMP_DEFAULT_DEVICE=3 GANTRY_DEVICES=cpu:3",
          "environment.default-device-host", "device.default") {
  CHECK_EQUAL(omp_get_default_device(), omp_get_initial_device());
  CHECK_EQUAL(on_host_in_a_region(), 1);
}

CASE_WITH(display, "OMP_DISPLAY_ENV=TRUE", "environment.display-env") {
  // libomp prints; the program runs as without.
  CHECK_EQUAL(on_host_in_a_region(), 0);
}

CASE_WITH(limits_of_teams, "OMP_NUM_TEAMS=2 OMP_TEAMS_THREAD_LIMIT=1", "environment.num-teams") {
  int teams = 0;
#pragma omp target teams map(tofrom : teams)
  if (omp_get_team_num() == 0) {
    teams = omp_get_num_teams();
  }
  CHECK(teams >= 1);
  CHECK_EQUAL(omp_get_max_teams(), 2);
  CHECK_EQUAL(omp_get_teams_thread_limit(), 1);
}
