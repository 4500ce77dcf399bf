// What the programs share: checks, and the proof that target regions run on a device.
#pragma once

#include "../../support/check_macros.h"

#include <math.h>
#include <omp.h>

/// Equal but for `tolerance` relative to the larger of the expected value's magnitude and 1.
#define CHECK_NEAR(actual, expected, tolerance)                                                    \
  do {                                                                                             \
    const double actual_value = (double)(actual);                                                  \
    const double expected_value = (double)(expected);                                              \
    if (!(fabs(actual_value - expected_value) <= (tolerance) * fmax(1.0, fabs(expected_value)))) { \
      fprintf(stderr, "%s:%d: failed: %s is %.17g, expected %.17g\n", __FILE__, __LINE__, #actual, \
              actual_value, expected_value);                                                       \
      exit(1);                                                                                     \
    }                                                                                              \
  } while (0)

/// With GANTRY_TEST_ALLOW_HOST=1 a program may run without a device, to test the program itself.
static inline int host_is_allowed(void) {
  const char* allowed = getenv("GANTRY_TEST_ALLOW_HOST");
  return allowed && allowed[0] == '1';
}

/// Ends the program unless there is a device and target regions run there.
static inline void require_device(void) {
  int on_host = 1;
#pragma omp target map(from : on_host)
  on_host = omp_is_initial_device();
  if (!host_is_allowed()) {
    CHECK(omp_get_num_devices() >= 1);
    CHECK(!on_host);
  }
}

static inline int pass(void) {
  puts("PASS");
  return 0;
}
