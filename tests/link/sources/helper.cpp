// Device code that calls device code of its own.
#pragma omp declare target
int device_twice(int value) {
  return 2 * value;
}
#pragma omp end declare target

int helper(int value) {
  int result = 0;
#pragma omp target map(from : result)
  result = device_twice(value);
  return result;
}
