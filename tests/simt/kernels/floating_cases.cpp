// Kernels of rounding.cu and mathematics.cu.
#include "kernel_case.h"

#include <array>
#include <bit>
#include <cfenv>
#include <cmath>
#include <limits>

namespace gantry::simt::testing {

namespace {

constexpr unsigned kCount = 400;

/// An operation with the host's rounding set. The volatile operands and result keep the compiler
/// from moving it out of the stretch in which it is.
template <typename T, typename Operation>
T rounded(int mode, T a, T b, Operation operation) {
  volatile T x = a;
  volatile T y = b;
  std::fesetround(mode);
  volatile T result = operation(T{x}, T{y});
  std::fesetround(FE_TONEAREST);
  return result;
}

/// In the order of the kernels: to nearest, to zero, up, down.
constexpr std::array<int, 4> kModes = {FE_TONEAREST, FE_TOWARDZERO, FE_UPWARD, FE_DOWNWARD};

template <typename T>
std::vector<T> edges() {
  using Limits = std::numeric_limits<T>;
  return {T{0},
          -T{0},
          T{1},
          -T{1},
          Limits::infinity(),
          -Limits::infinity(),
          Limits::quiet_NaN(),
          Limits::max(),
          Limits::lowest(),
          Limits::min(),
          Limits::denorm_min(),
          -Limits::denorm_min(),
          Limits::min() / 2,
          T{1} + Limits::epsilon(),
          T{3},
          T(0.1)};
}

/// Every edge with every other, and random bit patterns.
template <typename T, typename Bits>
std::pair<std::vector<T>, std::vector<T>> operands(std::uint32_t seed) {
  std::pair<std::vector<T>, std::vector<T>> values;
  for (const T a : edges<T>()) {
    for (const T b : edges<T>()) {
      values.first.push_back(a);
      values.second.push_back(b);
    }
  }
  Random random(seed);
  while (values.first.size() < kCount) {
    const auto a = std::bit_cast<T>(static_cast<Bits>(random.wide_bits()));
    const auto b = std::bit_cast<T>(static_cast<Bits>(random.wide_bits()));
    // Half of them near each other, so that sums cancel and quotients are near one.
    values.first.push_back(a);
    values.second.push_back(random.below(2) == 0 ? b : a * T(0.75 + 0.5 * random.between(0, 1)));
  }
  return values;
}

template <typename T>
void expect_operations(T x, T y, T* row) {
  for (std::size_t m = 0; m < 4; ++m) {
    const int mode = kModes[m];
    row[m] = rounded(mode, x, y, [](T a, T b) { return a + b; });
    row[4 + m] = rounded(mode, x, y, [](T a, T b) { return a * b; });
    row[8 + m] = rounded(mode, x, y, [](T a, T b) { return std::fma(a, b, a); });
    row[12 + m] = rounded(mode, x, y, [](T a, T b) { return a / b; });
  }
}

template <typename T>
T square_root(int mode, T x) {
  return rounded(mode, std::fabs(x), x, [](T a, T) { return std::sqrt(a); });
}
template <typename T>
T reciprocal(int mode, T x) {
  return rounded(mode, x, x, [](T a, T) { return T{1} / a; });
}

/// PTX's conversion to an integer: clamped; `not_a_number` for NaN.
template <typename To>
To clamped(double value, To not_a_number) {
  using Limits = std::numeric_limits<To>;
  if (std::isnan(value)) {
    return not_a_number;
  }
  if (value <= static_cast<double>(Limits::min())) {
    return Limits::min();
  }
  // The largest value of a 64-bit type rounds up to a power of two as a double.
  if (value >= static_cast<double>(Limits::max())) {
    return Limits::max();
  }
  return static_cast<To>(value);
}

float to_float(int mode, double value) {
  volatile double source = value;
  std::fesetround(mode);
  volatile float result = static_cast<float>(double{source});
  std::fesetround(FE_TONEAREST);
  return result;
}
template <typename Integer>
float integer_to_float(int mode, Integer value) {
  volatile Integer source = value;
  std::fesetround(mode);
  volatile float result = static_cast<float>(Integer{source});
  std::fesetround(FE_TONEAREST);
  return result;
}

template <typename T>
void add_columns(Result& result, const std::vector<T>& actual, const std::vector<T>& expected,
                 const std::vector<std::pair<const char*, double>>& columns) {
  for (std::size_t k = 0; k < columns.size(); ++k) {
    result.add(columns[k].first, column_of(actual, columns.size(), k),
               column_of(expected, columns.size(), k), columns[k].second);
  }
}

constexpr auto kMost = std::numeric_limits<std::int32_t>::min();
constexpr auto kMostWide = std::numeric_limits<std::int64_t>::min();

} // namespace

GANTRY_KERNEL_CASE(rounding_single) {
  const auto [a, b] = operands<float, std::uint32_t>(81);
  std::vector<float> expected(std::size_t{24} * kCount);
  for (std::size_t i = 0; i < kCount; ++i) {
    float* row = &expected[24 * i];
    expect_operations(a[i], b[i], row);
    for (std::size_t m = 0; m < 4; ++m) {
      row[16 + m] = square_root(kModes[m], a[i]);
      row[20 + m] = reciprocal(kModes[m], b[i]);
    }
  }
  Module module(driver, ptx_of("rounding"));
  const DeviceBuffer buffer_a(driver, a);
  const DeviceBuffer buffer_b(driver, b);
  const DeviceBuffer<float> results(driver, expected.size());
  module.kernel("single_rounding").launch({{4}, {128}}, buffer_a, buffer_b, results, kCount);
  Result result;
  add_columns(result, results.download(), expected,
              {{"add_rn", 0}, {"add_rz", 0},  {"add_rp", 0},  {"add_rm", 0},  {"mul_rn", 0},
               {"mul_rz", 0}, {"mul_rp", 0},  {"mul_rm", 0},  {"fma_rn", 0},  {"fma_rz", 0},
               {"fma_rp", 0}, {"fma_rm", 0},  {"div_rn", 0},  {"div_rz", 0},  {"div_rp", 0},
               {"div_rm", 0}, {"sqrt_rn", 0}, {"sqrt_rz", 0}, {"sqrt_rp", 0}, {"sqrt_rm", 0},
               {"rcp_rn", 0}, {"rcp_rz", 0},  {"rcp_rp", 0},  {"rcp_rm", 0}});
  return result;
}

GANTRY_KERNEL_CASE(rounding_double) {
  const auto [a, b] = operands<double, std::uint64_t>(82);
  std::vector<double> expected(std::size_t{20} * kCount);
  for (std::size_t i = 0; i < kCount; ++i) {
    double* row = &expected[20 * i];
    expect_operations(a[i], b[i], row);
    for (std::size_t m = 0; m < 3; ++m) {
      row[16 + m] = square_root(kModes[m], a[i]);
    }
    row[19] = reciprocal(FE_TONEAREST, b[i]);
  }
  Module module(driver, ptx_of("rounding"));
  const DeviceBuffer buffer_a(driver, a);
  const DeviceBuffer buffer_b(driver, b);
  const DeviceBuffer<double> results(driver, expected.size());
  module.kernel("double_rounding").launch({{4}, {128}}, buffer_a, buffer_b, results, kCount);
  Result result;
  add_columns(result, results.download(), expected,
              {{"add_rn", 0}, {"add_rz", 0},  {"add_rp", 0},  {"add_rm", 0},  {"mul_rn", 0},
               {"mul_rz", 0}, {"mul_rp", 0},  {"mul_rm", 0},  {"fma_rn", 0},  {"fma_rz", 0},
               {"fma_rp", 0}, {"fma_rm", 0},  {"div_rn", 0},  {"div_rz", 0},  {"div_rp", 0},
               {"div_rm", 0}, {"sqrt_rn", 0}, {"sqrt_rz", 0}, {"sqrt_rp", 0}, {"rcp_rn", 0}});
  return result;
}

GANTRY_KERNEL_CASE(rounding_conversions) {
  Random random(83);
  std::vector<float> a = edges<float>();
  std::vector<double> b = edges<double>();
  for (const float value : {2147483648.0F, -2147483648.0F, 4294967296.0F, 2.5F, -2.5F, 3.5F, -0.5F,
                            0.5F, 9.3e18F, -1e19F, 1e20F}) {
    a.push_back(value);
    b.push_back(value + 0.25);
  }
  while (a.size() < kCount) {
    a.push_back(
        static_cast<float>(std::ldexp(random.between(-1, 1), static_cast<int>(random.below(70)))));
    b.push_back(std::ldexp(random.between(-1, 1) / 3, static_cast<int>(random.below(70))));
  }
  std::vector<int> integers(std::size_t{10} * kCount);
  std::vector<std::int64_t> wide(std::size_t{4} * kCount);
  std::vector<float> floats(std::size_t{12} * kCount);
  for (std::size_t i = 0; i < kCount; ++i) {
    const double x = a[i];
    const double y = b[i];
    int* row = &integers[10 * i];
    row[0] = clamped<std::int32_t>(std::nearbyint(x), 0);
    row[1] = clamped<std::int32_t>(std::trunc(x), 0);
    row[2] = clamped<std::int32_t>(std::ceil(x), 0);
    row[3] = clamped<std::int32_t>(std::floor(x), 0);
    row[4] = static_cast<int>(clamped<std::uint32_t>(std::trunc(x), 0));
    row[5] = clamped<std::int32_t>(std::trunc(y), kMost);
    row[6] = clamped<std::int32_t>(std::nearbyint(y), kMost);
    row[7] = static_cast<int>(clamped<std::uint32_t>(std::floor(y), 0x80000000U));
    row[8] = std::bit_cast<int>(a[i]);
    row[9] = static_cast<int>(std::bit_cast<std::int64_t>(y) >> 32);
    wide[4 * i] = clamped<std::int64_t>(std::trunc(x), kMostWide);
    wide[4 * i + 1] = clamped<std::int64_t>(std::nearbyint(y), kMostWide);
    wide[4 * i + 2] =
        static_cast<std::int64_t>(clamped<std::uint64_t>(std::trunc(y), std::uint64_t{1} << 63));
    wide[4 * i + 3] = std::bit_cast<std::int64_t>(y);
    float* converted = &floats[12 * i];
    for (std::size_t m = 0; m < 4; ++m) {
      converted[m] = to_float(kModes[m], y);
    }
    converted[4] = integer_to_float(FE_TONEAREST, row[8]);
    converted[5] = integer_to_float(FE_TOWARDZERO, row[8]);
    converted[6] = integer_to_float(FE_UPWARD, static_cast<std::uint32_t>(row[8]));
    converted[7] = integer_to_float(FE_DOWNWARD, wide[4 * i + 3]);
    converted[8] = std::nearbyint(a[i]);
    converted[9] = std::floor(a[i]) + std::ceil(a[i]) * 2;
    converted[10] = std::trunc(a[i]);
    converted[11] = a[i] > 0 ? std::fmin(a[i], 1.0F) : 0.0F;
  }
  Module module(driver, ptx_of("rounding"));
  const DeviceBuffer buffer_a(driver, a);
  const DeviceBuffer buffer_b(driver, b);
  const DeviceBuffer<int> buffer_integers(driver, integers.size());
  const DeviceBuffer<std::int64_t> buffer_wide(driver, wide.size());
  const DeviceBuffer<float> buffer_floats(driver, floats.size());
  module.kernel("conversions")
      .launch({{4}, {128}}, buffer_a, buffer_b, buffer_integers, buffer_wide, buffer_floats,
              kCount);
  Result result;
  add_columns(result, buffer_integers.download(), integers,
              {{"s32_rni", 0},
               {"s32_rzi", 0},
               {"s32_rpi", 0},
               {"s32_rmi", 0},
               {"u32_rzi", 0},
               {"s32_rzi_f64", 0},
               {"s32_rni_f64", 0},
               {"u32_rmi_f64", 0},
               {"bits", 0},
               {"high_bits", 0}});
  add_columns(result, buffer_wide.download(), wide,
              {{"s64_rzi", 0}, {"s64_rni_f64", 0}, {"u64_rzi_f64", 0}, {"bits_f64", 0}});
  add_columns(result, buffer_floats.download(), floats,
              {{"f32_rn", 0},
               {"f32_rz", 0},
               {"f32_rp", 0},
               {"f32_rm", 0},
               {"f32_rn_s32", 0},
               {"f32_rz_s32", 0},
               {"f32_rp_u32", 0},
               {"f32_rm_s64", 0},
               {"rint", 0},
               {"floor_and_ceil", 0},
               {"trunc", 0},
               {"saturate", 0}});
  return result;
}

GANTRY_KERNEL_CASE(rounding_comparisons) {
  const auto [a, b] = operands<float, std::uint32_t>(84);
  std::vector<unsigned> expected;
  for (std::size_t i = 0; i < kCount; ++i) {
    const float x = a[i];
    const float y = b[i];
    // The other operand, where one is NaN.
    const float least = std::isnan(x) ? y : std::isnan(y) ? x : std::fmin(x, y);
    const float most = std::isnan(x) ? y : std::isnan(y) ? x : std::fmax(x, y);
    const bool bits[13] = {x<y, x <= y, x> y, x >= y,     x == y,        x != y,
                           !(x < y),          !(x >= y),  std::isnan(x), std::isinf(y),
                           std::signbit(x),   least == x, most == y};
    unsigned word = 0;
    for (unsigned k = 0; k < 13; ++k) {
      word |= (bits[k] ? 1U : 0U) << k;
    }
    // The sign of a NaN is that of its bits on both sides.
    expected.push_back(word);
  }
  Module module(driver, ptx_of("rounding"));
  const DeviceBuffer buffer_a(driver, a);
  const DeviceBuffer buffer_b(driver, b);
  const DeviceBuffer<unsigned> results(driver, kCount);
  module.kernel("comparisons").launch({{4}, {128}}, buffer_a, buffer_b, results, kCount);
  Result result;
  result.add("results", results.download(), expected);
  return result;
}

GANTRY_KERNEL_CASE(mathematics_single) {
  Random random(85);
  const auto a = Random::list<float>(kCount, [&] { return random.between(-6, 6); });
  std::vector<float> expected;
  for (const float value : a) {
    const double x = value;
    const double positive = std::fabs(value) + 0.25F;
    for (const double result :
         {std::sin(x), std::cos(x), std::exp(x), std::log(positive), std::pow(std::fabs(x), 1.5),
          std::tanh(x), std::atan(x), std::erf(x), std::cbrt(x),
          1 / std::sqrt(static_cast<double>(std::fabs(value) + 0.5F)), std::exp2(x),
          std::hypot(x, 2.0)}) {
      expected.push_back(static_cast<float>(result));
    }
  }
  Module module(driver, ptx_of("mathematics"));
  const DeviceBuffer buffer(driver, a);
  const DeviceBuffer<float> results(driver, expected.size());
  module.kernel("single_functions").launch({{4}, {128}}, buffer, results, kCount);
  Result result;
  // The bounds of CUDA's documentation, and one for the rounding of what is expected.
  add_columns(result, results.download(), expected,
              {{"sin", 3},
               {"cos", 3},
               {"exp", 3},
               {"log", 2},
               {"pow", 9},
               {"tanh", 3},
               {"atan", 3},
               {"erf", 3},
               {"cbrt", 2},
               {"rsqrt", 3},
               {"exp2", 3},
               {"hypot", 4}});
  return result;
}

GANTRY_KERNEL_CASE(mathematics_double) {
  Random random(86);
  const auto a = Random::list<double>(kCount, [&] { return random.between(-6, 6); });
  std::vector<double> expected;
  for (const double x : a) {
    for (const double result :
         {std::sin(x), std::cos(x), std::exp(x), std::log(std::fabs(x) + 0.25),
          std::pow(std::fabs(x), 1.5), std::tanh(x), std::atan(x), std::erf(x),
          1 / std::sqrt(std::fabs(x) + 0.5), std::fmod(x, 0.75)}) {
      expected.push_back(result);
    }
  }
  Module module(driver, ptx_of("mathematics"));
  const DeviceBuffer buffer(driver, a);
  const DeviceBuffer<double> results(driver, expected.size());
  module.kernel("double_functions").launch({{4}, {128}}, buffer, results, kCount);
  Result result;
  add_columns(result, results.download(), expected,
              {{"sin", 3},
               {"cos", 3},
               {"exp", 2},
               {"log", 2},
               {"pow", 3},
               {"tanh", 3},
               {"atan", 3},
               {"erf", 3},
               {"rsqrt", 3},
               {"fmod", 0}});
  return result;
}

GANTRY_KERNEL_CASE(mathematics_fast) {
  Random random(87);
  const auto a = Random::list<float>(kCount, [&] { return random.between(-8, 8); });
  std::vector<float> expected;
  for (const float value : a) {
    const double x = value;
    const double positive = std::fabs(value) + 0.5F;
    for (const double result :
         {x / positive, 1 / positive, std::sqrt(positive), 1 / std::sqrt(positive), std::exp2(x),
          std::exp(x * 0.25), x / positive}) {
      expected.push_back(static_cast<float>(result));
    }
  }
  Module module(driver, ptx_of("mathematics"));
  const DeviceBuffer buffer(driver, a);
  const DeviceBuffer<float> results(driver, expected.size());
  module.kernel("fast_functions").launch({{4}, {128}}, buffer, results, kCount);
  Result result;
  // The bounds of the PTX ISA and, for exp, of CUDA: 2 + floor(|1.173 x|).
  add_columns(result, results.download(), expected,
              {{"div_approx", 3},
               {"rcp_approx", 2},
               {"sqrt_approx", 3},
               {"rsqrt_approx", 3},
               {"ex2_approx", 3},
               {"exp", 5},
               {"div_full", 3}});
  return result;
}

} // namespace gantry::simt::testing
