// -fopenmp-version=60 | unexpected OpenMP clause 'nowait'
void region(int x) {
#pragma omp target data map(x) nowait
  x = 1;
}
