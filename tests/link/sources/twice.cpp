// Compiled twice with other macros: two functions whose kernels have one name.
static int compute() {
  int result = 0;
#pragma omp target map(from : result)
  result = VALUE;
  return result;
}

int NAME() {
  return compute();
}
