// omp_target_alloc, copies, associated and device pointers.
#include "device.h"

enum { kCount = 200 };

int main(void) {
  require_device();
  const int device = omp_get_default_device();
  const int host = omp_get_initial_device();
  int values[kCount];
  for (int i = 0; i < kCount; ++i) {
    values[i] = i * 3;
  }
  int* there = (int*)omp_target_alloc(sizeof values, device);
  CHECK(there);
  CHECK_EQUAL(omp_target_memcpy(there, values, sizeof values, 0, 0, device, host), 0);
#pragma omp target is_device_ptr(there)
  for (int i = 0; i < kCount; ++i) {
    there[i] += 1;
  }
  int back[kCount] = {0};
  CHECK_EQUAL(omp_target_memcpy(back, there, sizeof(int) * 100, 0, sizeof(int) * 50, host, device),
              0);
  for (int i = 0; i < 100; ++i) {
    CHECK_EQUAL(back[i], (i + 50) * 3 + 1);
  }

  // A 3 by 4 part of a 10 by 20 matrix.
  const size_t volume[2] = {3, 4};
  const size_t to_offsets[2] = {1, 2};
  const size_t from_offsets[2] = {2, 5};
  const size_t dimensions[2] = {10, 20};
  int matrix[10][20] = {{0}};
  CHECK_EQUAL(omp_target_memcpy_rect(matrix, there, sizeof(int), 2, volume, to_offsets,
                                     from_offsets, dimensions, dimensions, host, device),
              0);
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 4; ++column) {
      CHECK_EQUAL(matrix[row + 1][column + 2], ((row + 2) * 20 + column + 5) * 3 + 1);
    }
  }
  CHECK_EQUAL(matrix[0][0], 0);

  int sum = 0;
  if (!host_is_allowed()) {
    int proxy[kCount];
    CHECK_EQUAL(omp_target_associate_ptr(proxy, there, sizeof proxy, 0, device), 0);
    CHECK(omp_target_is_present(proxy, device));
#pragma omp target map(tofrom : proxy, sum)
    for (int i = 0; i < kCount; ++i) {
      sum += proxy[i];
    }
    CHECK_EQUAL(sum, 3 * kCount * (kCount - 1) / 2 + kCount);
    CHECK_EQUAL(omp_target_disassociate_ptr(proxy, device), 0);
  }
  omp_target_free(there, device);

  int same = 0;
  int* pointer = values;
#pragma omp target data map(to : values)
#pragma omp target data use_device_ptr(pointer)
#pragma omp target is_device_ptr(pointer) map(from : same)
  same = pointer[10] == 30;
  CHECK(same);
  printf("device memory: %d\n", back[0]);
  return pass();
}
