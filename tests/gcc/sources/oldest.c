// The constructs as GCC 4.9 and 5 call them, on the region that this GCC makes.
#include "../../simt/gcc/device.h"

#include <stdint.h>

typedef void region(void*);
void GOMP_target(int, region*, const void*, size_t, void**, size_t*, unsigned char*);
void GOMP_target_data(int, const void*, size_t, void**, size_t*, unsigned char*);
void GOMP_target_end_data(void);
void GOMP_target_update(int, const void*, size_t, void**, size_t*, unsigned char*);
void GOMP_offload_register(const void*, int, const void*);
void GOMP_offload_unregister(const void*, int, const void*);
extern void* __OFFLOAD_TABLE__[] __attribute__((visibility("hidden"), weak));
extern region* __offload_func_table[] __attribute__((visibility("hidden")));

static int values[4] = {1, 2, 3, 4};

void add(void) {
#pragma omp target map(tofrom : values)
  for (int i = 0; i < 4; ++i) {
    values[i] += omp_is_initial_device() ? 1000 : 10;
  }
}

int main(void) {
  enum { kTo = 1, kFrom = 2, kAlignedAsInt = 2 << 3, kUnknownDevice = 99 };
  void* addresses[] = {values};
  size_t sizes[] = {sizeof values};
  unsigned char both[] = {kTo | kFrom | kAlignedAsInt};
  unsigned char from[] = {kFrom | kAlignedAsInt};
  GOMP_offload_register(values, kUnknownDevice, NULL);
  GOMP_target(-1, __offload_func_table[0], __OFFLOAD_TABLE__, 1, addresses, sizes, both);
  CHECK_EQUAL(values[3], 14);
  GOMP_target_data(-1, __OFFLOAD_TABLE__, 1, addresses, sizes, both);
  GOMP_target(-1, __offload_func_table[0], __OFFLOAD_TABLE__, 1, addresses, sizes, both);
  GOMP_target_update(-1, __OFFLOAD_TABLE__, 1, addresses, sizes, from);
  CHECK_EQUAL(values[3], 24);
  add();
  GOMP_target_end_data();
  CHECK_EQUAL(values[0], 31);
  // No device code.
  GOMP_target(-1, __offload_func_table[0], NULL, 1, addresses, sizes, both);
  CHECK_EQUAL(values[0], 1031);
  GOMP_offload_unregister(values, kUnknownDevice, NULL);
  return pass();
}
