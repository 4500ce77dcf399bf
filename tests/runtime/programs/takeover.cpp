// A region that finds nothing of the program on its device: the host can run it instead. Prints
// where it ran.
#include "check.h"

int main() {
  int x = 1;
  int array[100] = {};
  int on_host = -1;
#pragma omp target map(tofrom : x) map(to : array) map(from : on_host)
  {
    x += 1 + array[99];
    on_host = omp_is_initial_device();
  }
  CHECK_EQUAL(x, 2);
  puts(on_host ? "host" : "device");
}
