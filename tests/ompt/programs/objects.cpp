// Objects that are mapped in other ways than an array is, as constructs.cpp has them: with a line
// before each construct.
#include <cstdio>

#include <omp.h>

constexpr int N = 50;

struct Line {
  int length;
  double* values;
};

static void step(const char* name) {
  std::printf("step %s\n", name);
  std::fflush(stdout);
}

int main() {
  double values[N];
  int large[400];
  int small = 3;
  int sum = 0;
  for (double& value : values) {
    value = 1;
  }
  for (int& value : large) {
    value = 2;
  }
  Line line{N, values};
  double* const pointer = values;

  step("struct with a pointer");
#pragma omp target map(tofrom : line, line.values[0 : N])
  line.values[0] = 2;

  step("section of a pointer");
#pragma omp target map(tofrom : pointer[0 : N])
  pointer[1] = 3;

  step("firstprivate");
#pragma omp target firstprivate(large, small) map(from : values)
  for (int i = 0; i < N; ++i) {
    values[i] = large[i] + small;
  }

  step("private");
#pragma omp target private(small) map(tofrom : values)
  {
    small = 1;
    values[1] = small;
  }

  step("begin of target data");
#pragma omp target data map(to : values) use_device_addr(values)
  {
    step("has_device_addr");
#pragma omp target has_device_addr(values)
    values[0] = 4;
    step("end of target data");
  }

  step("reduction");
#pragma omp target teams distribute parallel for reduction(+ : sum)
  for (int i = 0; i < 10; ++i) {
    sum += i;
  }

  step("alloc and release");
#pragma omp target enter data map(alloc : line)
#pragma omp target exit data map(release : line)

  step("sections apart");
#pragma omp target enter data map(to : large[0 : 10], values[10 : 5])
#pragma omp target exit data map(from : values[10 : 5]) map(delete : large[0 : 10])
  step("end");
  return sum == 45 && values[0] == 5 ? 0 : 1;
}
