// The target construct and its if, device and thread_limit clauses.
#include "conformance.h"

#include <cmath>
#include <vector>

using conformance::is_present;

static const bool shared = device_shares_memory() != 0;

CASE(the_region_is_waited_for, "target.region") {
  int steps = 0;
  for (int i = 0; i < 50; ++i) {
#pragma omp target map(tofrom : steps)
    steps += 1;
    CHECK_EQUAL(steps, i + 1);
  }
}

CASE(if_clauses, "target.if") {
  for (int condition = 0; condition < 2; ++condition) {
    int on_host = -1;
    int x = 1;
#pragma omp target if (condition) map(from : on_host) map(tofrom : x)
    {
      on_host = omp_is_initial_device();
      x += 1;
    }
    CHECK_EQUAL(on_host, condition == 0);
    CHECK_EQUAL(x, 2);
  }
  int on_host = 0;
#pragma omp target if (target : false) map(from : on_host)
  on_host = omp_is_initial_device();
  CHECK_EQUAL(on_host, 1);
}

CASE(if_false_uses_the_hosts_variables, "target.if") {
  int x = 1;
#pragma omp target data map(tofrom : x)
  {
    x = 5;
    bool condition = is_present(nullptr);
#pragma omp target if (condition) map(tofrom : x)
    x += 1;
    CHECK_EQUAL(x, 6);
  }
  CHECK_EQUAL(x, shared ? 6 : 1);
}

CASE(device_expressions, "device.clause", "device.device_num", "target-data.device") {
  const int devices = omp_get_num_devices();
  for (int i = 0; i < devices; ++i) {
    int numbers[2] = {-1, -1};
#pragma omp target data map(tofrom : numbers) device(devices - 1 - i)
    {
      CHECK(omp_target_is_present(numbers, devices - 1 - i));
#pragma omp target device(devices - 1 - i)
      numbers[0] = omp_get_device_num();
#pragma omp target device(device_num : devices - 1 - i)
      numbers[1] = omp_get_device_num();
    }
    CHECK(numbers[0] == devices - 1 - i && numbers[1] == devices - 1 - i);
  }
}

CASE(the_host_as_a_device, "device.host") {
  int number = -1;
  int x = 1;
#pragma omp target device(omp_get_initial_device()) map(from : number) map(tofrom : x)
  {
    number = omp_is_initial_device() ? omp_get_initial_device() : -2;
    x += 1;
  }
  CHECK_EQUAL(number, omp_get_num_devices());
  CHECK_EQUAL(x, 2);
#pragma omp target enter data map(to : x) device(omp_get_initial_device())
  CHECK(!is_present(&x));
#pragma omp target exit data map(from : x) device(omp_get_initial_device())
#pragma omp target update from(x) device(omp_get_initial_device())
  CHECK_EQUAL(x, 2);
}

CASE(omp_initial_device_as_the_default_device, "device.omp_initial_device") {
  int on_host = 0;
  omp_set_default_device(-1);
#pragma omp target map(from : on_host)
  on_host = omp_is_initial_device();
  omp_set_default_device(0);
  CHECK(on_host);
}

CASE(the_default_device, "device.default", "routine.omp_default_device") {
  const int before = omp_get_default_device();
  for (int device = 0; device < omp_get_num_devices(); ++device) {
    omp_set_default_device(device);
    CHECK_EQUAL(omp_get_default_device(), device);
    int number = -1;
#pragma omp target map(from : number)
    number = omp_get_device_num();
    CHECK_EQUAL(number, device);
  }
  omp_set_default_device(omp_get_initial_device());
  int on_host = 0;
#pragma omp target map(from : on_host)
  on_host = omp_is_initial_device();
  CHECK(on_host);
  omp_set_default_device(before);
}

DEATH_CASE(a_number_that_no_device_has, "device number 77 does not exist", "device.range") {
#pragma omp target device(77)
  {
  }
}

DEATH_CASE(data_of_a_number_that_no_device_has, "device number 77 does not exist", "device.range") {
  int x = 1;
#pragma omp target enter data map(to : x) device(77)
}

CASE(thread_limits, "target.thread_limit") {
  int threads = 0;
#pragma omp target thread_limit(2) map(tofrom : threads)
#pragma omp parallel num_threads(8)
#pragma omp atomic
  threads += 1;
  CHECK(threads >= 1 && threads <= 2);
}

CASE(data_of_the_regions_around, "target.nested-data", "target-data.region", "target-data.nested") {
  int a[10] = {};
  int b[10] = {};
#pragma omp target data map(tofrom : a)
  {
#pragma omp target data map(to : b)
    {
#pragma omp target
      {
        a[1] = 1;
        b[1] = 1;
      }
#pragma omp target
      a[2] = a[1] + b[1];
    }
    CHECK(is_present(a) && !is_present(b));
  }
  CHECK_EQUAL(a[2], 2);
  CHECK_EQUAL(b[1], shared ? 1 : 0);
}

CASE(regions_of_parallel_threads, "target.in-parallel") {
  int results[64] = {};
#pragma omp parallel for num_threads(4)
  for (int i = 0; i < 64; ++i) {
    int x = i;
#pragma omp target map(tofrom : x)
    x *= 3;
    results[i] = x;
  }
  for (int i = 0; i < 64; ++i) {
    CHECK_EQUAL(results[i], 3 * i);
  }
}

/// n!, with a region a level whose data is mapped by all levels.
static long factorial(long n, int* calls) {
  if (n < 2) {
    return 1;
  }
  long result = 0;
#pragma omp target data map(tofrom : calls[0 : 1])
  {
#pragma omp target map(tofrom : calls[0 : 1])
    calls[0] += 1;
    result = n * factorial(n - 1, calls);
  }
  return result;
}

CASE(recursive_functions, "target.recursive-host") {
  int calls = 0;
  CHECK_EQUAL(factorial(10, &calls), 3628800);
  CHECK_EQUAL(calls, 9);
}

#ifndef GANTRY_FOR_AMD // where LLVM refuses a frame of more than 128 KiB
CASE(large_automatic_arrays, "target.large-frame") {
  long sum = 0;
#pragma omp target map(tofrom : sum)
  {
    int large[100000];
    for (int i = 0; i < 100000; ++i) {
      large[i] = i;
    }
    for (int i = 0; i < 100000; i += 1000) {
      sum += large[i];
    }
  }
  CHECK_EQUAL(sum, 4950000);
}
#endif

CASE(output_of_regions, "target.printf") {
#pragma omp target
  printf("%s %d %.2f\n", "from a region", 42, 1.5);
}

CASE(mathematics, "target.math") {
  double x = 2;
  float y = 0;
#pragma omp target map(tofrom : x, y)
  {
    x = std::sqrt(x) * std::sin(1.0) + std::pow(x, 3.0) + std::fabs(-1.0);
    y = std::exp(1.0F) + std::floor(2.5F);
  }
  CHECK(std::fabs(x - (std::sqrt(2.0) * std::sin(1.0) + 9)) < 1e-12);
  CHECK(std::fabs(y - (std::exp(1.0F) + 2)) < 1e-5F);
}

CASE(functions_with_exceptions, "target.exceptions") {
  int x = 0;
  try {
    std::vector<int> numbers(3, 1);
    int* p = numbers.data();
#pragma omp target map(tofrom : p[0 : 3])
    p[2] = 5;
    x = numbers.at(2);
    x += numbers.at(3);
  } catch (const std::exception&) {
    x += 100;
  }
  CHECK_EQUAL(x, 105);
}
