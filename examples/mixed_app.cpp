// A solver's loop, compiled by Clang, over a library in Fortran that gfortran compiles: for
// docs/mixed-compilers.md.
#include <cstdio>

extern "C" void smooth(double* row, int n); // mixed_smooth.f90

int main() {
  double row[9] = {};
  row[4] = 256;
#pragma omp target data map(tofrom : row)
  {
    for (int round = 0; round < 4; ++round) {
      smooth(row, 9);
    }
  }
  for (const double value : row) {
    std::printf("%g ", value);
  }
  std::printf("\n");
}
