#include "kernels.h"

#include <cstdio>

#include <omp.h>

int main() {
  for (int device = 0; device < omp_get_num_devices(); ++device) {
    omp_set_default_device(device);
    double values[100];
    for (int i = 0; i < 100; ++i) {
      values[i] = i;
    }
    twice(values, 100);
    std::printf("device %d: %s, %g\n", device, on_device() ? "on the device" : "ON THE HOST",
                values[99]);
  }
}
