// -fopenmp-version=60 | expected 'storage', 'from', 'to'
void region(int x) {
#pragma omp target defaultmap(self : scalar)
  x = 1;
}
