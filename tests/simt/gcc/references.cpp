// References: as arguments, results, members, to mapped variables, to elements, rvalue references.
#include "device.h"

#include <utility>

#pragma omp declare target
static int& larger(int& a, int& b) {
  return a > b ? a : b;
}

template <typename T>
static void exchange(T& a, T& b) {
  T old = std::move(a);
  a = std::move(b);
  b = std::move(old);
}

struct Cursor {
  explicit Cursor(int& place) : place_(place) {}
  void step(int by) const { place_ += by; }
  int& place_;
};

static int kind_of(const int&) {
  return 1;
}
static int kind_of(int&&) {
  return 2;
}
template <typename T>
static int forward_kind(T&& value) {
  return kind_of(std::forward<T>(value));
}
#pragma omp end declare target

static long host_and_device(int& counter, const int (&values)[8]) {
  long sum = 0;
#pragma omp target map(tofrom : counter, sum) map(to : values)
  for (const int& value : values) {
    sum += value;
    counter += 1;
  }
  return sum;
}

int main() {
  require_device();
  int a = 3;
  int b = 9;
  int kinds = 0;
  double x = 1.5;
  double y = 2.5;
#pragma omp target map(tofrom : a, b, x, y) map(from : kinds)
  {
    larger(a, b) += 100;
    exchange(a, b);
    exchange(x, y);
    const Cursor cursor(a);
    cursor.step(7);
    int local = 4;
    kinds = forward_kind(local) * 10 + forward_kind(4 + local);
  }
  CHECK_EQUAL(a, 116);
  CHECK_EQUAL(b, 3);
  CHECK(x == 2.5 && y == 1.5);
  CHECK_EQUAL(kinds, 12);

  int counter = 0;
  const int values[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  CHECK_EQUAL(host_and_device(counter, values), 36);
  CHECK_EQUAL(counter, 8);

  int matrix[4][6] = {};
  int (&row)[6] = matrix[2];
#pragma omp target map(tofrom : row)
#pragma omp parallel for num_threads(3)
  for (int i = 0; i < 6; ++i) {
    int& cell = row[i];
    cell = i * i;
  }
  CHECK_EQUAL(matrix[2][5], 25);
  CHECK_EQUAL(matrix[1][5], 0);
  printf("references: %d %d\n", a, counter);
  return pass();
}
