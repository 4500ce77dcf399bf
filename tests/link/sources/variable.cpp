int counter = 3;
#pragma omp declare target(counter)
int main() {
  int result = 0;
#pragma omp target map(from : result)
  result = counter;
  return result - 3;
}
