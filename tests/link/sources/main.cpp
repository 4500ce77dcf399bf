// A program of two objects with device code: prints what the device computed and where.
#include <cstdio>
#include <omp.h>

int helper(int value);

int main() {
  int result = 0;
  int on_host = 1;
#pragma omp target map(from : result, on_host)
  {
    result = 7;
    on_host = omp_is_initial_device();
  }
  std::printf("main %d helper %d %s\n", result, helper(20), on_host ? "host" : "device");
}
