// Where the region runs: prints "host" or "device".
#include <cstdio>

#include <omp.h>

int main() {
  int on_host = -1;
  int a[10] = {};
#pragma omp target data map(tofrom : a)
  {
#pragma omp target map(tofrom : a) map(from : on_host)
    {
      on_host = omp_is_initial_device();
      a[3] = 5;
    }
#pragma omp target update from(a)
  }
  std::printf("%s %d %d\n", on_host ? "host" : "device", a[3], omp_get_num_devices());
}
