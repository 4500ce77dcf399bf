// -fopenmp-version=61 | incorrect map type modifier
void region(int* p) {
#pragma omp target map(attach(always), to : p[0 : 2])
  p[0] = 1;
}
