// Kernels of handwritten.ptx.
#include "kernel_case.h"

#include <algorithm>

namespace gantry::simt::testing {

namespace {

using Word = std::uint32_t;
using Wide = std::uint64_t;

Word branch_table(Word value) {
  Word result = 0;
  for (;;) {
    switch (value & 7) {
    case 0:
    case 4:
      return value + 1000;
    case 1:
    case 3:
      return value * 3 ^ value;
    case 2:
      return result ^ value;
    case 5:
      value >>= 1;
      ++result;
      if ((value & 7) > 5) {
        return result - value;
      }
      continue;
    default:
      return result - value;
    }
  }
}

/// The byte of {b, a} with that number.
Word byte_of(Word a, Word b, Word number) {
  return (number < 4 ? a >> (8 * number) : b >> (8 * (number - 4))) & 0xFF;
}

template <typename Choose>
Word chosen(Word a, Word b, Choose choose) {
  Word result = 0;
  for (Word i = 0; i < 4; ++i) {
    result |= byte_of(a, b, choose(i) & 7) << (8 * i);
  }
  return result;
}

} // namespace

GANTRY_KERNEL_CASE(handwritten_branch_table) {
  Random random(101);
  const auto values = Random::list<Word>(96, [&] { return random.below(5000); });
  std::vector<Word> expected;
  for (const Word value : values) {
    expected.push_back(branch_table(value));
  }
  Module module(driver, ptx_of("handwritten"));
  const DeviceBuffer buffer(driver, values);
  const DeviceBuffer<Word> results(driver, values.size());
  module.kernel("branch_table").launch({{1}, {96}}, buffer, results);
  Result result;
  result.add("results", results.download(), expected);
  return result;
}

GANTRY_KERNEL_CASE(handwritten_carries) {
  constexpr std::size_t kThreads = 64;
  using Widest = unsigned __int128;
  Random random(102);
  const auto make = [&] {
    return random.below(3) == 0 ? ~Wide{0} << random.below(64) : random.wide_bits();
  };
  const auto a = Random::list<Wide>(2 * kThreads, make);
  const auto b = Random::list<Wide>(2 * kThreads, make);
  std::vector<Wide> expected;
  for (std::size_t t = 0; t < kThreads; ++t) {
    const Widest x = Widest{a[2 * t + 1]} << 64 | a[2 * t];
    const Widest y = Widest{b[2 * t + 1]} << 64 | b[2 * t];
    for (const Widest value : {x + y, x - y, Widest{a[2 * t]} * b[2 * t]}) {
      expected.push_back(static_cast<Wide>(value));
      expected.push_back(static_cast<Wide>(value >> 64));
    }
  }
  Module module(driver, ptx_of("handwritten"));
  const DeviceBuffer buffer_a(driver, a);
  const DeviceBuffer buffer_b(driver, b);
  const DeviceBuffer<Wide> results(driver, expected.size());
  module.kernel("carries").launch({{1}, {kThreads}}, buffer_a, buffer_b, results);
  Result result;
  result.add("results", results.download(), expected);
  return result;
}

GANTRY_KERNEL_CASE(handwritten_barrier_votes) {
  Result result;
  Module module(driver, ptx_of("handwritten"));
  Kernel kernel = module.kernel("barrier_votes");
  // Of the first three warps all, none or some are above 50.
  for (const int offset : {60, -200, 0}) {
    Random random(static_cast<std::uint32_t>(103 + offset));
    const auto values =
        Random::list<int>(128, [&] { return static_cast<int>(random.below(100)) + offset; });
    Word count[2] = {0, 0};
    for (std::size_t t = 0; t < 128; ++t) {
      count[t / 96] += values[t] > 50 ? 1 : 0;
    }
    std::vector<Word> expected;
    for (std::size_t t = 0; t < 128; ++t) {
      const Word mine = count[t / 96];
      expected.insert(expected.end(),
                      {mine, mine == 0 ? 1U : 0U, mine != 0 ? 1U : 0U, count[0] + count[1]});
    }
    const DeviceBuffer buffer(driver, values);
    const DeviceBuffer<Word> results(driver, expected.size());
    kernel.launch({{1}, {128}}, buffer, results);
    result.add("offset_" + std::to_string(offset), results.download(), expected);
  }
  return result;
}

GANTRY_KERNEL_CASE(handwritten_packing) {
  Random random(104);
  const auto values = Random::list<Wide>(32, [&] { return random.wide_bits(); });
  std::vector<Word> expected;
  for (Word t = 0; t < 32; ++t) {
    const auto low = static_cast<Word>(values[t]);
    const auto high = static_cast<Word>(values[t] >> 32);
    const Word swapped = low >> 16 | low << 16;
    const Word n = t & 3;
    const auto modes = [&](auto choose) { return chosen(low, high, choose); };
    expected.insert(expected.end(),
                    {swapped, 0, swapped >> 16 | swapped << 16, high >> 16 | high << 16,
                     modes([&](Word i) { return n + i; }), modes([&](Word i) { return n - i; }),
                     modes([&](Word) { return n; }), modes([&](Word i) { return i > n ? i : n; }),
                     modes([&](Word i) { return i < n ? i : n; }),
                     modes([&](Word i) { return (n & 1) * 2 + (i & 1); }), high, 7});
  }
  Module module(driver, ptx_of("handwritten"));
  const DeviceBuffer buffer(driver, values);
  const DeviceBuffer<Word> results(driver, expected.size());
  module.kernel("packing").launch({{1}, {32}}, buffer, results);
  Result result;
  result.add("results", results.download(), expected);
  return result;
}

GANTRY_KERNEL_CASE(handwritten_binary_search) {
  Random random(105);
  auto values = Random::list<int>(100, [&] { return random.below(1000); });
  std::sort(values.begin(), values.end());
  auto keys = Random::list<int>(64, [&] { return random.below(1100); });
  // The second time every lane has the same key.
  Result result;
  Module module(driver, ptx_of("handwritten"));
  const DeviceBuffer buffer_values(driver, values);
  for (const char* const name : {"different_keys", "one_key"}) {
    std::vector<std::int64_t> expected;
    for (const int key : keys) {
      expected.push_back(std::lower_bound(values.begin(), values.end(), key) - values.begin());
    }
    const DeviceBuffer buffer_keys(driver, keys);
    const DeviceBuffer<std::int64_t> results(driver, keys.size());
    module.kernel("binary_search").launch({{1}, {64}}, buffer_values, 100U, buffer_keys, results);
    result.add(name, results.download(), expected);
    keys.assign(keys.size(), 500);
  }
  return result;
}

GANTRY_KERNEL_CASE(handwritten_symbols) {
  Module module(driver, ptx_of("handwritten"));
  const DeviceBuffer<Word> results(driver, 8);
  module.kernel("symbols").launch({{1}, {1}}, results);
  Result result;
  result.add("results", results.download(), std::vector<Word>{10, 40, 20, 30, 20, 't', 'g', 0});
  return result;
}

GANTRY_KERNEL_CASE(handwritten_wrapping_addresses) {
  constexpr Word kThreads = 32;
  const auto word_of = [](Word thread) { return thread < kThreads ? thread * 3 + 7 : 0; };
  std::vector<Word> expected;
  for (Word thread = 0; thread < kThreads; ++thread) {
    // Nobody has written the word behind the last thread's.
    expected.insert(expected.end(),
                    {word_of(5), word_of(thread + 1), word_of(thread ^ 31), thread});
  }
  Module module(driver, ptx_of("handwritten"));
  const DeviceBuffer<Word> results(driver, expected.size());
  module.kernel("wrapping_addresses").launch({{1}, {kThreads}}, results);
  std::vector<Word> actual = results.download();
  actual[(kThreads - 1) * 4 + 1] = 0;
  Result result;
  result.add("results", actual, expected);
  return result;
}

GANTRY_KERNEL_CASE(handwritten_listed_calls) {
  constexpr Word kThreads = 48;
  std::vector<Word> expected;
  for (Word thread = 0; thread < kThreads; ++thread) {
    expected.insert(expected.end(), {thread % 2 == 0 ? thread + 1 : thread * 3, thread + 1});
  }
  Module module(driver, ptx_of("handwritten"));
  const DeviceBuffer<Word> results(driver, expected.size());
  module.kernel("listed_calls").launch({{1}, {kThreads}}, results);
  Result result;
  result.add("results", results.download(), expected);
  return result;
}

GANTRY_KERNEL_CASE(handwritten_structure_by_value) {
  constexpr Word kThreads = 40;
  std::vector<Word> expected;
  for (Word thread = 0; thread < kThreads; ++thread) {
    const std::array<Word, 4> words = {10, 20, thread, 40};
    expected.push_back(words[thread % 4] + 100);
  }
  Module module(driver, ptx_of("handwritten"));
  const DeviceBuffer<Word> results(driver, expected.size());
  module.kernel("structure_by_value").launch({{1}, {kThreads}}, results);
  Result result;
  result.add("results", results.download(), expected);
  return result;
}

GANTRY_KERNEL_CASE(handwritten_subscripts) {
  constexpr Word kThreads = 40;
  std::vector<Word> expected;
  for (Word thread = 0; thread < kThreads; ++thread) {
    expected.push_back(30 + thread + 5);
  }
  Module module(driver, ptx_of("handwritten"));
  const DeviceBuffer<Word> results(driver, expected.size());
  module.kernel("subscripts").launch({{1}, {kThreads}}, results);
  Result result;
  result.add("results", results.download(), expected);
  return result;
}

} // namespace gantry::simt::testing
