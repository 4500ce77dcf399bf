// Bessel functions, under their names in libdevice.
//
// J of all integer orders at once comes from the recurrence in the order, downwards, where it is
// stable (Miller's algorithm; Abramowitz and Stegun, 9.12); Y0 and Y1 are sums of those (9.1.88,
// and its derivative). Small arguments have the power series, large ones Hankel's expansion
// (9.2.5, 9.7.1).
#include "device/gpu/mathematics/pairs.h"

namespace gantry::device {

extern "C" {
double __nv_exp(double x);
double __nv_log(double x);
double __nv_sin(double x);
double __nv_cos(double x);
double __nv_sqrt(double x);
double __nv_fabs(double x);
double __nv_fma(double x, double y, double z);
}

namespace {

constexpr double kPi = 0x1.921FB54442D18p+1;
constexpr double kPiRest = 0x1.1A62633145C07p-53; // pi - kPi
constexpr double kRootOfHalf = 0x1.6A09E667F3BCDp-1;
constexpr double kEuler = 0x1.2788CFC6FB619p-1;
constexpr double kLogarithmOf2 = 0x1.62E42FEFA39EFp-1;
constexpr double kNaN = __builtin_nan("");
constexpr double kInfinity = __builtin_inf();
/// Up to kSmall the power series of J and Y lose no digits; up to kSmallModified that of I needs
/// few terms.
constexpr double kSmall = 1;
constexpr double kSmallModified = 20;
/// From here on Hankel's expansion is good for a double.
constexpr double kLarge = 25;
constexpr double kNearOverflow = 700;
constexpr double kOverflow = 720;
constexpr double kNoMore = 1e-18;
constexpr int kMostTerms = 64;

/// Of orders 0 and 1.
struct Pair {
  double zero, one;
};

/// n! times the sum of (sign x²/4)^k / (k! (k + n)!). Each term is a multiple of the one before, so
/// its rounding error is carried along.
double power_series(double x, int n, double sign) {
  const double quarter = sign * 0.25 * x;
  const double step = quarter * x;
  const double step_rest = __nv_fma(quarter, x, -step);
  double term = 1, term_rest = 0;
  double sum = 1, sum_rest = 0;
  for (int k = 1; k < kMostTerms && __nv_fabs(term) > kNoMore * sum; ++k) {
    const double divisor = static_cast<double>(k) * (static_cast<double>(k) + n);
    const double product = term * step;
    const double product_rest =
        __nv_fma(term, step, -product) + term * step_rest + term_rest * step;
    term = product / divisor;
    term_rest = (__nv_fma(-term, divisor, product) + product_rest) / divisor;
    const double before = sum;
    sum += term;
    const double larger = __nv_fabs(before) > __nv_fabs(term) ? before : term;
    const double smaller = __nv_fabs(before) > __nv_fabs(term) ? term : before;
    sum_rest += (larger - sum) + smaller + term_rest;
  }
  return sum + sum_rest;
}

Pair j_of_small(double x) {
  return {power_series(x, 0, -1), 0.5 * x * power_series(x, 1, -1)};
}

/// A and S 9.1.13 and 9.1.11, for x > 0.
Pair y_of_small(double x) {
  const Pair j = j_of_small(x);
  const double step = -0.25 * x * x;
  const double logarithm = __nv_log(x) - kLogarithmOf2 + kEuler; // half of x may be zero
  double harmonic = 0;
  double zero = 0, term_of_zero = 1;
  double one = 1, term_of_one = 1;
  for (int k = 1; k < 16; ++k) {
    term_of_zero *= step / (static_cast<double>(k) * k);
    term_of_one *= step / (static_cast<double>(k) * (k + 1));
    harmonic += 1.0 / k;
    zero -= harmonic * term_of_zero;
    one += (2 * harmonic + 1.0 / (k + 1)) * term_of_one;
  }
  return {2 / kPi * (logarithm * j.zero + zero),
          2 / kPi * (logarithm * j.one - 1 / x) - 0.5 * x / kPi * one};
}

/// J and, from the same recurrence, Y, between kSmall and kLarge.
struct Both {
  Pair j, y;
};
Both of_middle(double x) {
  constexpr int kStart = 80; // even, and so far above x that J of this order is negligible
  double above = 0;
  double here = 1e-280;
  double one = 0;
  double sum = 0;       // J0 + 2 J2 + 2 J4 + … = 1
  double sum_of_y0 = 0; // -J2 + J4 / 2 - J6 / 3 …
  double sum_of_y1 = 0; // -(J1 - J3) + (J3 - J5) / 2 - …
  for (int order = kStart; order > 0; --order) {
    const int half = order / 2;
    if (order % 2 == 0) {
      sum += 2 * here;
      sum_of_y0 += (half % 2 == 0 ? here : -here) / half;
    } else {
      const double weight = 1.0 / (half + 1) + (half == 0 ? 0 : 1.0 / half);
      sum_of_y1 += weight * (half % 2 == 0 ? -here : here);
      one = here;
    }
    const double below = 2 * order / x * here - above;
    above = here;
    here = below;
  }
  sum += here;
  const Pair j = {here / sum, one / sum};
  const double logarithm = __nv_log(0.5 * x) + kEuler;
  return {j,
          {2 / kPi * (logarithm * j.zero - 2 * sum_of_y0 / sum),
           2 / kPi * (logarithm * j.one - j.zero / x + sum_of_y1 / sum)}};
}

/// The terms of Hankel's expansion for an order, those of even numbers and those of odd ones.
struct Hankel {
  double even = 0, odd = 0;
};
Hankel expansion(double x, int order) {
  Hankel sums;
  double term = 1;
  for (int k = 1; k <= 24; ++k) {
    double& sum = k % 2 == 1 ? sums.even : sums.odd;
    sum += (k - 1) % 4 < 2 ? term : -term;
    const double odd = 2 * k - 1;
    term *= (4.0 * order * order - odd * odd) / (8 * x * k);
  }
  return sums;
}

Both of_large(double x) {
  const double sine = __nv_sin(x), cosine = __nv_cos(x);
  // Sine and cosine of x - pi/4; those of x - 3 pi/4 lag by a quarter of a turn.
  const double sine_of_zero = kRootOfHalf * (sine - cosine);
  const double cosine_of_zero = kRootOfHalf * (sine + cosine);
  const double size = __nv_sqrt(2 / (kPi * x));
  const Hankel zero = expansion(x, 0), one = expansion(x, 1);
  return {{size * (zero.even * cosine_of_zero - zero.odd * sine_of_zero),
           size * (one.even * sine_of_zero + one.odd * cosine_of_zero)},
          {size * (zero.even * sine_of_zero + zero.odd * cosine_of_zero),
           size * (one.odd * sine_of_zero - one.even * cosine_of_zero)}};
}

/// For x >= 0.
Pair j_of(double x) {
  if (x == kInfinity) {
    return {0, 0};
  }
  return x <= kSmall ? j_of_small(x) : x < kLarge ? of_middle(x).j : of_large(x).j;
}

Pair y_of(double x) {
  if (!(x > 0)) {
    return x == 0 ? Pair{-kInfinity, -kInfinity} : Pair{kNaN, kNaN};
  }
  if (x == kInfinity) {
    return {0, 0};
  }
  return x <= kSmall ? y_of_small(x) : x < kLarge ? of_middle(x).y : of_large(x).y;
}

/// For x >= 0 and order >= 2.
double j_of_order(int order, double x) {
  if (x == kInfinity) {
    return 0;
  }
  if (order <= x) {
    const Pair j = j_of(x);
    double before = j.zero, here = j.one;
    for (int n = 1; n < order; ++n) {
      const double next = 2.0 * n / x * here - before;
      before = here;
      here = next;
    }
    return here;
  }
  if (x * x < 4.0 * order) {
    double first = 1; // (x/2)^n / n!
    for (int n = 1; n <= order && first != 0; ++n) {
      first *= 0.5 * x / n;
    }
    return first * power_series(x, order, -1);
  }
  constexpr double kHuge = 1e200;
  const int more = static_cast<int>(__nv_sqrt(60.0 * order)) + 20;
  double above = 0, here = 1e-250, sum = 0, wanted = 0;
  for (int n = (order + more) / 2 * 2; n > 0; --n) {
    sum += n % 2 == 0 ? 2 * here : 0;
    wanted = n == order ? here : wanted;
    const double below = 2.0 * n / x * here - above;
    above = here;
    here = below;
    if (__nv_fabs(here) > kHuge) {
      above /= kHuge;
      here /= kHuge;
      sum /= kHuge;
      wanted /= kHuge;
    }
  }
  return wanted / (sum + here);
}

/// I of order 0 or 1, for x >= 0.
double modified(int order, double x) {
  if (x < kSmallModified) {
    return (order == 0 ? 1 : 0.5 * x) * power_series(x, order, 1);
  }
  double term = 1, small = 0;
  for (int k = 1; k <= 32; ++k) {
    const double odd = 2 * k - 1;
    term *= (odd * odd - 4.0 * order) / (8 * x * k);
    small += term;
  }
  const double sum = 1 + small;
  if (x > kOverflow) {
    return kInfinity;
  }
  // Divided by the square root of 2 pi x; the rounding error is carried along.
  const double square = 2 * kPi * x;
  const double square_rest = __nv_fma(2 * kPi, x, -square) + 2 * kPiRest * x;
  const double root = __nv_sqrt(square);
  const double root_rest = (__nv_fma(-root, root, square) + square_rest) / (2 * root);
  const double factor = sum / root;
  const double rest = (__nv_fma(-factor, root, sum) - factor * root_rest) / root;
  // e^x overflows before the result does.
  const double half = x < kNearOverflow ? 1 : __nv_exp(0.5 * x);
  const double other = x < kNearOverflow ? __nv_exp(x) : half;
  return __nv_fma(half * factor, other, half * rest * other);
}

} // namespace

extern "C" {

double __nv_j0(double x) {
  return j_of(__nv_fabs(x)).zero;
}
double __nv_j1(double x) {
  const double one = j_of(__nv_fabs(x)).one;
  return x < 0 ? -one : one;
}
double __nv_jn(int order, double x) {
  if (x != x) {
    return x;
  }
  const unsigned magnitude =
      order < 0 ? 0U - static_cast<unsigned>(order) : static_cast<unsigned>(order);
  const double size = __nv_fabs(x);
  const double value = magnitude == 0   ? j_of(size).zero
                       : magnitude == 1 ? j_of(size).one
                                        : j_of_order(static_cast<int>(magnitude), size);
  return magnitude % 2 == 1 && (order < 0) != (x < 0) ? -value : value;
}
double __nv_y0(double x) {
  return y_of(x).zero;
}
double __nv_y1(double x) {
  return y_of(x).one;
}
double __nv_yn(int order, double x) {
  const unsigned magnitude =
      order < 0 ? 0U - static_cast<unsigned>(order) : static_cast<unsigned>(order);
  const Pair y = y_of(x);
  double before = y.zero;
  double here = magnitude == 0 ? y.zero : y.one;
  for (unsigned n = 1; n < magnitude && here != -kInfinity; ++n) {
    const double next = 2.0 * n / x * here - before;
    before = here;
    here = next;
  }
  return order < 0 && magnitude % 2 == 1 ? -here : here;
}
double __nv_cyl_bessel_i0(double x) {
  return modified(0, __nv_fabs(x));
}
double __nv_cyl_bessel_i1(double x) {
  const double value = modified(1, __nv_fabs(x));
  return x < 0 ? -value : value;
}

GANTRY_OF_FLOAT(, __nv_j0, (float x), (x))
GANTRY_OF_FLOAT(, __nv_j1, (float x), (x))
GANTRY_OF_FLOAT(, __nv_y0, (float x), (x))
GANTRY_OF_FLOAT(, __nv_y1, (float x), (x))
GANTRY_OF_FLOAT(, __nv_cyl_bessel_i0, (float x), (x))
GANTRY_OF_FLOAT(, __nv_cyl_bessel_i1, (float x), (x))
GANTRY_OF_FLOAT(, __nv_jn, (int order, float x), (order, x))
GANTRY_OF_FLOAT(, __nv_yn, (int order, float x), (order, x))

} // extern "C"

} // namespace gantry::device
