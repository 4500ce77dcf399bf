// Memory that has no value, or is not there; barriers that not all threads come to.
#include "cases.h"

#include <omp.h>
#include <stdlib.h>

namespace {

constexpr int kCount = 128;
/// Arrays of so many have device memory of their own.
constexpr int kMany = 1 << 16;

// wrong: nothing has been written to: 'data'
CASE(allocated_and_read) {
  int data[kCount] = {};
  int sum = 0;
#pragma omp target map(alloc : data) map(tofrom : sum)
  for (int i = 0; i < kCount; ++i) {
    sum += data[i]; // here
  }
}

// wrong: nothing has been written to: 'data'
CASE(mapped_from_and_read) {
  int data[kCount] = {};
#pragma omp target parallel for map(from : data) num_threads(32)
  for (int i = 0; i < kCount; ++i) {
    data[i] += i; // here
  }
}

// wrong: nothing has been written to: 'data'
CASE(half_is_updated) {
  double data[kCount] = {};
  double sum = 0;
#pragma omp target enter data map(alloc : data)
#pragma omp target update to(data[0 : kCount / 2])
#pragma omp target map(tofrom : sum)
  for (int i = 0; i < kCount; ++i) {
    sum += data[i]; // here
  }
}

// wrong: nothing has been written to: 'out'
CASE(a_result_before_its_loop) {
  int in[kCount] = {};
  int out[kCount];
#pragma omp target teams distribute parallel for map(to : in) map(from : out) num_teams(4)
  for (int i = 0; i < kCount; ++i) {
    out[i] = in[i] + (i % 2 == 0 ? 0 : out[i]); // here
  }
}

// wrong: nothing has been written to: the allocation
CASE(memory_of_the_device) {
  const int device = omp_get_default_device();
  int* const data = static_cast<int*>(omp_target_alloc(kCount * sizeof(int), device));
  int sum = 0;
#pragma omp target is_device_ptr(data) map(tofrom : sum)
  for (int i = 0; i < kCount; ++i) {
    sum += data[i]; // here
  }
}

// wrong: wrote to address: 'data[
CASE(one_too_many) {
  int* const data = new int[kCount]();
#pragma omp target teams distribute parallel for map(tofrom : data[0 : kCount]) num_teams(2)
  for (int i = 0; i <= kCount; ++i) {
    data[i] = i; // here
  }
}

// wrong: wrote to address: 4 bytes before the allocation
CASE(before_the_first) {
  const int device = omp_get_default_device();
  int* const data = static_cast<int*>(omp_target_alloc(kMany * sizeof(int), device));
#pragma omp target is_device_ptr(data)
  for (int i = kMany - 1; i >= 0; --i) {
    data[i - 1] = i; // here
  }
}

// wrong: read from address: 'data[
CASE(a_section_that_is_too_short) {
  double* const data = new double[4 * kMany]();
  double sum = 0;
#pragma omp target map(to : data[0 : kMany]) map(tofrom : sum)
  for (int i = 0; i < 4 * kMany; ++i) {
    sum += data[i]; // here
  }
}

// wrong: wrote to address: 'grid[
CASE(columns_for_rows) {
  constexpr int kRows = 250;
  constexpr int kColumns = 256;
  float* const grid = new float[kRows * kColumns]();
#pragma omp target teams distribute parallel for collapse(2)                                       \
    map(tofrom : grid[0 : kRows * kColumns])
  for (int row = 0; row < kRows; ++row) {
    for (int column = 0; column < kColumns; ++column) {
      grid[column * kColumns + row] = 1; // here
    }
  }
}

struct Holder {
  int* values;
  int count;
};

// wrong: read from address: 'holder'
CASE(a_member_that_is_not_mapped) {
  Holder holder = {new int[kCount](), kCount};
  int sum = 0;
#pragma omp target map(to : holder) map(tofrom : sum)
  for (int i = 0; i < holder.count; ++i) {
    sum += holder.values[i]; // here
  }
}

// wrong: wrote to address: freed device memory
CASE(used_after_its_end) {
  const int device = omp_get_default_device();
  int* const data = static_cast<int*>(omp_target_alloc(kCount * sizeof(int), device));
  omp_target_free(data, device);
#pragma omp target is_device_ptr(data)
  for (int i = 0; i < kCount; ++i) {
    data[i] = i; // here
  }
}

// wrong: ended: barrier
CASE(a_barrier_for_one) {
  int steps[2] = {};
#pragma omp target map(tofrom : steps)
  {
    for (int i = 0; i < 2; ++i) {
#pragma omp parallel num_threads(64)
      {
        if (omp_get_thread_num() == 5) {
#pragma omp barrier
          steps[i] = 1;
        }
      }
    }
  }
}

} // namespace
