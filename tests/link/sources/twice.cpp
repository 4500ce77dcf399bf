// Compiled twice with other macros: two functions whose kernels have one name.
#ifndef PARALLEL
#define PARALLEL
#endif

static int compute() {
  int result = 0;
#pragma omp target PARALLEL map(from : result)
  result = VALUE;
  return result;
}

int NAME() {
  return compute();
}
