// Kernels of integers.cu.
#include "kernel_case.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <limits>

namespace gantry::simt::testing {

namespace {

constexpr unsigned kCount = 512;
using Word = std::uint32_t;
using Wide = std::uint64_t;

std::vector<Word> random_words(std::uint32_t seed, std::initializer_list<Word> edges) {
  Random random(seed);
  auto values = Random::list<Word>(kCount, [&] { return random.bits() >> random.below(32); });
  std::copy(edges.begin(), edges.end(), values.begin());
  return values;
}

Word reversed(Word word) {
  Word result = 0;
  for (int bit = 0; bit < 32; ++bit) {
    result |= (word >> bit & 1) << (31 - bit);
  }
  return result;
}

Wide reversed_wide(Wide word) {
  return Wide{reversed(static_cast<Word>(word))} << 32 | reversed(static_cast<Word>(word >> 32));
}

/// Sign-extends the low 24 bits.
std::int64_t low_24(Word word) {
  return static_cast<std::int32_t>(word << 8) >> 8;
}

Word permuted(Word a, Word b, Word selector) {
  const Wide both = Wide{b} << 32 | a;
  Word result = 0;
  for (int i = 0; i < 4; ++i) {
    const Word choice = selector >> (4 * i) & 15;
    auto byte = static_cast<Word>(both >> (8 * (choice & 7)) & 0xFF);
    if (choice & 8) {
      byte = byte & 0x80 ? 0xFF : 0;
    }
    result |= byte << (8 * i);
  }
  return result;
}

Word field_of(Word word, Word position, Word length) {
  return static_cast<Word>((Wide{word} >> position) & ((Wide{1} << length) - 1));
}

Word inserted(Word from, Word into, Word position, Word length) {
  const Wide mask = ((Wide{1} << length) - 1) << position;
  return static_cast<Word>((into & ~mask) | ((Wide{from} << position) & mask));
}

/// The product's high half.
Wide high_product(Wide a, Wide b) {
  return static_cast<Wide>(static_cast<unsigned __int128>(a) * b >> 64);
}

std::int8_t byte_of(Word word, int i) {
  return static_cast<std::int8_t>(word >> (8 * i));
}
std::uint8_t unsigned_byte_of(Word word, int i) {
  return static_cast<std::uint8_t>(word >> (8 * i));
}
std::int16_t half_of(Word word, int i) {
  return static_cast<std::int16_t>(word >> (16 * i));
}

void expect_bits(Word x, Wide y, Word i, Wide* row) {
  const auto low = static_cast<Word>(y);
  const auto sx = static_cast<std::int32_t>(x);
  const auto sy = static_cast<std::int32_t>(low);
  row[0] = static_cast<Wide>(std::countl_zero(x)) * 100 + static_cast<Wide>(std::countl_zero(y));
  row[1] = static_cast<Wide>(std::popcount(x)) * 100 + static_cast<Wide>(std::popcount(y));
  row[2] = reversed(x) ^ reversed_wide(y);
  row[3] = (x == 0 ? 0 : static_cast<Wide>(std::countr_zero(x)) + 1) * 100 +
           (y == 0 ? 0 : static_cast<Wide>(std::countr_zero(y)) + 1);
  row[4] = permuted(x, low, x & 0x7777);
  const Wide pair = Wide{low} << 32 | x;
  row[5] = static_cast<Word>(pair << (i & 31) >> 32);
  const auto right = static_cast<Word>(pair >> (i & 31));
  const Word clamped = std::min(i, Word{32});
  const auto left = clamped == 32 ? x : static_cast<Word>(pair << clamped >> 32);
  row[6] = right + left;
  row[7] = static_cast<Word>(Wide{x} * low >> 32);
  row[8] = high_product(y, y * 3);
  const auto signed_high =
      static_cast<std::int64_t>(static_cast<__int128>(static_cast<std::int64_t>(y)) * -5 >> 64);
  row[9] = Wide(std::int64_t{static_cast<std::int32_t>(std::int64_t{sx} * sy >> 32)}) +
           static_cast<Wide>(signed_high);
  const std::int64_t apart = std::int64_t{sx} - sy;
  const auto signed_sad = static_cast<Word>(apart < 0 ? -apart : apart) + 7;
  row[10] = static_cast<Word>(signed_sad + (x > low ? x - low : low - x) + 9);
  const auto average = static_cast<std::int32_t>((std::int64_t{sx} + sy) >> 1);
  const auto rounded = static_cast<std::int32_t>((std::int64_t{sx} + sy + 1) >> 1);
  const auto unsigned_average = static_cast<Word>((Wide{x} + low) >> 1);
  row[11] = static_cast<Word>(average ^ rounded) ^ unsigned_average;
  row[12] = static_cast<Word>(low_24(x) * low_24(low)) ^
            static_cast<Word>(Wide{x & 0xFFFFFF} * (low & 0xFFFFFF));
  row[13] = field_of(x, i % 40, i % 11);
  row[14] = inserted(x, low, i % 37, i % 13);
  row[15] = Wide{x << (i & 31)} + (y >> (i & 63)) +
            static_cast<Wide>(static_cast<std::int64_t>(y) >> (i & 63)) +
            static_cast<Word>(sx >> (i & 31));
}

int expect_switch(int value) {
  Word result = 0;
  for (int step = 0; step < 6; ++step) {
    switch (value % 9) {
    case 0:
      result += 7;
      value /= 2;
      break;
    case 1:
      result ^= static_cast<Word>(value);
      value = value * 3 + 1;
      break;
    case 2:
      result *= 5;
      [[fallthrough]];
    case 3:
      value -= 11;
      break;
    case 4:
      result = result << 3 | static_cast<Word>(static_cast<std::int32_t>(result) >> 29);
      value += step;
      break;
    case 5:
      if (value > 100) {
        return static_cast<int>(result);
      }
      value += 77;
      break;
    case 6:
      value = -value;
      break;
    case 7:
      result -= static_cast<Word>(value);
      continue;
    default:
      value ^= 0x55;
    }
    result += static_cast<Word>(value);
  }
  return static_cast<int>(result);
}

} // namespace

GANTRY_KERNEL_CASE(integer_divisions) {
  constexpr Word kMost = 0x80000000;
  const std::vector<Word> a =
      random_words(71, {0, 1, 0xFFFFFFFF, kMost, 0x7FFFFFFF, kMost, 12345, 100});
  const std::vector<Word> b = random_words(72, {0, 0xFFFFFFFF, 1, 1, 0xFFFFFFFF, 2, 0, 0xFFFFFFF9});
  std::vector<int> expected(std::size_t{8} * kCount);
  for (std::size_t i = 0; i < kCount; ++i) {
    const auto x = static_cast<std::int32_t>(a[i]);
    const auto y = static_cast<std::int32_t>(b[i]);
    // In 64 bits nothing overflows.
    const std::int64_t wide = std::int64_t{x} * 2147483659LL;
    const bool zero = y == 0;
    const std::int64_t divisor = zero ? 1 : y;
    const auto unsigned_divisor = zero ? Word{1} : b[i];
    const int results[8] = {
        zero ? -1 : static_cast<int>(x / divisor),
        zero ? -2 : static_cast<int>(x % divisor),
        zero ? -3 : static_cast<int>(a[i] / unsigned_divisor),
        zero ? -4 : static_cast<int>(a[i] % unsigned_divisor),
        static_cast<int>(static_cast<Word>(x / 7) + static_cast<Word>(x % 10) + a[i] / 1000003U),
        zero ? -5 : static_cast<int>(wide / divisor),
        zero ? -6 : static_cast<int>(static_cast<Wide>(wide) % static_cast<Wide>(std::int64_t{y})),
        static_cast<std::int16_t>(x) / static_cast<std::int16_t>(y | 1)};
    for (std::size_t k = 0; k < 8; ++k) {
      expected[k * kCount + i] = results[k];
    }
  }
  Module module(driver, ptx_of("integers"));
  const DeviceBuffer buffer_a(driver, a);
  const DeviceBuffer buffer_b(driver, b);
  const DeviceBuffer<int> results(driver, expected.size());
  module.kernel("divisions").launch({{4}, {128}}, buffer_a, buffer_b, results, kCount);
  Result result;
  result.add("results", results.download(), expected);
  return result;
}

GANTRY_KERNEL_CASE(integer_bits) {
  const std::vector<Word> a = random_words(73, {0, 1, 0xFFFFFFFF, 0x80000000});
  Random random(74);
  auto b = Random::list<Wide>(kCount, [&] { return random.wide_bits() >> random.below(64); });
  b[0] = 0;
  b[3] = ~Wide{0};
  std::vector<Wide> expected(std::size_t{16} * kCount);
  for (Word i = 0; i < kCount; ++i) {
    expect_bits(a[i], b[i], i, &expected[std::size_t{16} * i]);
  }
  Module module(driver, ptx_of("integers"));
  const DeviceBuffer buffer_a(driver, a);
  const DeviceBuffer buffer_b(driver, b);
  const DeviceBuffer<Wide> results(driver, expected.size());
  module.kernel("bit_operations").launch({{4}, {128}}, buffer_a, buffer_b, results, kCount);
  const std::vector<Wide> actual = results.download();
  Result result;
  const char* const names[16] = {
      "clz",       "popc",          "brev", "ffs",      "prmt",  "shf_left", "shf_right", "mul_hi",
      "mul_hi_64", "signed_mul_hi", "sad",  "averages", "mul24", "bfe",      "bfi",       "shifts"};
  for (std::size_t k = 0; k < 16; ++k) {
    result.add(names[k], column_of(actual, 16, k), column_of(expected, 16, k));
  }
  return result;
}

GANTRY_KERNEL_CASE(integer_wide) {
  constexpr unsigned kWide = 100;
  Random random(75);
  const auto a = Random::list<Wide>(kWide, [&] { return random.wide_bits(); });
  const auto b = Random::list<Wide>(kWide, [&] { return random.wide_bits() >> random.below(60); });
  std::vector<Wide> low;
  std::vector<Wide> high;
  for (std::size_t i = 0; i < kWide; ++i) {
    using Widest = unsigned __int128;
    const Widest x = Widest{a[i]} << 64 | b[i];
    const Widest product = Widest{a[i]} * b[i];
    for (const Widest value : {product, x + product, x - product, x * product}) {
      low.push_back(static_cast<Wide>(value));
      high.push_back(static_cast<Wide>(value >> 64));
    }
  }
  Module module(driver, ptx_of("integers"));
  const DeviceBuffer buffer_a(driver, a);
  const DeviceBuffer buffer_b(driver, b);
  const DeviceBuffer<Wide> buffer_low(driver, low.size());
  const DeviceBuffer<Wide> buffer_high(driver, high.size());
  module.kernel("wide_arithmetic")
      .launch({{1}, {128}}, buffer_a, buffer_b, buffer_low, buffer_high, kWide);
  Result result;
  result.add("low", buffer_low.download(), low);
  result.add("high", buffer_high.download(), high);
  return result;
}

GANTRY_KERNEL_CASE(integer_packed) {
  const std::vector<Word> a = random_words(76, {0, 0xFFFFFFFF, 0x80808080});
  const std::vector<Word> b = random_words(77, {0, 0xFFFFFFFF, 0x80808080});
  std::vector<Word> expected;
  for (std::size_t i = 0; i < kCount; ++i) {
    int signed_dot = 100;
    Word unsigned_dot = 7;
    Word apart = 0;
    for (int k = 0; k < 4; ++k) {
      signed_dot += byte_of(a[i], k) * byte_of(b[i], k);
      unsigned_dot += Word{unsigned_byte_of(a[i], k)} * unsigned_byte_of(b[i], k);
      apart |= static_cast<Word>(std::abs(unsigned_byte_of(a[i], k) - unsigned_byte_of(b[i], k)))
               << (8 * k);
    }
    const int half_dot =
        3 + half_of(a[i], 0) * byte_of(b[i], 0) + half_of(a[i], 1) * byte_of(b[i], 1);
    const Word sum_low = (a[i] + b[i]) & 0xFFFF;
    const Word sum_high = ((a[i] >> 16) + (b[i] >> 16)) & 0xFFFF;
    expected.insert(expected.end(), {static_cast<Word>(signed_dot), unsigned_dot,
                                     static_cast<Word>(half_dot), apart, sum_high << 16 | sum_low});
  }
  Module module(driver, ptx_of("integers"));
  const DeviceBuffer buffer_a(driver, a);
  const DeviceBuffer buffer_b(driver, b);
  const DeviceBuffer<Word> results(driver, expected.size());
  module.kernel("packed_arithmetic").launch({{4}, {128}}, buffer_a, buffer_b, results, kCount);
  Result result;
  result.add("results", results.download(), expected);
  return result;
}

GANTRY_KERNEL_CASE(integer_switches) {
  Random random(78);
  const auto values =
      Random::list<int>(kCount, [&] { return static_cast<int>(random.below(100000)) - 50000; });
  std::vector<int> expected;
  for (const int value : values) {
    expected.push_back(expect_switch(value));
  }
  Module module(driver, ptx_of("integers"));
  const DeviceBuffer buffer(driver, values);
  const DeviceBuffer<int> results(driver, kCount);
  module.kernel("switches").launch({{4}, {128}}, buffer, results, kCount);
  Result result;
  result.add("results", results.download(), expected);
  return result;
}

} // namespace gantry::simt::testing
