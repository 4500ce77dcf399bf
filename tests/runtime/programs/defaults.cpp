// The default device before libomp is at work, after omp_set_default_device, and in a destructor of
// C, which is still before the program is unregistered.
#include <cstdio>

#include <omp.h>

static int device_of_a_region() {
  int number = -1;
#pragma omp target map(from : number)
  number = omp_is_initial_device() ? -2 : omp_get_device_num();
  return number;
}

__attribute__((destructor)) static void at_end() {
  std::printf("end %d\n", device_of_a_region());
}

int main() {
  std::printf("before %d, ", device_of_a_region());
  omp_set_default_device(1);
  std::printf("after %d, ", device_of_a_region());
}
