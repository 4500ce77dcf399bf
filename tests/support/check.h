// What end-to-end programs share: checks that end the program with their place, and the proof that
// a target region ran on a device.
#pragma once

#include <stdio.h>
#include <stdlib.h>

#include <omp.h>

#define CHECK(condition)                                                                           \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);                      \
      exit(1);                                                                                     \
    }                                                                                              \
  } while (0)

#define CHECK_EQUAL(left, right)                                                                   \
  do {                                                                                             \
    const long long left_value = (long long)(left);                                                \
    const long long right_value = (long long)(right);                                              \
    if (left_value != right_value) {                                                               \
      fprintf(stderr, "%s:%d: failed: %s is %lld and %s is %lld\n", __FILE__, __LINE__, #left,     \
              left_value, #right, right_value);                                                    \
      exit(1);                                                                                     \
    }                                                                                              \
  } while (0)

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
