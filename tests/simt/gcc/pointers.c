// Structs with pointers to other mapped data, arrays of pointers, null and base pointers.
#include "device.h"

struct Matrix {
  int rows;
  int columns;
  double* cells;
};

int main(void) {
  require_device();
  double cells[12];
  for (int i = 0; i < 12; ++i) {
    cells[i] = i;
  }
  struct Matrix matrix = {3, 4, cells};
  double trace = 0;
#pragma omp target map(to : matrix) map(tofrom : matrix.cells[0 : 12]) map(from : trace)
  {
    trace = 0;
    for (int i = 0; i < matrix.rows; ++i) {
      trace += matrix.cells[i * matrix.columns + i];
      matrix.cells[i * matrix.columns] = -1;
    }
  }
  CHECK(trace == 15);
  CHECK(cells[0] == -1 && cells[4] == -1 && cells[8] == -1 && cells[1] == 1);
  CHECK(matrix.cells == cells);

  int left[3] = {1, 2, 3};
  int right[3] = {10, 20, 30};
  int* lists[2] = {NULL, NULL};
  int sum = 0;
#pragma omp target data map(to : left, right) map(alloc : lists)
  {
#pragma omp target
    {
      lists[0] = left;
      lists[1] = right;
    }
#pragma omp target map(tofrom : sum)
    for (int list = 0; list < 2; ++list) {
      for (int i = 0; i < 3; ++i) {
        sum += lists[list][i];
      }
    }
  }
  CHECK_EQUAL(sum, 66);

  // A pointer into the middle of what is mapped.
  int is_null = 0;
  int middle = 0;
  int* pointer = &right[1];
  int* nothing = NULL;
#pragma omp target data map(to : right)
#pragma omp target map(from : is_null, middle) map(pointer[ : 0])
  {
    middle = *pointer + pointer[1];
    is_null = nothing == NULL;
  }
  CHECK_EQUAL(middle, 50);
  CHECK(is_null);
  printf("pointers: %g %d\n", trace, sum);
  return pass();
}
