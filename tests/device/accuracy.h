// How far what device code computes is from the truth, in units in the last place.
#pragma once

#include "check.h"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

inline int mistakes = 0;

template <typename Real>
using Wide = std::conditional_t<sizeof(Real) == sizeof(float), double, long double>;

/// The distance of `got` from the true result, in units in the last place there.
template <typename Real>
double error_of(Real got, Wide<Real> right) {
  const Real rounded = static_cast<Real>(right);
  if (std::isnan(right) || std::isinf(rounded) || std::isnan(got)) {
    return (std::isnan(right) && std::isnan(got)) || got == rounded ? 0 : INFINITY;
  }
  const int exponent = right == 0 ? std::numeric_limits<Real>::min_exponent : std::ilogb(right) + 1;
  const int smallest = std::numeric_limits<Real>::min_exponent;
  const int place = (exponent < smallest ? smallest : exponent) - std::numeric_limits<Real>::digits;
  return static_cast<double>(std::fabs(std::scalbn(static_cast<Wide<Real>>(got) - right, -place)));
}

template <typename Real>
struct Inputs {
  std::vector<Real> x, y;
};

/// Numbers in [low, high], of all magnitudes that the range has, and special ones.
template <typename Real>
Inputs<Real> inputs(double low, double high) {
  constexpr int kCount = 3000;
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> anywhere(low, high), power(-20, 0);
  Inputs<Real> made;
  const auto number = [&](int i) {
    const double evenly = anywhere(random);
    return static_cast<Real>(i % 2 == 0 || low > 0 ? evenly : evenly * std::exp2(power(random)));
  };
  for (int i = 0; i < kCount; ++i) {
    made.x.push_back(number(i));
    made.y.push_back(number(i / 2));
  }
  using Limits = std::numeric_limits<Real>;
  for (const Real special : {Real(0), -Real(0), Real(1), Real(-1), Real(0.5), Limits::infinity(),
                             -Limits::infinity(), Limits::quiet_NaN(), Limits::max(), Limits::min(),
                             Limits::denorm_min(), -Limits::denorm_min()}) {
    for (const Real other : {Real(0), Real(1), Real(-2), Limits::infinity(), Limits::quiet_NaN()}) {
      made.x.push_back(special);
      made.y.push_back(other);
    }
  }
  return made;
}

/// `right(x, y)` is the result in the wider type.
template <typename Real, typename Function>
void compare(const char* name, double bound, const Inputs<Real>& in, const std::vector<Real>& got,
             Function right) {
  double worst = 0;
  std::size_t where = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double error = error_of<Real>(got[i], right(Wide<Real>(in.x[i]), Wide<Real>(in.y[i])));
    if (error > worst) {
      worst = error;
      where = i;
    }
  }
  const bool wrong = worst > bound;
  mistakes += wrong ? 1 : 0;
  std::printf("%s %-18s %s: %.2f units of %g\n", wrong ? "WRONG" : "good ", name,
              sizeof(Real) == sizeof(float) ? "float " : "double", worst, bound);
  if (wrong) {
    std::printf("      at %.17g, %.17g: %.17g instead of %.17Lg\n",
                static_cast<double>(in.x[where]), static_cast<double>(in.y[where]),
                static_cast<double>(got[where]),
                static_cast<long double>(right(Wide<Real>(in.x[where]), Wide<Real>(in.y[where]))));
  }
}

template <typename Real, typename Function>
void check_type(const char* name, Function function, double low, double high, double bound) {
  const Inputs<Real> in = inputs<Real>(low, high);
  const std::size_t count = in.x.size();
  const Real *xs = in.x.data(), *ys = in.y.data();
  std::vector<Real> got(count);
  Real* results = got.data();
#pragma omp target teams distribute parallel for map(to : xs[0 : count], ys[0 : count])            \
    map(from : results[0 : count])
  for (std::size_t i = 0; i < count; ++i) {
    results[i] = function(xs[i], ys[i]);
  }
  compare<Real>(name, bound, in, got, function);
}

template <typename Function>
void check_both(const char* name, Function function, double low, double high, double bound) {
  check_type<float>(name, function, low, high, bound);
  check_type<double>(name, function, low, high, bound);
}

/// A function of x, and perhaps y, of any type, with arguments in [low, high].
#define CHECK_FUNCTION(call, low, high, bound)                                                     \
  check_both(#call, [](auto x, [[maybe_unused]] auto y) { return call; }, low, high, bound)
