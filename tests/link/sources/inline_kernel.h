inline int inline_kernel(int value) {
  int result = 0;
#pragma omp target map(from : result)
  result = value * value;
  return result;
}
