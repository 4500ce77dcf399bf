// Regions that count in variables of the device: declare target, static in a function, or of a
// library.
#include <omp.h>

#include "check_macros.h"

#ifdef DECLARED
#pragma omp declare target
int counted;
static int count() {
  return ++counted;
}
#pragma omp end declare target
#else
#pragma omp declare target
static int count() {
  static int counted;
  return ++counted;
}
#pragma omp end declare target
#endif

int main() {
  CHECK(omp_get_num_devices() > 1);
  for (int i = 1; i <= 6; ++i) {
    int number = 0;
    int device = -1;
#pragma omp target map(from : number, device)
    {
      number = count();
      device = omp_get_device_num();
    }
    CHECK_EQUAL(number, i);
    CHECK_EQUAL(device, omp_get_default_device());
  }
  printf("as many as regions\n");
}
