// The mathematical functions of device code, against the host's in a wider type. The error bounds
// are those of the OpenCL specification (full profile), in units in the last place of the result;
// where CUDA's documents promise less, theirs.
#include "accuracy.h"

// Of whole numbers, and by the compiler's names: not what Clang's headers call.
static void check_other_names() {
  double sum = 0, expected = 0, built_in[3] = {1, 2, 1};
  const auto of_integer = [](int i) {
    return std::sin(i) + std::cbrt(i) + std::exp2(i % 5) + std::log10(i) + std::tan(i) +
           std::sinh(i % 3) + std::tgamma(i % 9 + 1) + std::pow(i, 0.5F);
  };
#pragma omp target teams distribute parallel for reduction(+ : sum)
  for (int i = 1; i < 100; ++i) {
    sum += of_integer(i);
  }
#pragma omp target map(tofrom : built_in)
  {
    built_in[0] = __builtin_sin(built_in[0]);
    built_in[1] = __builtin_pow(built_in[1], 3.5);
    built_in[2] = static_cast<double>(__builtin_cosf(static_cast<float>(built_in[2])));
  }
  for (int i = 1; i < 100; ++i) {
    expected += of_integer(i);
  }
  CHECK(std::fabs(sum / expected - 1) < 1e-12);
  CHECK(std::fabs(built_in[0] - std::sin(1.0)) < 1e-15);
  CHECK(std::fabs(built_in[1] - std::pow(2.0, 3.5)) < 1e-14);
  CHECK(std::fabs(built_in[2] - std::cos(1.0)) < 1e-7);
}

// Exponents beyond all that change the result: zero, one or infinity.
template <typename Real>
static void check_huge_exponents(Real huge) {
  const Real values[] = {0,
                         Real(-0.0),
                         1,
                         -1,
                         Real(0.5),
                         Real(-0.5),
                         2,
                         -2,
                         3,
                         1 / huge,
                         huge,
                         -huge,
                         1 + std::numeric_limits<Real>::epsilon(),
                         INFINITY,
                         -INFINITY,
                         NAN};
  constexpr int kCount = sizeof values / sizeof values[0];
  Real exponents[] = {huge, -huge, std::numeric_limits<Real>::max(), INFINITY, -INFINITY, NAN};
  constexpr int kExponents = sizeof exponents / sizeof exponents[0];
  Real results[kCount][kExponents];
#pragma omp target teams distribute parallel for collapse(2) map(from : results)
  for (int i = 0; i < kCount; ++i) {
    for (int k = 0; k < kExponents; ++k) {
      results[i][k] = std::pow(values[i], exponents[k]);
    }
  }
  for (int i = 0; i < kCount; ++i) {
    for (int k = 0; k < kExponents; ++k) {
      const Real expected = std::pow(values[i], exponents[k]);
      CHECK(results[i][k] == expected || (std::isnan(results[i][k]) && std::isnan(expected)));
    }
  }
}

int main() {
  check_runs_on_device();
  check_other_names();
  check_huge_exponents(1e300);
  check_huge_exponents(1e30F);
  CHECK_FUNCTION(std::sin(x), -1000, 1000, 4);
  CHECK_FUNCTION(std::cos(x), -1000, 1000, 4);
  CHECK_FUNCTION(std::tan(x), -1000, 1000, 5);
  CHECK_FUNCTION(std::asin(x), -1.1, 1.1, 4);
  CHECK_FUNCTION(std::acos(x), -1.1, 1.1, 4);
  CHECK_FUNCTION(std::atan(x), -100, 100, 5);
  CHECK_FUNCTION(std::atan2(x, y), -100, 100, 6);
  CHECK_FUNCTION(std::sinh(x), -80, 80, 4);
  CHECK_FUNCTION(std::cosh(x), -80, 80, 4);
  CHECK_FUNCTION(std::tanh(x), -20, 20, 5);
  CHECK_FUNCTION(std::asinh(x), -1000, 1000, 4);
  CHECK_FUNCTION(std::acosh(x), 0.9, 1000, 4);
  CHECK_FUNCTION(std::atanh(x), -1.1, 1.1, 5);
  CHECK_FUNCTION(std::exp(x), -90, 90, 3);
  CHECK_FUNCTION(std::exp2(x), -130, 130, 3);
  CHECK_FUNCTION(std::expm1(x), -80, 80, 3);
  CHECK_FUNCTION(std::log(x), -1, 1e6, 3);
  CHECK_FUNCTION(std::log2(x), -1, 1e6, 3);
  CHECK_FUNCTION(std::log10(x), -1, 1e6, 3);
  CHECK_FUNCTION(std::log1p(x), -1.1, 1e6, 2);
  CHECK_FUNCTION(std::pow(x, y), -10, 10, 16);
  CHECK_FUNCTION(std::cbrt(x), -1e6, 1e6, 2);
  CHECK_FUNCTION(std::hypot(x, y), -1e6, 1e6, 4);
  CHECK_FUNCTION(std::erf(x), -6, 6, 16);
  CHECK_FUNCTION(std::erfc(x), -6, 9, 16);
  CHECK_FUNCTION(std::tgamma(x), 0.01, 30, 16);
  CHECK_FUNCTION(std::tgamma(x), 30, 175, 16);
  CHECK_FUNCTION(std::tgamma(x), -30, 0, 16);
  CHECK_FUNCTION(std::lgamma(x), 2.1, 1000, 16);
  CHECK_FUNCTION(std::sqrt(x), -1, 1e6, 0.5);
  CHECK_FUNCTION(std::fmod(x, y), -1e4, 1e4, 0);
  CHECK_FUNCTION(std::remainder(x, y), -1e4, 1e4, 0);
  CHECK_FUNCTION(std::fdim(x, y), -1e4, 1e4, 0.5);
  CHECK_FUNCTION(std::fmax(x, y), -1e4, 1e4, 0);
  CHECK_FUNCTION(std::fmin(x, y), -1e4, 1e4, 0);
  CHECK_FUNCTION(std::floor(x), -1e4, 1e4, 0);
  CHECK_FUNCTION(std::ceil(x), -1e4, 1e4, 0);
  CHECK_FUNCTION(std::trunc(x), -1e4, 1e4, 0);
  CHECK_FUNCTION(std::round(x), -1e4, 1e4, 0);
  CHECK_FUNCTION(std::rint(x), -1e4, 1e4, 0);
  CHECK_FUNCTION(std::copysign(x, y), -1e4, 1e4, 0);
  CHECK_FUNCTION(std::fabs(x), -1e4, 1e4, 0);
  CHECK_FUNCTION(std::ldexp(x, 7), -1e4, 1e4, 0.5);
  CHECK_FUNCTION(std::logb(x), -1e4, 1e4, 0);
  CHECK_EQUAL(mistakes, 0);
}
