// Loads into SGPRs.
#include "memory_model.h"
#include "names.h"

#include <cstring>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>

namespace gantry::simt::amdgcn {
namespace {

class ScalarLoads : public testing::TestWithParam<unsigned> {};

TEST_P(ScalarLoads, FillRegisters) {
  const unsigned dwords = GetParam();
  std::mt19937_64 random{1};
  for (const char* const processor : {"gfx906", "gfx803", "gfx90a", "gfx1100"}) {
    Machine machine(*find_processor(processor));
    Wave& wave = machine.wave();
    scramble(wave, random);
    fill(machine, random);
    const bool is_gfx8 = machine.processor().is_gfx8;
    const std::string name = dwords == 1 ? "s_load_dword" : fmt::format("s_load_dwordx{}", dwords);
    unsigned count = 0;
    for (const char* const operands :
         {"s[4:5], 0x0", "s[4:5], 0x44", "s[4:5], 0xffffc", "s[4:5], s6", "s[4:5], m0",
          "s[4:5], s6 offset:0x80", "s[4:5], -0x20", "vcc, 0x10", "s[20:21], 0x8"}) {
      const std::string line = fmt::format("{} {}, {}", name_on(machine.processor(), name),
                                           registers('s', 20, dwords), operands);
      const std::vector<Words> words = assemble(processor, {line});
      if (words[0].empty()) {
        continue;
      }
      ++count;
      machine.load(words[0]);
      const std::string_view text = operands;
      const std::size_t number = text.find("0x");
      std::int64_t offset = number == std::string_view::npos
                                ? 0
                                : std::stoll(std::string(text.substr(number + 2)), nullptr, 16);
      if (number != std::string_view::npos && text[number - 1] == '-') {
        offset = -offset;
      }
      const std::size_t place = 512 + 4 * (random() % 1000);
      const std::uint64_t address =
          reinterpret_cast<std::uint64_t>(machine.global().data()) + place;
      std::uint64_t base = address - static_cast<std::uint64_t>(offset);
      const auto with_register = static_cast<std::uint32_t>(random() % 4096 * 4);
      wave.s[6] = wave.s[scalar::kM0] = with_register;
      if (text.find("s6") != std::string_view::npos || text.find("m0") != std::string_view::npos) {
        base -= with_register;
      }
      const unsigned pair = text[0] == 'v' ? scalar::kVcc : text[2] == '4' ? 4 : 20;
      wave.set_pair(pair, base);
      auto expected = std::make_unique<Wave>(wave);
      ASSERT_EQ(machine.step(0), Next::kOn) << line << ": " << machine.report();
      std::memcpy(&expected->s[20], machine.global().data() + place, std::size_t{4} * dwords);
      EXPECT_EQ(std::memcmp(wave.s, expected->s, sizeof wave.s), 0) << processor << ": " << line;
      EXPECT_EQ(std::memcmp(wave.v, expected->v, sizeof wave.v), 0) << processor << ": " << line;
    }
    EXPECT_GE(count, is_gfx8 ? 6U : 8U) << processor;
  }
}

INSTANTIATE_TEST_SUITE_P(All, ScalarLoads, testing::Values(1, 2, 4, 8, 16));

} // namespace
} // namespace gantry::simt::amdgcn
