// Cross sections from poles: complex arithmetic with exponentials and sines, a function that is
// called in inner loops whose length differs from thread to thread, and two ways through it.
#include "shape.h"

#include <algorithm>
#include <cmath>

namespace {

struct Complex {
  double real;
  double imaginary;
};

struct Pole {
  Complex energy;
  Complex total;
  Complex absorption;
  short momentum;
};

struct Window {
  int first;
  int last;
  double total;
  double absorption;
};

constexpr int kNuclides = 48;
constexpr int kWindows = 100;
constexpr int kPoles = 1200; // of a nuclide
constexpr int kLookups = 12000;

#pragma omp declare target

constexpr int kMomenta = 4;

Complex operator+(Complex a, Complex b) {
  return {a.real + b.real, a.imaginary + b.imaginary};
}
Complex operator-(Complex a, Complex b) {
  return {a.real - b.real, a.imaginary - b.imaginary};
}
Complex operator*(Complex a, Complex b) {
  return {a.real * b.real - a.imaginary * b.imaginary, a.real * b.imaginary + a.imaginary * b.real};
}
Complex operator*(double a, Complex b) {
  return {a * b.real, a * b.imaginary};
}
Complex operator/(Complex a, Complex b) {
  const double size = b.real * b.real + b.imaginary * b.imaginary;
  return {(a.real * b.real + a.imaginary * b.imaginary) / size,
          (a.imaginary * b.real - a.real * b.imaginary) / size};
}
Complex exponential(Complex z) {
  const double size = std::exp(z.real);
  return {size * std::cos(z.imaginary), size * std::sin(z.imaginary)};
}

// w(z) = exp(-z²) erfc(-iz): by continued fractions far from the origin, by a trapezoidal sum near
// it.
__attribute__((noinline)) Complex faddeeva(Complex z) {
  constexpr double kSqrtOfPi = 1.7724538509055160273;
  if (z.real * z.real + z.imaginary * z.imaginary > 36) {
    const Complex square = z * z;
    const Complex i = {0, 1 / kSqrtOfPi};
    const Complex a = 0.5124242247547 / (square - Complex{0.2752551286, 0}).real * i;
    return i * z * (Complex{0.5, 0} / (square - Complex{1.5, 0}) + Complex{0.5, 0} / square) +
           1e-12 * a;
  }
  constexpr double kStep = 0.5;
  Complex sum = {0, 0};
  const Complex square = z * z;
  for (int n = 1; n <= 11; ++n) {
    const double point = n * kStep;
    sum = sum + std::exp(-point * point) * (Complex{1, 0} / (square - Complex{point * point, 0}));
  }
  const Complex first = Complex{1, 0} / z;
  const Complex rest = (2 * z) * sum;
  const Complex trapezoid = (kStep / M_PI) * (Complex{0, 1} * (first + rest));
  const Complex phase =
      exponential(Complex{2 * M_PI / kStep * z.imaginary, -2 * M_PI / kStep * z.real});
  return trapezoid + 2 * (exponential(Complex{0, 0} - square) / (Complex{1, 0} + phase));
}

// The phase shifts of a nuclide at an energy.
__attribute__((noinline)) void phase_factors(double radius, double energy, Complex* factors) {
  for (int momentum = 0; momentum < kMomenta; ++momentum) {
    double phase = radius * std::sqrt(energy);
    if (momentum == 1) {
      phase -= std::atan(phase);
    } else if (momentum == 2) {
      phase -= std::atan(3 * phase / (3 - phase * phase));
    } else if (momentum == 3) {
      phase -= std::atan(phase * (15 - phase * phase) / (15 - 6 * phase * phase));
    }
    factors[momentum] = {std::cos(2 * phase), -std::sin(2 * phase)};
  }
}

#pragma omp end declare target

double look_up(const Pole* poles, const Window* windows, const double* radii, const int* counts,
               int lookups) {
  double all = 0;
#pragma omp target teams distribute parallel for reduction(+ : all) map(tofrom : all)
  for (int i = 0; i < lookups; ++i) {
    const double energy = 1e-4 + random_of(3 * i);
    const int nuclides = counts[static_cast<int>(random_of(3 * i + 1) * 4)];
    double total = 0;
    double absorption = 0;
    for (int n = 0; n < nuclides; ++n) {
      Complex factors[kMomenta];
      phase_factors(radii[n], energy, factors);
      const int place = static_cast<int>(energy * kWindows);
      const Window window = windows[n * kWindows + (place < kWindows ? place : kWindows - 1)];
      total += energy * window.total;
      absorption += energy * window.absorption;
      const double width = 60 * std::sqrt(static_cast<double>(n + 1));
      for (int p = window.first; p < window.last; ++p) {
        const Pole pole = poles[n * kPoles + p];
        const Complex z = width * (Complex{std::sqrt(energy), 0} - pole.energy);
        const Complex w = width * faddeeva(z);
        total += (pole.total * factors[pole.momentum] * w).real;
        absorption += (pole.absorption * w).real;
      }
    }
    all += total + absorption;
  }
  return all;
}

} // namespace

int main(int count, char** words) {
  const Shape shape(count, words);
  std::vector<Pole> all_poles(kNuclides * kPoles);
  for (int i = 0; i < kNuclides * kPoles; ++i) {
    const auto at = [i](int k) { return random_of(static_cast<std::uint64_t>(i) * 7 + k); };
    all_poles[i] = {{(i % kPoles + at(0)) / kPoles, -1e-3 - 1e-2 * at(1)},
                    {at(2), at(3)},
                    {at(4), at(5)},
                    static_cast<short>(at(6) * kMomenta)};
  }
  std::vector<Window> all_windows(kNuclides * kWindows);
  for (int n = 0; n < kNuclides; ++n) {
    int first = 0;
    for (int w = 0; w < kWindows; ++w) {
      const int length = static_cast<int>(random_of(n * kWindows + w) * 2 * kPoles / kWindows);
      const int last = std::min(first + length, kPoles);
      all_windows[n * kWindows + w] = {first, last, random_of(w), random_of(n)};
      first = last;
    }
  }
  std::vector<double> all_radii(kNuclides);
  for (int n = 0; n < kNuclides; ++n) {
    all_radii[n] = 0.1 + 2 * random_of(n);
  }
  const int numbers[4] = {4, 9, 21, kNuclides};
  const Pole* poles = all_poles.data();
  const Window* windows = all_windows.data();
  const double* radii = all_radii.data();
  const int* counts = numbers;
  double all = 0;
#pragma omp target enter data map(to : poles[ : kNuclides * kPoles], counts[ : 4])                 \
    map(to : windows[ : kNuclides * kWindows], radii[ : kNuclides])
  shape.row(
      "resonance", [&] { all = look_up(poles, windows, radii, counts, kLookups); },
      [&] { return all; });
}
