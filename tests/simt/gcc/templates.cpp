// Templates: functions and classes that the device's code instantiates, with values and types as
// arguments, variadic ones, and what is computed at compile time.
#include "device.h"

#pragma omp declare target
namespace {

template <typename T>
T clamp(T value, T low, T high) {
  return value < low ? low : value > high ? high : value;
}

template <typename T, int size>
class Vector {
public:
  T& operator[](int i) { return elements_[i]; }
  const T& operator[](int i) const { return elements_[i]; }
  T dot(const Vector& other) const {
    T sum{};
    for (int i = 0; i < size; ++i) {
      sum += elements_[i] * other[i];
    }
    return sum;
  }
  Vector& operator+=(const Vector& other) {
    for (int i = 0; i < size; ++i) {
      elements_[i] += other[i];
    }
    return *this;
  }

private:
  T elements_[size] = {};
};

template <typename... Terms>
long sum_of(Terms... terms) {
  return (0L + ... + terms);
}

template <int n>
struct Factorial {
  static constexpr long value = n * Factorial<n - 1>::value;
};
template <>
struct Factorial<0> {
  static constexpr long value = 1;
};

template <typename T>
int kind_of(T) {
  if constexpr (sizeof(T) == 1) {
    return 1;
  } else if constexpr (T(0.5) > 0) {
    return 2;
  } else {
    return 3;
  }
}

template <typename T>
T table[4] = {T(1.5), T(2.5), T(3.5), T(4.5)};

constexpr int power(int base, int exponent) {
  return exponent == 0 ? 1 : base * power(base, exponent - 1);
}

} // namespace
#pragma omp end declare target

template <typename T>
static T scaled_sum(const T* values, int count, T scale) {
  T sum{};
#pragma omp target teams distribute parallel for num_teams(4) map(to : values[0 : count])          \
    map(tofrom : sum) reduction(+ : sum)
  for (int i = 0; i < count; ++i) {
    sum += clamp<T>(values[i] * scale, T(0), T(100));
  }
  return sum;
}

int main() {
  require_device();
  int integers[100];
  double doubles[100];
  for (int i = 0; i < 100; ++i) {
    integers[i] = i - 20;
    doubles[i] = (i - 20) * 0.5;
  }
  int expected_integer = 0;
  double expected_double = 0;
  for (int i = 0; i < 100; ++i) {
    expected_integer += clamp(integers[i] * 3, 0, 100);
    expected_double += clamp(doubles[i] * 4, 0.0, 100.0);
  }
  const int integer_sum = scaled_sum(integers, 100, 3);
  const double double_sum = scaled_sum(doubles, 100, 4.0);
  CHECK_EQUAL(integer_sum, expected_integer);
  CHECK(double_sum == expected_double);

  long results[8];
#pragma omp target map(from : results)
  {
    Vector<float, 3> a;
    Vector<float, 3> b;
    for (int i = 0; i < 3; ++i) {
      a[i] = float(i + 1);
      b[i] = float(2 * i);
    }
    a += b;
    results[0] = long(a.dot(b));
    results[1] = sum_of(1, 2L, short(3), 'a');
    results[2] = Factorial<12>::value;
    results[3] = kind_of('c') * 100 + kind_of(1.0f) * 10 + kind_of(7);
    results[4] = long(table<double>[3] * 2) + table<int>[1];
    constexpr int cube = power(7, 3);
    results[5] = cube + power(int(results[0] % 3) + 2, 4);
    Vector<long, 5> wide;
    wide[4] = 1L << 40;
    results[6] = wide.dot(wide) + wide[4];
    results[7] = clamp<unsigned char>(200, 10, 150);
  }
  CHECK_EQUAL(results[0], 36);
  CHECK_EQUAL(results[1], 6 + 'a');
  CHECK_EQUAL(results[2], 479001600);
  CHECK_EQUAL(results[3], 123);
  CHECK_EQUAL(results[4], 11);
  CHECK_EQUAL(results[5], 343 + 16);
  CHECK_EQUAL(results[6], 1L << 40);
  CHECK_EQUAL(results[7], 150);
  printf("templates: %d %g\n", integer_sum, double_sum);
  return pass();
}
