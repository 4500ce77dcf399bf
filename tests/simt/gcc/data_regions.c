// target data, enter and exit data, update, present counts, and array sections.
#include "device.h"

enum { kCount = 256 };

int main(void) {
  require_device();
  int values[kCount];
  int results[kCount];
  for (int i = 0; i < kCount; ++i) {
    values[i] = i;
    results[i] = -1;
  }
#pragma omp target data map(to : values) map(from : results)
  {
#pragma omp target
    for (int i = 0; i < kCount; ++i) {
      results[i] = values[i] * 2;
    }
    for (int i = 0; i < kCount; ++i) {
      values[i] = 1000;
    }
#pragma omp target update to(values[64 : 64])
#pragma omp target teams distribute parallel for num_teams(2)
    for (int i = 0; i < kCount; ++i) {
      results[i] += values[i];
    }
#pragma omp target update from(results[0 : 4])
    CHECK(results[3] == 9 || host_is_allowed());
  }
  if (!host_is_allowed()) {
    for (int i = 0; i < kCount; ++i) {
      CHECK_EQUAL(results[i], i * 2 + (i >= 64 && i < 128 ? 1000 : i));
    }
  }

  int* block = (int*)malloc(kCount * sizeof(int));
  CHECK(block);
  for (int i = 0; i < kCount; ++i) {
    block[i] = i;
  }
  const int device = omp_get_default_device();
#pragma omp target enter data map(to : block[0 : kCount])
#pragma omp target enter data map(to : block[0 : kCount])
  CHECK(omp_target_is_present(block, device));
#pragma omp target
  for (int i = 0; i < kCount; ++i) {
    block[i] += 5;
  }
#pragma omp target exit data map(from : block[0 : kCount])
  CHECK(block[7] == 7 || host_is_allowed());
#pragma omp target map(always, from : block[0 : kCount])
  block[8] = 800;
  CHECK_EQUAL(block[8], 800);
  CHECK_EQUAL(block[7], 12);
#pragma omp target exit data map(delete : block[0 : kCount])
  CHECK(!omp_target_is_present(block, device) || host_is_allowed());

  // A section in the middle: the device copy holds that part alone.
  int sum = 0;
#pragma omp target map(to : block[100 : 10]) map(tofrom : sum)
  for (int i = 100; i < 110; ++i) {
    sum += block[i];
  }
  CHECK_EQUAL(sum, 1045 + 50);

  // Memory without a counterpart on the host.
  int scratch[kCount];
  int last = 0;
#pragma omp target data map(alloc : scratch)
  {
#pragma omp target
    for (int i = 0; i < kCount; ++i) {
      scratch[i] = i * i;
    }
#pragma omp target map(from : last)
    last = scratch[kCount - 1];
  }
  CHECK_EQUAL(last, 255 * 255);
  free(block);
  printf("data regions: %d %d\n", sum, last);
  return pass();
}
