// Kernels of kHalfFormat.cu.
#include "kernel_case.h"
#include "narrow_float.h"

#include <algorithm>

namespace gantry::simt::testing {

namespace {

constexpr unsigned kCount = 600;
using Bits = std::uint16_t;

/// Finite numbers of all magnitudes, zeros and subnormal ones included.
std::vector<Bits> random_halves(std::uint32_t seed, std::size_t count) {
  Random random(seed);
  std::vector<Bits> values = Random::list<Bits>(count, [&] {
    const std::uint32_t bits = random.bits() & 0xFFFF;
    return (bits & 0x7C00) == 0x7C00 ? bits & 0xBFFF : bits;
  });
  values[0] = 0;
  values[1] = 0x8000;
  values[2] = 1;
  values[3] = 0x7BFF;
  return values;
}

/// Numbers between 2^-20 and 2^20, so that what a fused operation adds is exact in long double.
std::vector<Bits> random_bfloats(std::uint32_t seed, std::size_t count) {
  Random random(seed);
  return Random::list<Bits>(count, [&] {
    const std::uint32_t bits = random.bits();
    return (bits & 0x807F) | (107 + random.below(40)) << 7;
  });
}

struct Format {
  NarrowFormat format;
  long double number(Bits bits) const { return to_number(format, bits); }
  Bits rounded(long double number) const { return to_bits(format, number); }
};
constexpr Format kHalfFormat = {kHalf};
constexpr Format kBfloatFormat = {kBfloat};

Bits larger(const Format& format, Bits a, Bits b) {
  const bool first = format.number(a) > format.number(b) ||
                     (format.number(a) == format.number(b) && (a & 0x8000) == 0);
  return first ? a : b;
}
Bits smaller(const Format& format, Bits a, Bits b) {
  const bool first = format.number(a) < format.number(b) ||
                     (format.number(a) == format.number(b) && (a & 0x8000) != 0);
  return first ? a : b;
}

} // namespace

GANTRY_KERNEL_CASE(half_arithmetic) {
  const std::vector<Bits> a = random_halves(41, kCount);
  std::vector<Bits> b = random_halves(42, kCount);
  std::reverse(b.begin(), b.end());
  std::vector<Bits> expected(std::size_t{12} * kCount);
  for (std::size_t i = 0; i < kCount; ++i) {
    const long double x = kHalfFormat.number(a[i]);
    const long double y = kHalfFormat.number(b[i]);
    const Bits results[12] = {
        kHalfFormat.rounded(x + y),
        kHalfFormat.rounded(x - y),
        kHalfFormat.rounded(x * y),
        kHalfFormat.rounded(x * y + x),
        static_cast<Bits>(a[i] ^ 0x8000),
        static_cast<Bits>(b[i] & 0x7FFF),
        x < y ? a[i] : b[i],
        larger(kHalfFormat, a[i], b[i]),
        smaller(kHalfFormat, a[i], b[i]),
        kHalfFormat.rounded(static_cast<float>(x) * 0.3F),
        kHalfFormat.rounded(static_cast<double>(y) / 3.0),
        kHalfFormat.rounded(static_cast<long double>(static_cast<int>(i) * 37 - 5000))};
    for (std::size_t k = 0; k < 12; ++k) {
      expected[k * kCount + i] = results[k];
    }
  }
  Module module(driver, ptx_of("half"));
  const DeviceBuffer buffer_a(driver, a);
  const DeviceBuffer buffer_b(driver, b);
  const DeviceBuffer<Bits> results(driver, expected.size());
  module.kernel("half_arithmetic").launch({{5}, {128}}, buffer_a, buffer_b, results, kCount);
  Result result;
  result.add("results", results.download(), expected);
  return result;
}

GANTRY_KERNEL_CASE(half_conversions) {
  const std::vector<Bits> a = random_halves(43, kCount);
  std::vector<int> integers(std::size_t{2} * kCount);
  std::vector<std::uint16_t> shorts(kCount);
  std::vector<float> floats(kCount);
  for (std::size_t i = 0; i < kCount; ++i) {
    const long double x = kHalfFormat.number(a[i]);
    integers[i] = static_cast<int>(std::trunc(x));
    integers[kCount + i] = static_cast<int>(std::floor(x));
    shorts[i] = static_cast<std::uint16_t>(std::trunc(std::fabs(x)));
    floats[i] = static_cast<float>(x);
  }
  Module module(driver, ptx_of("half"));
  const DeviceBuffer buffer(driver, a);
  const DeviceBuffer<int> buffer_integers(driver, integers.size());
  const DeviceBuffer<std::uint16_t> buffer_shorts(driver, kCount);
  const DeviceBuffer<float> buffer_floats(driver, kCount);
  module.kernel("half_conversions")
      .launch({{5}, {128}}, buffer, buffer_integers, buffer_shorts, buffer_floats, kCount);
  Result result;
  result.add("integers", buffer_integers.download(), integers);
  result.add("shorts", buffer_shorts.download(), shorts);
  result.add("floats", buffer_floats.download(), floats);
  return result;
}

GANTRY_KERNEL_CASE(half_pairs) {
  constexpr std::size_t kPairs = 300;
  const std::vector<Bits> a = random_halves(44, 2 * kPairs);
  std::vector<Bits> b = random_halves(45, 2 * kPairs);
  std::reverse(b.begin(), b.end());
  std::vector<Bits> expected(std::size_t{8} * kPairs);
  for (std::size_t i = 0; i < 2 * kPairs; ++i) {
    const long double x = kHalfFormat.number(a[i]);
    const long double y = kHalfFormat.number(b[i]);
    expected[i] = kHalfFormat.rounded(x + y);
    expected[2 * kPairs + i] = kHalfFormat.rounded(x * y + 0.5L);
    expected[4 * kPairs + (i ^ 1)] = kHalfFormat.rounded(x * y);
    expected[6 * kPairs + i] = i % 2 == 0 ? a[i] : b[i];
  }
  Module module(driver, ptx_of("half"));
  const DeviceBuffer buffer_a(driver, a);
  const DeviceBuffer buffer_b(driver, b);
  const DeviceBuffer<Bits> results(driver, expected.size());
  module.kernel("half_pairs")
      .launch({{3}, {128}}, buffer_a, buffer_b, results, static_cast<unsigned>(kPairs));
  Result result;
  result.add("results", results.download(), expected);
  return result;
}

GANTRY_KERNEL_CASE(half_bfloat) {
  const std::vector<Bits> a = random_bfloats(46, kCount);
  const std::vector<Bits> b = random_bfloats(47, kCount);
  std::vector<Bits> expected(std::size_t{5} * kCount);
  std::vector<float> floats(kCount);
  for (std::size_t i = 0; i < kCount; ++i) {
    const long double x = kBfloatFormat.number(a[i]);
    const long double y = kBfloatFormat.number(b[i]);
    expected[i] = kBfloatFormat.rounded(x * y + y);
    expected[kCount + i] = kBfloatFormat.rounded(static_cast<float>(x) * 1.7F);
    expected[std::size_t{2} * kCount + i] = larger(kBfloatFormat, a[i], b[i]);
    expected[std::size_t{3} * kCount + i] = kBfloatFormat.rounded(x + y);
    expected[std::size_t{4} * kCount + i] = kBfloatFormat.rounded(x * y);
    floats[i] = static_cast<float>(x);
  }
  Module module(driver, ptx_of("half"));
  const DeviceBuffer buffer_a(driver, a);
  const DeviceBuffer buffer_b(driver, b);
  const DeviceBuffer<Bits> results(driver, expected.size());
  const DeviceBuffer<float> buffer_floats(driver, kCount);
  module.kernel("bfloat_arithmetic")
      .launch({{5}, {128}}, buffer_a, buffer_b, results, buffer_floats, kCount);
  Result result;
  result.add("results", results.download(), expected);
  result.add("floats", buffer_floats.download(), floats);
  return result;
}

} // namespace gantry::simt::testing
