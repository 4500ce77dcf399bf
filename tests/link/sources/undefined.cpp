// Uses a function on the device that is compiled for the host only.
int host_only(int value);

int main() {
  int result = 0;
#pragma omp target map(from : result)
  result = host_only(0);
  return result;
}
