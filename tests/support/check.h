// What end-to-end programs share: checks that end the program with their place, and the proof that
// a target region ran on a device.
#pragma once

#include "check_macros.h"

#include <omp.h>

/// Ends the program unless the default device is one and target regions run there.
static inline void check_runs_on_device(void) {
  int on_host = 1;
  int number = -1;
#pragma omp target map(from : on_host, number)
  {
    on_host = omp_is_initial_device();
    number = omp_get_device_num();
  }
  CHECK(omp_get_num_devices() > 0);
  CHECK(!on_host);
  CHECK_EQUAL(number, omp_get_default_device());
}

/// True if mapped storage is the original storage on the default device.
static inline int device_shares_memory(void) {
  int object = 0;
  void* device_address = NULL;
#pragma omp target map(tofrom : object) map(from : device_address)
  device_address = &object;
  return device_address == &object;
}
