// simd loops: on the device the 32 lanes of a warp take different iterations.
#include "device.h"

enum { kCount = 1000 };

int main(void) {
  require_device();
  int input[kCount];
  int output[kCount];
  for (int i = 0; i < kCount; ++i) {
    input[i] = i * 7 % 101;
  }
#pragma omp target map(to : input) map(from : output)
#pragma omp simd
  for (int i = 0; i < kCount; ++i) {
    output[i] = input[i] * 3 - i;
  }
  for (int i = 0; i < kCount; ++i) {
    CHECK_EQUAL(output[i], input[i] * 3 - i);
  }

  int sum = 0;
  int maximum = -1;
  double product = 1;
#pragma omp target map(to : input) map(tofrom : sum, maximum, product)
  {
#pragma omp simd reduction(+ : sum) reduction(max : maximum)
    for (int i = 0; i < kCount; ++i) {
      sum += input[i];
      maximum = input[i] > maximum ? input[i] : maximum;
    }
#pragma omp simd reduction(* : product)
    for (int i = 0; i < 40; ++i) {
      product *= 2;
    }
  }
  int expected_sum = 0;
  for (int i = 0; i < kCount; ++i) {
    expected_sum += input[i];
  }
  CHECK_EQUAL(sum, expected_sum);
  CHECK_EQUAL(maximum, 100);
  CHECK(product == 1099511627776.0);

  int last = -1;
  int matrix[13][17];
#pragma omp target map(from : last, matrix)
  {
#pragma omp simd lastprivate(last)
    for (int i = 0; i < 77; ++i) {
      last = i * 10 + 3;
    }
#pragma omp simd collapse(2)
    for (int row = 0; row < 13; ++row) {
      for (int column = 0; column < 17; ++column) {
        matrix[row][column] = row * column;
      }
    }
  }
  CHECK_EQUAL(last, 763);
  for (int row = 0; row < 13; ++row) {
    for (int column = 0; column < 17; ++column) {
      CHECK_EQUAL(matrix[row][column], row * column);
    }
  }

  // safelen keeps the distance of the dependence; lanes with branches and inner loops diverge.
  int chain[kCount];
  for (int i = 0; i < kCount; ++i) {
    chain[i] = 1;
  }
  int steps[200];
#pragma omp target map(tofrom : chain) map(from : steps)
  {
#pragma omp simd safelen(8)
    for (int i = 8; i < kCount; ++i) {
      chain[i] = chain[i - 8] + 1;
    }
#pragma omp simd
    for (int i = 0; i < 200; ++i) {
      int value = i + 1;
      int count = 0;
      while (value != 1) {
        value = value % 2 ? 3 * value + 1 : value / 2;
        ++count;
      }
      steps[i] = count;
    }
  }
  for (int i = 0; i < kCount; ++i) {
    CHECK_EQUAL(chain[i], i / 8 + 1);
  }
  CHECK_EQUAL(steps[26], 111);
  CHECK_EQUAL(steps[96], 118);

  // Private arrays lie in each lane's own memory. (Those declared inside the loop do not: GCC 12
  // keeps one for the whole warp.)
  int mixed[64];
  int scratch[8];
#pragma omp target map(from : mixed)
#pragma omp simd private(scratch)
  for (int i = 0; i < 64; ++i) {
    for (int k = 0; k < 8; ++k) {
      scratch[(k + i) % 8] = k * i;
    }
    mixed[i] = scratch[0] + scratch[i % 8] + scratch[7];
  }
  for (int i = 0; i < 64; ++i) {
    for (int k = 0; k < 8; ++k) {
      scratch[(k + i) % 8] = k * i;
    }
    CHECK_EQUAL(mixed[i], scratch[0] + scratch[i % 8] + scratch[7]);
  }
  printf("simd: sum %d, maximum %d\n", sum, maximum);
  return pass();
}
