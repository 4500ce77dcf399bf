// flags: -fopenmp-version=45 -Wno-openmp-extensions
// compilers: clang22
// Device numbers in regions under OpenMP 4.5, where Clang makes omp_is_initial_device a call:
// libomp's would answer for the host.
#include "conformance.h"

CASE(regions_know_their_device, "routine.omp_is_initial_device", "routine.omp_get_device_num",
     "device.clause") {
  for (int device = 0; device < omp_get_num_devices(); ++device) {
    int number = -1;
    int on_host = 1;
#pragma omp target device(device) map(from : number, on_host)
    {
      number = omp_get_device_num();
      on_host = omp_is_initial_device();
    }
    CHECK_EQUAL(number, device);
    CHECK(!on_host);
  }
  CHECK(omp_is_initial_device());
}
