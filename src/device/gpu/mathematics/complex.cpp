// C's <complex.h>, and the products and quotients of complex numbers that Clang calls functions
// for.
//
// The inverse functions are those of W. Kahan, "Branch cuts for complex elementary functions"
// (1987); results for infinities and NaNs are those of C17, annex G. Functions of float are
// computed as those of double.
#include "device/gpu/standard_library.h"

namespace gantry::device {

extern "C" {
double __nv_asinh(double x);
double __nv_atan2(double y, double x);
double __nv_cos(double x);
double __nv_cosh(double x);
double __nv_exp(double x);
double __nv_hypot(double x, double y);
double __nv_log(double x);
double __nv_log1p(double x);
double __nv_sin(double x);
double __nv_sinh(double x);
double __nv_sqrt(double x);
double __nv_tan(double x);
double __nv_tanh(double x);
double __nv_scalbn(double x, int32_t exponent);
double __nv_logb(double x);
}

namespace {

constexpr double kInfinity = __builtin_inf();
constexpr double kNaN = __builtin_nan("");
constexpr double kLn2 = 0x1.62E42FEFA39EFp-1;
constexpr double kHalfPi = 0x1.921FB54442D18p+0;

/// A complex number that can be taken apart.
struct Complex {
  double x, y;
};

bool finite(double x) {
  return __builtin_isfinite(x);
}
bool infinite(double x) {
  return __builtin_isinf(x);
}
double magnitude(double x) {
  return __builtin_fabs(x);
}
double with_sign(double x, double sign) {
  return __builtin_copysign(x, sign);
}

Complex conjugate(Complex z) {
  return {z.x, -z.y};
}
/// i z, and -i z.
Complex turned(Complex z) {
  return {-z.y, z.x};
}
Complex turned_back(Complex z) {
  return {z.y, -z.x};
}

/// `of`(e^x, 1), where e^x is split into two factors if it overflows and the result does not.
template <typename Of>
Complex times_exponential(double x, Of of) {
  constexpr double kNearOverflow = 709;
  if (x < kNearOverflow || !finite(x)) {
    return of(__nv_exp(x), 1.0);
  }
  const double half = __nv_exp(0.5 * x);
  return of(half, half);
}

Complex exponential(Complex z) {
  if (z.y == 0) {
    return {__nv_exp(z.x), z.y};
  }
  if (infinite(z.x) && !finite(z.y)) {
    return z.x < 0 ? Complex{0, with_sign(0, z.y)} : Complex{z.x, kNaN};
  }
  return times_exponential(z.x, [&](double factor, double other) {
    return Complex{factor * __nv_cos(z.y) * other, factor * __nv_sin(z.y) * other};
  });
}

double logarithm_of_magnitude(Complex z) {
  double large = magnitude(z.x), small = magnitude(z.y);
  if (large < small) {
    const double kept = large;
    large = small;
    small = kept;
  }
  constexpr double kLarge = 1e300, kSmall = 1e-300;
  if (large > 0.5 && large < 2) { // digits cancel where the magnitude is near 1
    return 0.5 * __nv_log1p((large - 1) * (large + 1) + small * small);
  }
  if (large > kLarge && finite(large)) {
    return __nv_log(__nv_hypot(0.25 * large, 0.25 * small)) + 2 * kLn2;
  }
  if (large < kSmall && large > 0) {
    return __nv_log(__nv_hypot(large * 0x1p80, small * 0x1p80)) - 80 * kLn2;
  }
  return __nv_log(__nv_hypot(large, small));
}

Complex logarithm(Complex z) {
  return {logarithm_of_magnitude(z), __nv_atan2(z.y, z.x)};
}

Complex root(Complex z) {
  if (z.x == 0 && z.y == 0) {
    return {0, z.y};
  }
  if (infinite(z.y)) {
    return {kInfinity, z.y};
  }
  if (infinite(z.x)) {
    const double rest = z.y - z.y; // 0, or NaN
    return z.x > 0 ? Complex{z.x, rest == 0 ? with_sign(0, z.y) : rest}
                   : Complex{magnitude(rest), with_sign(kInfinity, z.y)};
  }
  // Scaled by a power of 4, so that nothing overflows and no digits are lost.
  constexpr double kLarge = 1e307, kSmall = 1e-290;
  int scale = 0;
  if (magnitude(z.x) > kLarge || magnitude(z.y) > kLarge) {
    scale = 2;
  } else if (magnitude(z.x) < kSmall && magnitude(z.y) < kSmall) {
    scale = -110;
  }
  const Complex scaled = {__nv_scalbn(z.x, -2 * scale), __nv_scalbn(z.y, -2 * scale)};
  const double size = __nv_sqrt(0.5 * (magnitude(scaled.x) + __nv_hypot(scaled.x, scaled.y)));
  const double other = magnitude(scaled.y) / (2 * size);
  const double real = scaled.x >= 0 ? size : other;
  const double imaginary = scaled.x >= 0 ? other : size;
  return {__nv_scalbn(real, scale), with_sign(__nv_scalbn(imaginary, scale), z.y)};
}

Complex hyperbolic_sine(Complex z) {
  if (z.y == 0) {
    return {__nv_sinh(z.x), z.y};
  }
  if ((z.x == 0 || infinite(z.x)) && !finite(z.y)) {
    return {z.x, kNaN};
  }
  constexpr double kLarge = 40; // from here on sinh and cosh are half of the exponential
  if (magnitude(z.x) < kLarge) {
    return {__nv_sinh(z.x) * __nv_cos(z.y), __nv_cosh(z.x) * __nv_sin(z.y)};
  }
  return times_exponential(magnitude(z.x), [&](double factor, double other) {
    return Complex{with_sign(0.5, z.x) * factor * __nv_cos(z.y) * other,
                   0.5 * factor * __nv_sin(z.y) * other};
  });
}

Complex hyperbolic_cosine(Complex z) {
  if (z.y == 0 || (z.x == 0 && !finite(z.y))) {
    return {z.y == 0 ? __nv_cosh(z.x) : kNaN, with_sign(0, z.x) * with_sign(1, z.y)};
  }
  if (infinite(z.x) && !finite(z.y)) {
    return {kInfinity, kNaN};
  }
  constexpr double kLarge = 40;
  if (magnitude(z.x) < kLarge) {
    return {__nv_cosh(z.x) * __nv_cos(z.y), __nv_sinh(z.x) * __nv_sin(z.y)};
  }
  return times_exponential(magnitude(z.x), [&](double factor, double other) {
    return Complex{0.5 * factor * __nv_cos(z.y) * other,
                   with_sign(0.5, z.x) * factor * __nv_sin(z.y) * other};
  });
}

Complex hyperbolic_tangent(Complex z) {
  if (z.y == 0) {
    return {__nv_tanh(z.x), z.y};
  }
  if (infinite(z.x)) {
    return {with_sign(1, z.x), finite(z.y) ? with_sign(0, __nv_sin(2 * z.y)) : with_sign(0, z.y)};
  }
  if (!finite(z.y)) {
    return {z.x == 0 ? z.x : kNaN, kNaN};
  }
  constexpr double kLarge = 22; // from here on the real part is 1
  if (magnitude(z.x) > kLarge) {
    const double rest = __nv_exp(-magnitude(z.x));
    return {with_sign(1, z.x), 4 * __nv_sin(z.y) * __nv_cos(z.y) * rest * rest};
  }
  const double tangent = __nv_tan(z.y), beta = 1 + tangent * tangent;
  const double sine = __nv_sinh(z.x), rho = __nv_sqrt(1 + sine * sine);
  const double divisor = 1 + beta * sine * sine;
  return {beta * rho * sine / divisor, tangent / divisor};
}

Complex arc_sine(Complex z) {
  if (infinite(z.x) || infinite(z.y)) {
    return {__nv_atan2(z.x, magnitude(z.y)), with_sign(kInfinity, z.y)};
  }
  const Complex left = root({1 - z.x, -z.y}), right = root({1 + z.x, z.y});
  return {__nv_atan2(z.x, left.x * right.x - left.y * right.y),
          with_sign(__nv_asinh(left.x * right.y - left.y * right.x), z.y)};
}

Complex arc_cosine(Complex z) {
  if (infinite(z.x) || infinite(z.y)) {
    return {__nv_atan2(magnitude(z.y), z.x), with_sign(kInfinity, -z.y)};
  }
  const Complex left = root({1 - z.x, -z.y}), right = root({1 + z.x, z.y});
  return {2 * __nv_atan2(left.x, right.x),
          with_sign(__nv_asinh(right.x * left.y - right.y * left.x), -z.y)};
}

Complex area_hyperbolic_cosine(Complex z) {
  if (infinite(z.x) || infinite(z.y)) {
    return {kInfinity, __nv_atan2(z.y, z.x)};
  }
  const Complex left = root({z.x - 1, z.y}), right = root({z.x + 1, z.y});
  return {__nv_asinh(left.x * right.x + left.y * right.y), 2 * __nv_atan2(left.y, right.x)};
}

Complex area_hyperbolic_tangent(Complex z) {
  if (infinite(z.x) || infinite(z.y)) {
    return {with_sign(0, z.x), with_sign(kHalfPi, z.y)};
  }
  constexpr double kLarge = 1e150;
  if (magnitude(z.x) > kLarge || magnitude(z.y) > kLarge) { // 1 / z is the result
    const double size = __nv_hypot(0.5 * z.x, 0.5 * z.y);
    return {z.x / size / size / 4, with_sign(kHalfPi, z.y)};
  }
  const double rest = 1 - magnitude(z.x);
  const double real = __nv_log1p(4 * magnitude(z.x) / (rest * rest + z.y * z.y)) / 4;
  const double imaginary = __nv_atan2(2 * z.y, (1 - z.x) * (1 + z.x) - z.y * z.y) / 2;
  return {with_sign(real, z.x),
          z.y == 0 && magnitude(z.x) > 1 ? with_sign(kHalfPi, z.y) : imaginary};
}

Complex projection(Complex z) {
  return infinite(z.x) || infinite(z.y) ? Complex{kInfinity, with_sign(0, z.y)} : z;
}

/// C17, annex G.5.1: an infinite factor makes the product infinite, whatever the formula says.
Complex product(double a, double b, double c, double d) {
  const auto boxed = [](double part) { return with_sign(infinite(part) ? 1 : 0, part); };
  const auto zero_for_nan = [](double& part) { part = part != part ? with_sign(0, part) : part; };
  const double ac = a * c, bd = b * d, ad = a * d, bc = b * c;
  const Complex plain = {ac - bd, ad + bc};
  if (plain.x == plain.x || plain.y == plain.y) {
    return plain;
  }
  bool again = infinite(ac) || infinite(bd) || infinite(ad) || infinite(bc);
  if (infinite(a) || infinite(b)) {
    a = boxed(a);
    b = boxed(b);
    zero_for_nan(c);
    zero_for_nan(d);
    again = true;
  }
  if (infinite(c) || infinite(d)) {
    c = boxed(c);
    d = boxed(d);
    zero_for_nan(a);
    zero_for_nan(b);
    again = true;
  }
  if (!again) {
    return plain;
  }
  zero_for_nan(a);
  zero_for_nan(b);
  zero_for_nan(c);
  zero_for_nan(d);
  return {kInfinity * (a * c - b * d), kInfinity * (a * d + b * c)};
}

Complex quotient(double a, double b, double c, double d) {
  const double larger = magnitude(c) > magnitude(d) || d != d ? magnitude(c) : magnitude(d);
  const bool scaled = larger != 0 && finite(larger);
  const int exponent = scaled ? static_cast<int>(__nv_logb(larger)) : 0;
  const double x = __nv_scalbn(c, -exponent), y = __nv_scalbn(d, -exponent);
  const double divisor = x * x + y * y;
  const Complex plain = {__nv_scalbn((a * x + b * y) / divisor, -exponent),
                         __nv_scalbn((b * x - a * y) / divisor, -exponent)};
  if (plain.x == plain.x || plain.y == plain.y) {
    return plain;
  }
  const auto boxed = [](double part) { return with_sign(infinite(part) ? 1 : 0, part); };
  if (divisor == 0 && (a == a || b == b)) {
    return {with_sign(kInfinity, c) * a, with_sign(kInfinity, c) * b};
  }
  if ((infinite(a) || infinite(b)) && finite(c) && finite(d)) {
    return {kInfinity * (boxed(a) * c + boxed(b) * d), kInfinity * (boxed(b) * c - boxed(a) * d)};
  }
  if (infinite(larger) && finite(a) && finite(b)) {
    return {0 * (a * boxed(c) + b * boxed(d)), 0 * (b * boxed(c) - a * boxed(d))};
  }
  return plain;
}

Complex power(Complex z, Complex w) {
  if (z.x == 0 && z.y == 0) {
    return w.x == 0 && w.y == 0 ? Complex{1, 0}
           : w.x > 0            ? Complex{0, 0}
                                : Complex{kInfinity, kNaN};
  }
  const Complex l = logarithm(z);
  return exponential(product(w.x, w.y, l.x, l.y));
}

using OfDouble = _Complex double;
using OfFloat = _Complex float;

Complex taken_apart(OfDouble z) {
  return {__real__ z, __imag__ z};
}
OfDouble put_together(Complex z) {
  return __builtin_complex(z.x, z.y);
}
OfFloat as_float(Complex z) {
  return __builtin_complex(static_cast<float>(z.x), static_cast<float>(z.y));
}

} // namespace

extern "C" {

#define GANTRY_COMPLEX(name, result)                                                               \
  GANTRY_WEAK OfDouble name(OfDouble number) {                                                     \
    const Complex z = taken_apart(number);                                                         \
    return put_together(result);                                                                   \
  }                                                                                                \
  GANTRY_WEAK OfFloat name##f(OfFloat number) {                                                    \
    const Complex z = taken_apart(number);                                                         \
    return as_float(result);                                                                       \
  }
GANTRY_COMPLEX(cacos, arc_cosine(z))
GANTRY_COMPLEX(cacosh, area_hyperbolic_cosine(z))
GANTRY_COMPLEX(casin, arc_sine(z))
GANTRY_COMPLEX(casinh, turned_back(arc_sine(turned(z))))
GANTRY_COMPLEX(catan, turned_back(area_hyperbolic_tangent(turned(z))))
GANTRY_COMPLEX(catanh, area_hyperbolic_tangent(z))
GANTRY_COMPLEX(ccos, hyperbolic_cosine(turned(z)))
GANTRY_COMPLEX(ccosh, hyperbolic_cosine(z))
GANTRY_COMPLEX(cexp, exponential(z))
GANTRY_COMPLEX(clog, logarithm(z))
GANTRY_COMPLEX(conj, conjugate(z))
GANTRY_COMPLEX(cproj, projection(z))
GANTRY_COMPLEX(csin, turned_back(hyperbolic_sine(turned(z))))
GANTRY_COMPLEX(csinh, hyperbolic_sine(z))
GANTRY_COMPLEX(csqrt, root(z))
GANTRY_COMPLEX(ctan, turned_back(hyperbolic_tangent(turned(z))))
GANTRY_COMPLEX(ctanh, hyperbolic_tangent(z))
#undef GANTRY_COMPLEX

#define GANTRY_REAL(name, result)                                                                  \
  GANTRY_WEAK double name(OfDouble number) {                                                       \
    const Complex z = taken_apart(number);                                                         \
    return result;                                                                                 \
  }                                                                                                \
  GANTRY_WEAK float name##f(OfFloat number) {                                                      \
    const Complex z = taken_apart(number);                                                         \
    return static_cast<float>(result);                                                             \
  }
GANTRY_REAL(cabs, __nv_hypot(z.x, z.y))
GANTRY_REAL(carg, __nv_atan2(z.y, z.x))
GANTRY_REAL(cimag, z.y)
GANTRY_REAL(creal, z.x)
#undef GANTRY_REAL

GANTRY_WEAK OfDouble cpow(OfDouble z, OfDouble w) {
  return put_together(power(taken_apart(z), taken_apart(w)));
}
GANTRY_WEAK OfFloat cpowf(OfFloat z, OfFloat w) {
  return as_float(power(taken_apart(z), taken_apart(w)));
}

GANTRY_WEAK OfDouble __muldc3(double a, double b, double c, double d) {
  return put_together(product(a, b, c, d));
}
GANTRY_WEAK OfFloat __mulsc3(float a, float b, float c, float d) {
  return as_float(product(a, b, c, d));
}
GANTRY_WEAK OfDouble __divdc3(double a, double b, double c, double d) {
  return put_together(quotient(a, b, c, d));
}
GANTRY_WEAK OfFloat __divsc3(float a, float b, float c, float d) {
  return as_float(quotient(a, b, c, d));
}

} // extern "C"

} // namespace gantry::device
