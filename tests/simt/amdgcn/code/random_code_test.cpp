// Dwords at random as code: all that must come of them is an end or a report.
#include "random_code.h"

#include <gtest/gtest.h>
#include <random>
#include <span>

namespace gantry::simt::amdgcn {
namespace {

class RandomCode : public testing::TestWithParam<const char*> {};

TEST_P(RandomCode, EndsOrIsReported) {
  // The first bits of instructions, so that not half of all dwords are VOP2.
  static constexpr std::uint32_t kBeginnings[] = {0x80000000, 0xb0000000, 0xbe800000, 0xbf000000,
                                                  0xbf800000, 0xc0000000, 0xd0000000, 0xd3800000,
                                                  0xd8000000, 0xdc000000, 0xdc004000, 0xdc008000,
                                                  0xe0000000, 0x7c000000, 0x7e000000, 0x00000000};
  static constexpr std::uint32_t kBeginningsOfGfx11[] = {
      0x80000000, 0xb0000000, 0xbe800000, 0xbf000000, 0xbf800000, 0xf4000000,
      0xd4000000, 0xcc000000, 0xd8000000, 0xdc000000, 0xdc010000, 0xdc020000,
      0xc8000000, 0x7c000000, 0x7e000000, 0x00000000};
  static_assert(std::size(kBeginningsOfGfx11) == std::size(kBeginnings));
  static constexpr std::uint32_t kRests[] = {0x0fffffff, 0x0fffffff, 0x007fffff, 0x007fffff,
                                             0x007fffff, 0x03ffffff, 0x03ffffff, 0x007fffff,
                                             0x03ffffff, 0x03ff3fff, 0x03ff3fff, 0x03ff3fff,
                                             0x03ffffff, 0x01ffffff, 0x01ffffff, 0x7fffffff};
  Machine machine(*find_processor(GetParam()));
  const std::span beginnings =
      machine.processor().is_gfx11 ? std::span(kBeginningsOfGfx11) : std::span(kBeginnings);
  std::mt19937_64 random{7};
  for (unsigned round = 0; round < 30'000; ++round) {
    std::uint32_t words[24];
    for (std::uint32_t& word : words) {
      const std::uint64_t bits = random();
      const std::size_t kind = (bits >> 32) % (std::size(kBeginnings) + 4);
      word = kind < std::size(kBeginnings)
                 ? beginnings[kind] | (static_cast<std::uint32_t>(bits) & kRests[kind])
                 : static_cast<std::uint32_t>(bits);
    }
    run_code(machine, words, 300);
  }
}

INSTANTIATE_TEST_SUITE_P(All, RandomCode,
                         testing::Values("gfx906", "gfx900", "gfx803", "gfx90a", "gfx1100"));

} // namespace
} // namespace gantry::simt::amdgcn
