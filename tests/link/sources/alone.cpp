// A program of one object, with no call to another.
int main() {
  int result = 0;
#pragma omp target map(from : result)
  result = 1;
  return result - 1;
}
