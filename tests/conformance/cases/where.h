// Where a function runs, as a number that it adds to its result.
#pragma once

#include <omp.h>

enum : int { kHost = 100, kDevice = 200 };

#pragma omp begin declare target
inline int here() {
  return omp_is_initial_device() ? kHost : kDevice;
}
#pragma omp end declare target
