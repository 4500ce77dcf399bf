// Functions called by pointer on the device: from tables of the device, chosen by data, passed to
// other functions, and by lanes that do not agree.
#include "device.h"

#pragma omp declare target
typedef int (*Operation)(int, int);

static int add(int a, int b) {
  return a + b;
}
static int subtract(int a, int b) {
  return a - b;
}
static int multiply(int a, int b) {
  return a * b;
}
static int larger(int a, int b) {
  return a > b ? a : b;
}

Operation operations[4] = {add, subtract, multiply, larger};

__attribute__((noinline)) static int fold(Operation operation, const int* values, int count) {
  int result = values[0];
  for (int i = 1; i < count; ++i) {
    result = operation(result, values[i]);
  }
  return result;
}

static double half_of(double x) {
  return x / 2;
}
static double square_of(double x) {
  return x * x;
}

static int by_number(const void* left, const void* right) {
  const int a = *(const int*)left;
  const int b = *(const int*)right;
  return (a > b) - (a < b);
}
#pragma omp end declare target

int main(void) {
  require_device();
  int values[6] = {3, 9, 2, 8, 1, 4};
  int folded[4];
#pragma omp target map(to : values) map(from : folded)
  for (int i = 0; i < 4; ++i) {
    folded[i] = fold(operations[i], values, 6);
  }
  CHECK_EQUAL(folded[0], 27);
  CHECK_EQUAL(folded[1], -21);
  CHECK_EQUAL(folded[2], 1728);
  CHECK_EQUAL(folded[3], 9);

  int mixed[100];
#pragma omp target map(from : mixed)
#pragma omp simd
  for (int i = 0; i < 100; ++i) {
    mixed[i] = operations[i % 4](i, 7);
  }
  const Operation on_host[4] = {add, subtract, multiply, larger};
  for (int i = 0; i < 100; ++i) {
    CHECK_EQUAL(mixed[i], on_host[i % 4](i, 7));
  }

  double doubled = 0;
  int same = 0;
#pragma omp target map(from : doubled, same)
  {
    double (*function)(double) = omp_get_team_num() == 0 ? square_of : half_of;
    doubled = function(function(3)) + (function == square_of ? half_of : square_of)(9);
    same = (operations[0] == add) + 2 * (operations[1] == add);
  }
  CHECK(doubled == 85.5);
  CHECK_EQUAL(same, 1);

  // The device's qsort calls back.
  int numbers[50];
  for (int i = 0; i < 50; ++i) {
    numbers[i] = i * 37 % 101;
  }
#pragma omp target map(tofrom : numbers)
  qsort(numbers, 50, sizeof numbers[0], by_number);
  for (int i = 1; i < 50; ++i) {
    CHECK(numbers[i - 1] < numbers[i]);
  }
  printf("function pointers: %d %d\n", folded[2], numbers[49]);
  return pass();
}
