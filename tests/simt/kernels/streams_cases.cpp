// Kernels of streams.cu.
#include "kernel_case.h"

namespace gantry::simt::testing {

namespace {

constexpr unsigned kCount = 10007;
constexpr unsigned kBlocks = (kCount + 255) / 256;

} // namespace

GANTRY_KERNEL_CASE(streams_copy) {
  Random random(1);
  const auto values = Random::list<float>(kCount, [&] { return random.between(-100, 100); });
  Module module(driver, ptx_of("streams"));
  const DeviceBuffer from(driver, values);
  const DeviceBuffer to(driver, std::vector<float>(kCount));
  module.kernel("copy").launch({{kBlocks}, {256}}, from, to, kCount);
  Result result;
  result.add("to", to.download(), values);
  return result;
}

GANTRY_KERNEL_CASE(streams_triad) {
  Random random(2);
  const auto b = Random::list<float>(kCount, [&] { return random.between(-9, 9); });
  const auto c = Random::list<float>(kCount, [&] { return random.between(-9, 9); });
  const float scalar = 1.7F;
  std::vector<float> expected(kCount);
  for (unsigned i = 0; i < kCount; ++i) {
    const float product = scalar * c[i];
    expected[i] = b[i] + product;
  }
  Module module(driver, ptx_of("streams"));
  const DeviceBuffer<float> a(driver, kCount);
  const DeviceBuffer buffer_b(driver, b);
  const DeviceBuffer buffer_c(driver, c);
  // Fewer threads than elements: each goes round several times.
  module.kernel("triad").launch({{7}, {96}}, a, buffer_b, buffer_c, scalar, kCount);
  Result result;
  result.add("a", a.download(), expected);
  return result;
}

GANTRY_KERNEL_CASE(streams_vectors) {
  Random random(3);
  constexpr unsigned kVectors = 1000;
  const auto from =
      Random::list<float>(std::size_t{kVectors} * 4, [&] { return random.between(-1, 1); });
  std::vector<float> reversed(from.rbegin(), from.rend());
  const auto pairs =
      Random::list<std::uint64_t>(std::size_t{kVectors} * 2, [&] { return random.wide_bits(); });
  std::vector<std::uint64_t> sums(kVectors);
  for (unsigned i = 0; i < kVectors; ++i) {
    sums[i] = pairs[std::size_t{2} * i] * 3 + (pairs[std::size_t{2} * i + 1] >> 5);
  }
  Module module(driver, ptx_of("streams"));
  const DeviceBuffer buffer_from(driver, from);
  const DeviceBuffer<float> buffer_to(driver, from.size());
  module.kernel("copy_vectors").launch({{8}, {128}}, buffer_from, buffer_to, kVectors);
  const DeviceBuffer buffer_pairs(driver, pairs);
  const DeviceBuffer<std::uint64_t> buffer_sums(driver, kVectors);
  module.kernel("sum_pairs").launch({{8}, {128}}, buffer_pairs, buffer_sums, kVectors);
  Result result;
  result.add("reversed", buffer_to.download(), reversed);
  result.add("sums", buffer_sums.download(), sums);
  return result;
}

GANTRY_KERNEL_CASE(streams_narrow) {
  Random random(4);
  constexpr unsigned kNarrow = 500;
  const auto bytes = Random::list<std::int8_t>(kNarrow, [&] { return random.bits(); });
  const auto unsigned_bytes = Random::list<std::uint8_t>(kNarrow, [&] { return random.bits(); });
  const auto halves = Random::list<std::int16_t>(kNarrow, [&] { return random.bits(); });
  const auto unsigned_halves = Random::list<std::uint16_t>(kNarrow, [&] { return random.bits(); });
  const auto colours =
      Random::list<std::uint8_t>(std::size_t{kNarrow} * 4, [&] { return random.bits(); });
  std::vector<std::int64_t> sums(kNarrow);
  std::vector<std::int16_t> stored(kNarrow);
  std::vector<std::uint8_t> packed(kNarrow);
  for (std::size_t i = 0; i < kNarrow; ++i) {
    const int mixed = colours[4 * i] ^ colours[4 * i + 1] ^ colours[4 * i + 2] ^ colours[4 * i + 3];
    sums[i] = std::int64_t{bytes[i]} * 1000 + unsigned_bytes[i] +
              std::int64_t{halves[i]} * 1000000 + unsigned_halves[i] + mixed;
    stored[i] = static_cast<std::int16_t>(bytes[i] * unsigned_halves[i]);
    packed[i] = static_cast<std::uint8_t>(unsigned_bytes[i] + halves[i]);
  }
  Module module(driver, ptx_of("streams"));
  const DeviceBuffer buffer_bytes(driver, bytes);
  const DeviceBuffer buffer_unsigned_bytes(driver, unsigned_bytes);
  const DeviceBuffer buffer_halves(driver, halves);
  const DeviceBuffer buffer_unsigned_halves(driver, unsigned_halves);
  const DeviceBuffer buffer_colours(driver, colours);
  const DeviceBuffer<std::int64_t> buffer_sums(driver, kNarrow);
  const DeviceBuffer<std::int16_t> buffer_stored(driver, kNarrow);
  const DeviceBuffer<std::uint8_t> buffer_packed(driver, kNarrow);
  module.kernel("narrow").launch({{4}, {128}}, buffer_bytes, buffer_unsigned_bytes, buffer_halves,
                                 buffer_unsigned_halves, buffer_colours, buffer_sums, buffer_stored,
                                 buffer_packed, kNarrow);
  Result result;
  result.add("sums", buffer_sums.download(), sums);
  result.add("stored", buffer_stored.download(), stored);
  result.add("packed", buffer_packed.download(), packed);
  return result;
}

GANTRY_KERNEL_CASE(streams_strided) {
  constexpr unsigned kRows = 37;
  constexpr unsigned kColumns = 23;
  std::vector<double> from(std::size_t{kRows} * kColumns);
  std::vector<double> expected(from.size());
  for (unsigned row = 0; row < kRows; ++row) {
    for (unsigned column = 0; column < kColumns; ++column) {
      from[row * kColumns + column] = row * 1000.5 + column;
      expected[column * kRows + row] = row * 1000.5 + column;
    }
  }
  Module module(driver, ptx_of("streams"));
  const DeviceBuffer buffer_from(driver, from);
  const DeviceBuffer<double> buffer_to(driver, from.size());
  module.kernel("strided").launch({{1}, {100}}, buffer_from, buffer_to, kRows, kColumns);
  Result result;
  result.add("transposed", buffer_to.download(), expected);
  return result;
}

} // namespace gantry::simt::testing
