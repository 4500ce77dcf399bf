// Lambdas made on the device: captures by value and by reference, passed to templates, generic
// ones, in parallel regions.
#include "device.h"

#pragma omp declare target
template <typename Function>
static void for_each(int count, const Function& function) {
  for (int i = 0; i < count; ++i) {
    function(i);
  }
}

template <typename Function>
static int reduce(const int* values, int count, const Function& function) {
  int result = values[0];
  for (int i = 1; i < count; ++i) {
    result = function(result, values[i]);
  }
  return result;
}

// GCC 12 does not compile generic lambdas inside a target region itself.
static double scaled_twice(int value, double factor) {
  auto twice = [](auto x) { return x + x; };
  auto scale = [=](double by) { return twice(value) * by + twice(0.25); };
  return scale(factor);
}
#pragma omp end declare target

int main() {
  require_device();
  int values[20];
  for (int i = 0; i < 20; ++i) {
    values[i] = (i * 7 + 3) % 20;
  }
  int sum = 0;
  int largest = 0;
  int counted = 0;
  double scaled[20];
#pragma omp target map(to : values) map(from : sum, largest, counted, scaled)
  {
    int total = 0;
    const int offset = 5;
    for_each(20, [&total, offset, &values](int i) { total += values[i] + offset; });
    sum = total;
    largest = reduce(values, 20, [](int a, int b) { return a > b ? a : b; });
    int calls = 0;
    auto count = [calls]() mutable { return ++calls; };
    count();
    count();
    counted = count() * 10 + calls;
#pragma omp parallel for num_threads(4)
    for (int i = 0; i < 20; ++i) {
      auto factor = [i](double base) { return base + i * 0; };
      scaled[i] = scaled_twice(values[i], factor(1.5));
    }
  }
  CHECK_EQUAL(sum, 190 + 100);
  CHECK_EQUAL(largest, 19);
  CHECK_EQUAL(counted, 30);
  for (int i = 0; i < 20; ++i) {
    CHECK(scaled[i] == values[i] * 3 + 0.5);
  }

  // A lambda of the host that is mapped with its captures by value.
  const int factor = 6;
  auto multiply = [factor](int x) { return x * factor; };
  int product = 0;
#pragma omp target map(to : multiply) map(from : product)
  product = multiply(7);
  CHECK_EQUAL(product, 42);

  // A lambda without captures becomes a pointer to a function of the device.
  int called = 0;
#pragma omp target map(from : called)
  {
    int (*function)(int) = [](int x) { return x - 1; };
    called = function(100) + function(10);
  }
  CHECK_EQUAL(called, 108);
  printf("lambdas: %d %d\n", sum, product);
  return pass();
}
