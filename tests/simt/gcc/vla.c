// Arrays of variable length and alloca on the device.
#include "device.h"

#include <alloca.h>

#pragma omp declare target
__attribute__((noinline)) static int middle_of_pascal(int row) {
  int line[row + 1];
  for (int i = 0; i <= row; ++i) {
    line[i] = 1;
    for (int k = i - 1; k > 0; --k) {
      line[k] += line[k - 1];
    }
  }
  return line[row / 2];
}

static long nested(int depth) {
  if (depth == 0) {
    return 1;
  }
  char* buffer = (char*)alloca((size_t)depth * 8);
  for (int i = 0; i < depth * 8; ++i) {
    buffer[i] = (char)depth;
  }
  const long below = nested(depth - 1);
  long sum = below;
  for (int i = 0; i < depth * 8; ++i) {
    sum += buffer[i];
  }
  return sum;
}
#pragma omp end declare target

int main(void) {
  require_device();
  int results[12];
#pragma omp target map(from : results)
#pragma omp parallel for num_threads(4)
  for (int i = 0; i < 12; ++i) {
    results[i] = middle_of_pascal(i);
  }
  const int expected[12] = {1, 1, 2, 3, 6, 10, 20, 35, 70, 126, 252, 462};
  for (int i = 0; i < 12; ++i) {
    CHECK_EQUAL(results[i], expected[i]);
  }

  long sum = 0;
#pragma omp target map(from : sum)
  sum = nested(12);
  CHECK_EQUAL(sum, 1 + 8 * 650);

  // The same storage again in each iteration, with a matrix of two variable dimensions.
  int trace = 0;
  const int size = 9;
#pragma omp target map(tofrom : trace)
  for (int round = 1; round <= 20; ++round) {
    int matrix[size][size];
    for (int i = 0; i < size; ++i) {
      for (int k = 0; k < size; ++k) {
        matrix[i][k] = i == k ? round : -1;
      }
    }
    for (int i = 0; i < size; ++i) {
      trace += matrix[i][i];
    }
  }
  CHECK_EQUAL(trace, 9 * 210);

  // An array of variable length is mapped and is made private.
  int line[size];
  for (int i = 0; i < size; ++i) {
    line[i] = i;
  }
#pragma omp target map(tofrom : line[0 : size])
#pragma omp parallel for firstprivate(line) num_threads(2)
  for (int i = 0; i < 1; ++i) {
    line[i] = 100;
  }
  CHECK_EQUAL(line[0], 0);
  printf("vla: %ld\n", sum);
  return pass();
}
