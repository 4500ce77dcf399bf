// Kernels of found.ptx.
#include "kernel_case.h"

namespace gantry::simt::testing {

namespace {

using Word = std::uint32_t;

Word nested_cycles(Word x, Word) {
  int fuel = 9;
  const auto back = [&](Word bit) { return --fuel > 0 && (x & bit) != 0; };
  enum class At { kA, kB, kC, kD, kE };
  At at = At::kA;
  for (;;) {
    switch (at) {
    case At::kA:
      at = (x & 4) != 0 ? At::kD : At::kB;
      break;
    case At::kB:
      at = (x & 2) != 0 ? At::kE : At::kC;
      break;
    case At::kC:
      x = x * 5 + 1;
      at = back(8) ? At::kC : back(16) ? At::kA : At::kE;
      break;
    case At::kD:
      x ^= static_cast<Word>(fuel);
      at = back(32) ? At::kC : At::kE;
      break;
    case At::kE:
      x += 3;
      if (back(64)) {
        at = At::kB;
      } else if (back(128)) {
        at = At::kC;
      } else {
        return x;
      }
      break;
    }
  }
}

Word next_pass(Word x, Word) {
  Word sum = 0;
  int fuel = 5;
  const auto goes_on = [&] { return --fuel > 0; };
  if ((x & 1) != 0) {
    do {
      sum += x;
    } while (goes_on());
  }
  for (;;) {
    ++sum;
    if (!goes_on() || x == 7) {
      return sum;
    }
    goes_on();
  }
}

/// What a kernel makes of each of some numbers: one block of 32 threads, a result each.
template <typename Function>
Result each_number(Driver& driver, const char* kernel, Function function, Word bound) {
  Random random(107);
  const auto values = Random::list<Word>(32, [&] { return random.below(bound); });
  std::vector<Word> expected;
  for (Word thread = 0; thread < values.size(); ++thread) {
    expected.push_back(function(values[thread], thread));
  }
  Module module(driver, ptx_of("found"));
  const DeviceBuffer buffer(driver, values);
  const DeviceBuffer results(driver, std::vector<Word>(values.size()));
  module.kernel(kernel).launch({{1}, {32}}, buffer, results);
  Result result;
  result.add("results", results.download(), expected);
  return result;
}

} // namespace

GANTRY_KERNEL_CASE(found_result_is_operand) {
  const auto function = [](Word x, Word) {
    const bool less = x < 500;
    const bool odd = (x & 1) != 0;
    return (less != odd ? 1U : 0U) + (less == odd ? 2U : 0U);
  };
  return each_number(driver, "result_is_operand", function, 1000);
}

GANTRY_KERNEL_CASE(found_nested_cycles) {
  return each_number(driver, "nested_cycles", nested_cycles, 100'000);
}

GANTRY_KERNEL_CASE(found_next_pass) {
  return each_number(driver, "next_pass", next_pass, 16);
}

GANTRY_KERNEL_CASE(found_atomic_sums) {
  Module module(driver, ptx_of("found"));
  const DeviceBuffer results(driver, std::vector<Word>{0x3F80'0000, 1, 0x3F80'0000, 0xA5A5'3C00});
  module.kernel("atomic_sums").launch({{1}, {1}}, results);
  Result result;
  result.add("results", results.download(),
             std::vector<Word>{0x7FFF'FFFF, 0, 0x3F80'0000, 0xA5A5'7FFF});
  return result;
}

GANTRY_KERNEL_CASE(found_two_votes) {
  Random random(108);
  const auto values = Random::list<Word>(32, [&] { return random.below(16); });
  Word some = 0;
  Word all = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    const Word vote = (values[lane] >> 3 & 1) << lane;
    all |= vote;
    some |= (values[lane] & 1) != 0 ? vote : 0;
  }
  std::vector<Word> expected;
  for (const Word value : values) {
    expected.insert(expected.end(), {(value & 1) != 0 ? some : 0, all});
  }
  Module module(driver, ptx_of("found"));
  const DeviceBuffer buffer(driver, values);
  const DeviceBuffer<Word> results(driver, expected.size());
  module.kernel("two_votes").launch({{1}, {32}}, buffer, results);
  Result result;
  result.add("results", results.download(), expected);
  return result;
}

GANTRY_KERNEL_CASE(found_match_beside_exited) {
  std::vector<Word> expected(std::size_t{4} * 32);
  for (std::size_t lane = 0; lane < 16; ++lane) {
    expected[4 * lane] = 0xFFFF;
    expected[4 * lane + 1] = 1;
    expected[4 * lane + 3] = 0x5555U << (lane & 1);
  }
  Module module(driver, ptx_of("found"));
  const DeviceBuffer results(driver, std::vector<Word>(expected.size()));
  module.kernel("match_beside_exited").launch({{1}, {32}}, results);
  Result result;
  result.add("results", results.download(), expected);
  return result;
}

GANTRY_KERNEL_CASE(found_small_sums) {
  // Subnormal numbers add up as their bits do.
  std::vector<Word> sums;
  std::vector<Word> expected;
  const Word addend = 0x0010'0003;
  for (Word lane = 0; lane < 32; ++lane) {
    sums.push_back(lane << 16 | (lane + 1));
    expected.push_back(sums.back() + addend);
  }
  Module module(driver, ptx_of("found"));
  const DeviceBuffer buffer(driver, sums);
  module.kernel("small_sums").launch({{1}, {32}}, buffer, addend);
  Result result;
  result.add("sums", buffer.download(), expected);
  return result;
}

GANTRY_KERNEL_CASE(found_one_sign) {
  const auto function = [](Word x, Word lane) {
    return lane == 14 ? (x & 0x8000'0000) | ((0 - lane) & 0x7FFF'FFFF) : x;
  };
  return each_number(driver, "one_sign", function, 1'000'000);
}

} // namespace gantry::simt::testing
