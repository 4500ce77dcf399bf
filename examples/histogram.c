/* A histogram on the device, written for GCC, for docs/port-a-gcc-program.md. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { kBins = 8, kValues = 100000 };

#pragma omp declare target
static int bin_of(unsigned value) {
  return (int)(value * 2654435761u >> 29);
}
#pragma omp end declare target

int main(void) {
  unsigned* values = malloc(kValues * sizeof *values);
  int bins[kBins] = {0};
  int on_host = 1;
  for (unsigned i = 0; i < kValues; ++i) {
    values[i] = i;
  }
#pragma omp target map(from : on_host)
  on_host = omp_is_initial_device();
#pragma omp target teams distribute parallel for map(to : values[0 : kValues]) map(tofrom : bins)
  for (int i = 0; i < kValues; ++i) {
#pragma omp atomic
    bins[bin_of(values[i])] += 1;
  }
  for (int i = 0; i < kBins; ++i) {
    printf("%d ", bins[i]);
  }
  printf("on the %s\n", on_host ? "host" : "device");
  free(values);
  return 0;
}
