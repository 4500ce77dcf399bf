// Device code that calls libm, and libgcc for the complex product.
#include <cmath>
#include <complex>
#include <cstdio>
#include <omp.h>

int main() {
  std::complex<double> left(1, 2);
  std::complex<double> right(3, 4);
  double root = 2;
#pragma omp target map(tofrom : left, root) map(to : right)
  {
    left = left * right;
    root = omp_is_initial_device() ? 0 : std::cbrt(root * 4);
  }
  std::printf("%g %g %g\n", left.real(), left.imag(), root);
}
