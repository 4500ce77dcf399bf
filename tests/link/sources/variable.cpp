#include <omp.h>

int counter = 3;
#pragma omp declare target(counter)
int main() {
  int result = 0;
#pragma omp target map(from : result)
  result = omp_is_initial_device() ? 0 : counter;
  return result - 3;
}
