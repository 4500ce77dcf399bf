// zaxpy.cpp, checking itself: fills X, Y and D, compares with the host's result on every device,
// and prints which device ran it.
#include <complex>
#include <cstdio>
#include <vector>

#include <omp.h>

using complex = std::complex<double>;

void zaxpy(complex* X, complex* Y, complex D, std::size_t N) {
#pragma omp target teams distribute parallel for
  for (std::size_t i = 0; i < N; ++i) {
    Y[i] = D * X[i] + Y[i];
  }
}

/// Runs zaxpy on the default device and compares; false if it differs or the host ran it.
static bool check(int device) {
  const std::size_t N = 1024;
  std::vector<complex> x(N);
  std::vector<complex> y(N);
  std::vector<complex> expected(N);
  const complex D(2.5, -1.0);
  for (std::size_t i = 0; i < N; ++i) {
    x[i] = complex(double(i), 1.0 / double(i + 1));
    y[i] = complex(1.0, double(N - i));
    expected[i] = D * x[i] + y[i];
  }
  complex* X = x.data();
  complex* Y = y.data();
  bool on_host = true;
#pragma omp target data map(to : X[0 : N]) map(tofrom : Y[0 : N])
  {
    zaxpy(X, Y, D, N);
#pragma omp target map(from : on_host)
    on_host = omp_is_initial_device();
  }
  double error = 0;
  for (std::size_t i = 0; i < N; ++i) {
    error = std::max(error, std::abs(y[i] - expected[i]) / std::abs(expected[i]));
  }
  // A device may contract a multiplication and an addition into one rounding.
  const bool right = error < 1e-14;
  std::printf("zaxpy on device %d of %d: %s, %s\n", device, omp_get_num_devices(),
              on_host ? "ran on the HOST" : "ran on the device",
              right ? "result as on the host" : "WRONG result");
  return right && !on_host;
}

int main() {
  const int devices = omp_get_num_devices();
  if (devices == 0) {
    std::puts("zaxpy: no device");
    return 1;
  }
  bool all_right = true;
  for (int device = 0; device < devices; ++device) {
    omp_set_default_device(device);
    all_right &= check(device);
  }
  return all_right ? 0 : 1;
}
