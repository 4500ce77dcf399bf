// An archive's member that nothing refers to.
int unused(int value) {
  int result = 0;
#pragma omp target map(from : result)
  result = value + 1;
  return result;
}
