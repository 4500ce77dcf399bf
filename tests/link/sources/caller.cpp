// A program whose device code calls device code of another object: helper.cpp.
#include <cstdio>
#include <omp.h>

#pragma omp declare target
int device_twice(int value);
#pragma omp end declare target

int main() {
  int result = 0;
  int on_host = 1;
#pragma omp target map(from : result, on_host)
  {
    result = device_twice(7);
    on_host = omp_is_initial_device();
  }
  std::printf("caller %d %s\n", result, on_host ? "host" : "device");
}
