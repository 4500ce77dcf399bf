// flags: -Wno-vla-cxx-extension
// firstprivate and private list items of target constructs, and kernels of any number of
// parameters.
#include "conformance.h"

#include <array>
#include <utility>

CASE(a_region_without_variables, "target.parameters") {
#pragma omp target
  {
  }
}

CASE(values_of_every_size, "firstprivate.scalar") {
  bool a = true;
  char b = -2;
  short c = -300;
  int d = -70000;
  long e = -5000000000L;
  float f = 1.5f;
  double g = -2.25;
  LongDouble h = LongDouble(3.125);
  __int128 i = (__int128(7) << 100) + 9;
  bool right = false;
#pragma omp target map(from : right) firstprivate(a, b, c, d, e, f, g, h, i)
  {
    right = a && b == -2 && c == -300 && d == -70000 && e == -5000000000L && f == 1.5f &&
            g == -2.25 && h == LongDouble(3.125) && i == (__int128(7) << 100) + 9;
    a = false; // the device's own copies
    d = 0;
    h = 0;
    i = 0;
  }
  CHECK(right);
  CHECK(a && d == -70000 && h == LongDouble(3.125) && i == (__int128(7) << 100) + 9);
}

CASE(aggregates, "firstprivate.aggregate") {
  struct Point {
    double x, y, z;
    int tag[5];
  } point{1, 2, 3, {4, 5, 6, 7, 8}};
  int small[3] = {1, 2, 3};
  double large[500];
  for (int i = 0; i < 500; ++i) {
    large[i] = i;
  }
  double sum = 0;
#pragma omp target map(tofrom : sum) firstprivate(point, small, large)
  {
    sum += point.x + point.y + point.z + point.tag[4] + small[0] + small[1] + small[2];
    for (int i = 0; i < 500; ++i) {
      sum += large[i];
      large[i] = -1;
    }
    point.x = 100;
    small[0] = 100;
  }
  CHECK_EQUAL(sum, 6 + 8 + 6 + 499 * 250);
  CHECK(point.x == 1 && small[0] == 1 && large[10] == 10);
}

#define TEN(m, p) m(p##0) m(p##1) m(p##2) m(p##3) m(p##4) m(p##5) m(p##6) m(p##7) m(p##8) m(p##9)
#define FORTY(m) TEN(m, v0) TEN(m, v1) TEN(m, v2) TEN(m, v3)
#define PARAMETER(name) long name,
#define ADD(name) +name

/// More parameters than the plugin has callers for.
static long sum_of_forty(FORTY(PARAMETER) long last) {
  long sum = 0;
#pragma omp target map(from : sum)
  sum = last FORTY(ADD);
  return sum;
}

CASE(forty_parameters, "target.parameters") {
  CHECK_EQUAL(sum_of_forty(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20,
                           21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38,
                           39, 40, 41),
              41 * 42 / 2);
}

CASE(pointers, "firstprivate.pointer") {
  int a[4] = {1, 2, 3, 4};
  int* p = a;
  bool same = false;
  const auto address = reinterpret_cast<unsigned long>(p);
#pragma omp target firstprivate(p) map(from : same)
  {
    same = reinterpret_cast<unsigned long>(p) == address;
    p = nullptr;
  }
  CHECK(same && p == a);
}

CASE(arrays_of_variable_length, "firstprivate.variable-length-array") {
  volatile int ten = 10;
  const int length = ten;
  int a[length];
  for (int i = 0; i < length; ++i) {
    a[i] = i;
  }
  int sum = 0;
#pragma omp target firstprivate(a) map(from : sum)
  {
    sum = 0;
    for (int i = 0; i < length; ++i) {
      sum += a[i];
      a[i] = 0;
    }
  }
  CHECK(sum == 45 && a[9] == 9);
}
