// Device variables that need a constructor and a destructor.
#include <cstdio>
#include <omp.h>

#pragma omp declare target
struct Counter {
  Counter() { value += 2; }
  ~Counter() {
    if (!omp_is_initial_device()) {
      std::printf("destroyed %d\n", value);
      std::fflush(stdout);
    }
  }
  int value = 40;
};
Counter counter;
#pragma omp end declare target

int main() {
  int result = 0;
#pragma omp target map(from : result)
  result = counter.value;
  std::printf("constructed %d\n", result);
  std::fflush(stdout);
}
