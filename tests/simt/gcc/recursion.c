// Recursive functions (static: GCC 12 cannot make aliases for others), also in parallel regions,
// where each thread has a stack of its own.
#include "device.h"

#pragma omp declare target
static int ackermann(int m, int n) {
  if (m == 0) {
    return n + 1;
  }
  return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

static long depth_sum(int depth) {
  volatile int frame[4] = {depth, 2 * depth, 3, 4};
  return depth == 0 ? 0 : frame[0] + frame[1] + depth_sum(depth - 1);
}

static int is_odd(int n);
static int is_even(int n) {
  return n == 0 ? 1 : is_odd(n - 1);
}
static int is_odd(int n) {
  return n == 0 ? 0 : is_even(n - 1);
}

static int queens(int size, int row, unsigned columns, unsigned left, unsigned right) {
  if (row == size) {
    return 1;
  }
  int count = 0;
  for (int column = 0; column < size; ++column) {
    const unsigned bit = 1u << column;
    if (((columns | left | right) & bit) == 0) {
      count += queens(size, row + 1, columns | bit, (left | bit) << 1, (right | bit) >> 1);
    }
  }
  return count;
}
#pragma omp end declare target

int main(void) {
  require_device();
  int value = 0;
  long sum = 0;
  int parity = 0;
#pragma omp target map(from : value, sum, parity)
  {
    value = ackermann(2, 4);
    sum = depth_sum(200);
    parity = is_even(20) * 10 + is_even(21);
  }
  CHECK_EQUAL(value, 11);
  CHECK_EQUAL(sum, 60300);
  CHECK_EQUAL(parity, 10);

  int solutions[7] = {0};
#pragma omp target map(from : solutions)
#pragma omp parallel for schedule(dynamic) num_threads(4)
  for (int size = 0; size < 7; ++size) {
    solutions[size] = queens(size, 0, 0, 0, 0);
  }
  const int expected[7] = {1, 1, 0, 0, 2, 10, 4};
  for (int size = 0; size < 7; ++size) {
    CHECK_EQUAL(solutions[size], expected[size]);
  }
  printf("recursion: %d %ld\n", value, sum);
  return pass();
}
