// Copies between host and device by target update, and by memcpy between pages that are warm. One
// argument, MiB. Prints three times: to the device, from the device, memcpy.
#include "timing.h"

#include <string.h>

enum { kBatches = 5 };

int main(int count, char** arguments) {
  require(count == 2, "expects one argument, the MiB to copy");
  require_device();
  const size_t size = strtoul(arguments[1], NULL, 10) << 20;
  char* host = malloc(size);
  char* copy = malloc(size);
  memset(host, 1, size);
  memset(copy, 2, size);
  double samples[3][kBatches];
#pragma omp target enter data map(to : host[0 : size])
  for (int i = 0; i < kBatches; ++i) {
    host[size - 1] = (char)(i + 3);
    double begin = nanoseconds();
#pragma omp target update to(host[0 : size])
    samples[0][i] = nanoseconds() - begin;

    char last = 0;
#pragma omp target map(from : last)
    last = host[size - 1];
    require(last == i + 3, "the update did not reach the device");

    begin = nanoseconds();
#pragma omp target update from(host[0 : size])
    samples[1][i] = nanoseconds() - begin;

    begin = nanoseconds();
    memcpy(copy, host, size);
    samples[2][i] = nanoseconds() - begin;
    require(copy[size - 1] == i + 3, "memcpy did not copy");
  }
#pragma omp target exit data map(release : host[0 : size])
  for (int i = 0; i < 3; ++i) {
    qsort(samples[i], kBatches, sizeof samples[i][0], compare_doubles);
    printf("%.2f%c", samples[i][kBatches / 2], i == 2 ? '\n' : ' ');
  }
  return 0;
}
