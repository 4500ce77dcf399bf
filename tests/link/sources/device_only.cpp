// Device code that the host has no version of.
#pragma omp begin declare target device_type(nohost)
int device_twice(int value) {
  return 2 * value;
}
#pragma omp end declare target

void nothing() {
#pragma omp target
  {
  }
}
