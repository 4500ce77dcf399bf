// Functions that CUDA has beyond C's, and POSIX's Bessel functions, of device code against the
// host's in a wider type. The bounds are those of the CUDA C++ Programming Guide, "Mathematical
// Functions".
#include "accuracy.h"

#ifdef __NVPTX__
#define ON_DEVICE(call, host) call
#else
#define ON_DEVICE(call, host) host
#endif

namespace {

using Long = long double;
constexpr Long kPi = 3.14159265358979323846264338327950288L;
constexpr Long kRootOfPi = 1.77245385090551602729816748334114518L;

[[maybe_unused]] Long erfcx(Long x) {
  if (x < 50) {
    return std::exp(x * x) * std::erfc(x);
  }
  const Long w = 1 / (2 * x * x);
  return (1 - w * (1 - 3 * w * (1 - 5 * w * (1 - 7 * w)))) / (kRootOfPi * x);
}

/// By bisection, of what falls in x.
template <typename Function>
Long inverse(Function function, Long low, Long high, Long value) {
  for (int i = 0; i < 200; ++i) {
    const Long middle = 0.5L * (low + high);
    (function(middle) > value ? low : high) = middle;
  }
  return 0.5L * (low + high);
}

Long erfinv(Long x);
[[maybe_unused]] Long erfcinv(Long q) {
  if (!(q >= 0 && q <= 2)) {
    return NAN;
  }
  if (q == 0 || q == 2) {
    return q == 0 ? INFINITY : -INFINITY;
  }
  return q >= 0.5L && q <= 1.5L ? erfinv(1 - q)
                                : inverse([](Long x) { return std::erfc(x); }, -7, 120, q);
}
[[maybe_unused]] Long erfinv(Long x) {
  if (!(std::fabs(x) < 1)) {
    return std::fabs(x) == 1 ? std::copysign(Long(INFINITY), x) : Long(NAN);
  }
  if (std::fabs(x) < 1e-9L) {
    return 0.5L * kRootOfPi * x;
  }
  return std::fabs(x) > 0.5L ? std::copysign(erfcinv(1 - std::fabs(x)), x)
                             : inverse([](Long y) { return -std::erf(y); }, -1, 1, -x);
}
[[maybe_unused]] Long normcdf(Long x) {
  return 0.5L * std::erfc(-x * std::sqrt(0.5L));
}
[[maybe_unused]] Long normcdfinv(Long p) {
  return -std::sqrt(2.0L) * erfcinv(2 * p);
}
[[maybe_unused]] Long modified(int order, Long x) {
  Long term = order == 0 ? 1 : 0.5L * x, sum = 0;
  if (std::isinf(x)) {
    return order == 0 ? INFINITY : x;
  }
  for (int k = 1; k < 2000; ++k) {
    sum += term;
    term *= 0.25L * x * x / (Long(k) * (k + order));
  }
  return sum;
}

#ifdef __NVPTX__
extern "C" {
double __nv_erfcx(double);
double __nv_erfinv(double);
double __nv_erfcinv(double);
double __nv_normcdf(double);
double __nv_normcdfinv(double);
double __nv_cyl_bessel_i0(double);
double __nv_cyl_bessel_i1(double);
double __nv_norm(int, const double*);
float __nv_normf(int, const float*);
}
#endif

/// Of double; those of float are these, rounded.
template <typename Function>
void check_double(const char* name, Function function, double low, double high, double bound) {
  check_type<double>(name, function, low, high, bound);
}
#define CHECK_DOUBLE(device, host, low, high, bound)                                               \
  check_double(#host, [](auto x, auto) { return ON_DEVICE(device, host); }, low, high, bound)

/// Where a function crosses zero its error counts as that of its greatest values.
template <typename Function>
void check_waves(const char* name, Function function, double low, double high, double bound) {
  const Inputs<double> in = inputs<double>(low, high);
  const std::size_t count = in.x.size();
  const double* xs = in.x.data();
  std::vector<double> got(count);
  double* results = got.data();
#pragma omp target teams distribute parallel for map(to : xs[0 : count])                           \
    map(from : results[0 : count])
  for (std::size_t i = 0; i < count; ++i) {
    results[i] = static_cast<double>(function(xs[i]));
  }
  Long worst = 0;
  double where = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double x = xs[i];
    if (std::fabs(x) > 1e6 || (low >= 0 && x < 0)) {
      continue; // the host's lose their way there, and have no value here
    }
    const Long right = function(Long(x));
    const bool same = (std::isnan(right) && std::isnan(got[i])) || Long(got[i]) == right ||
                      static_cast<double>(right) == got[i];
    const Long size =
        std::fmax(std::fabs(right), std::sqrt(2 / (kPi * std::fmax(1.0L, std::fabs(Long(x))))));
    const Long error = same ? 0 : std::fabs(Long(got[i]) - right) / size / 0x1p-53L;
    if (!(error <= worst)) {
      worst = error;
      where = x;
    }
  }
  const bool wrong = !(worst <= bound);
  mistakes += wrong ? 1 : 0;
  std::printf("%s %-18s double: %.2Lf units of %g\n", wrong ? "WRONG" : "good ", name, worst,
              bound);
  if (wrong) {
    std::printf("      at %.17g\n", where);
  }
}
#define CHECK_WAVES(device, host, low, high, bound)                                                \
  check_waves(#host, [](auto x) { return ON_DEVICE(device, host); }, low, high, bound)

void check_norms() {
  const double numbers[] = {3e200, 4e200, 12e200};
  const float small[] = {3e30F, 4e30F, 12e30F};
  double length = 0;
  float short_length = 0;
#pragma omp target map(to : numbers, small) map(from : length, short_length)
  {
    length = ON_DEVICE(__nv_norm(3, numbers), numbers[0]);
    short_length = ON_DEVICE(__nv_normf(3, small), small[0]);
  }
  CHECK(std::fabs(length / 13e200 - 1) < 1e-15);
  CHECK(short_length == 13e30F);
}

} // namespace

int main() {
  check_runs_on_device();
  CHECK_DOUBLE(__nv_erfcx(x), erfcx(x), -26, 100, 8);
  CHECK_DOUBLE(__nv_erfinv(x), erfinv(x), -1.01, 1.01, 5);
  CHECK_DOUBLE(__nv_erfcinv(x), erfcinv(x), 0, 2.01, 6);
  CHECK_DOUBLE(__nv_erfcinv(x), erfcinv(x), 0, 1e-100, 6);
  CHECK_DOUBLE(__nv_normcdf(x), normcdf(x), -38, 9, 16);
  CHECK_DOUBLE(__nv_normcdfinv(x), normcdfinv(x), 0, 1.01, 8);
  CHECK_DOUBLE(__nv_cyl_bessel_i0(x), modified(0, x), -100, 100, 6);
  CHECK_DOUBLE(__nv_cyl_bessel_i1(x), modified(1, x), -100, 100, 6);
  CHECK_WAVES(::j0(x), ::j0l(x), -30, 30, 16);
  CHECK_WAVES(::j0(x), ::j0l(x), -1e4, 1e4, 8);
  CHECK_WAVES(::j1(x), ::j1l(x), -30, 30, 16);
  CHECK_WAVES(::y0(x), ::y0l(x), 0, 30, 16);
  CHECK_WAVES(::y1(x), ::y1l(x), 0, 30, 16);
  CHECK_WAVES(::y1(x), ::y1l(x), 0, 1e4, 16);
  CHECK_WAVES(::jn(2, x), ::jnl(2, x), -30, 30, 16);
  CHECK_WAVES(::jn(-7, x), ::jnl(-7, x), -30, 30, 16);
  CHECK_WAVES(::jn(30, x), ::jnl(30, x), -100, 100, 64);
  CHECK_WAVES(::yn(3, x), ::ynl(3, x), 0, 30, 16);
  CHECK_WAVES(::yn(-5, x), ::ynl(-5, x), 0, 30, 16);
  check_norms();
  CHECK_EQUAL(mistakes, 0);
}
