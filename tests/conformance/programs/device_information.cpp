// Routines that tell of devices, and the pausing of devices.
#include "conformance.h"

CASE(numbers_of_devices, "routine.omp_get_num_devices", "routine.omp_get_initial_device",
     "routine.omp_get_device_num", "routine.omp_is_initial_device") {
  CHECK(omp_get_num_devices() > 0);
  CHECK_EQUAL(omp_get_initial_device(), omp_get_num_devices());
  CHECK_EQUAL(omp_get_device_num(), omp_get_initial_device());
  CHECK(omp_is_initial_device());
}

CASE(in_regions, "routine.omp_get_device_num", "routine.omp_is_initial_device",
     "routine.in-regions") {
  for (int device = 0; device < omp_get_num_devices(); ++device) {
    int number = -1, on_host = -1, team = -1, teams = -1, host = device, devices = 0;
#pragma omp target device(device) map(from : number, on_host, team, teams, host, devices)
    {
      // Left open in regions; no answer is to be mistaken for another one.
      host = omp_get_initial_device();
      devices = omp_get_num_devices();
      number = omp_get_device_num();
      on_host = omp_is_initial_device();
      team = omp_get_team_num();
      teams = omp_get_num_teams();
    }
    CHECK_EQUAL(number, device);
    CHECK_EQUAL(on_host, 0);
#ifdef __clang__ // GCC's own runtime in code for GPUs knows of no devices
    CHECK(host != device);
    CHECK(devices > device);
#endif
    CHECK(team == 0 && teams == 1);
  }
}

CASE(default_device, "routine.omp_default_device") {
  const int before = omp_get_default_device();
  CHECK_EQUAL(before, 0);
  omp_set_default_device(1);
  CHECK_EQUAL(omp_get_default_device(), 1);
#pragma omp parallel num_threads(2)
  CHECK_EQUAL(omp_get_default_device(), 1);
  omp_set_default_device(before);
}

CASE(processors, "routine.omp_get_num_procs") {
  CHECK(omp_get_num_procs() > 0);
  int there = 0;
#pragma omp target map(from : there)
  there = omp_get_num_procs();
  CHECK(there > 0);
}

CASE(pausing, "routine.omp_pause_resource") {
  // Refusing is an answer too; what is mapped stays then.
  int x = 1;
#pragma omp target enter data map(to : x)
  const int result = omp_pause_resource(omp_pause_soft, omp_get_default_device());
  if (result != 0) {
    CHECK(conformance::is_present(&x));
  }
#pragma omp target exit data map(delete : x)
  int y = 1;
#pragma omp target map(tofrom : y)
  y += 1;
  CHECK_EQUAL(y, 2);
}

extern "C" void ompx_dump_mapping_tables(void);

CASE(dump_of_what_is_mapped, "routine.ompx_dump_mapping_tables") {
  int x = 1;
#pragma omp target data map(to : x)
  ompx_dump_mapping_tables();
}
