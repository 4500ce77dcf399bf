// That the executor reads of code what LLVM reads: of images that compilers made, and of dwords at
// random.
#include "compare_images.h"
#include "difference.h"
#include "disassembler.h"

#include "simt/amdgcn/code/encoding.h"

#include <gtest/gtest.h>
#include <random>
#include <span>

namespace gantry::simt::amdgcn {
namespace {

class Images : public testing::TestWithParam<const char*> {};

TEST_P(Images, AreReadAsLlvmReadsThem) {
  const ImageCode code = code_of_image(std::string(GANTRY_CORPUS "/") + GetParam());
  ASSERT_NE(code.processor, nullptr);
  const Comparison found = compare_code(*code.processor, code.words);
  EXPECT_GT(found.instructions, 0U);
  for (const std::string& text : found.differences) {
    ADD_FAILURE() << text;
  }
  for (const std::string& text : found.unknown) {
    ADD_FAILURE() << text;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Images,
                         testing::Values("gfx906_v3.hsaco", "gfx906_v4.hsaco", "gfx906_v5.hsaco",
                                         "gfx906_v6.hsaco", "gfx1100_v6.hsaco"));

class AnyDwords : public testing::TestWithParam<const char*> {};

TEST_P(AnyDwords, AreReadAsLlvmReadsThem) {
  static constexpr std::pair<std::uint32_t, std::uint32_t> kKinds[] = {
      {0x80000000, 0x3fffffff}, {0xb0000000, 0x0fffffff}, {0xbe800000, 0x007fffff},
      {0xbf000000, 0x007fffff}, {0xbf800000, 0x007fffff}, {0xc0000000, 0x03ffffff},
      {0xd0000000, 0x03ff87ff}, {0xd3800000, 0x007fffff}, {0xd8000000, 0x03feffff},
      {0xdc000000, 0x03fd0fff}, {0xdc004000, 0x03fd1fff}, {0xdc008000, 0x03fd1fff},
      {0xe0000000, 0x03fcdfff}, {0x7c000000, 0x01ffffff}, {0x7e000000, 0x01ffffff},
      {0x00000000, 0x7fffffff}};
  static constexpr std::pair<std::uint32_t, std::uint32_t> kKindsOfGfx11[] = {
      {0x80000000, 0x3fffffff}, {0xb0000000, 0x0fffffff}, {0xbe800000, 0x007fffff},
      {0xbf000000, 0x007fffff}, {0xbf800000, 0x007fffff}, {0xf4000000, 0x03ffffff},
      {0xd4000000, 0x03ffffff}, {0xcc000000, 0x007fffff}, {0xd8000000, 0x03fdffff},
      {0xdc000000, 0x03fccfff}, {0xdc010000, 0x03fc5fff}, {0xdc020000, 0x03fc5fff},
      {0xc8000000, 0x03ffffff}, {0x7c000000, 0x01ffffff}, {0x7e000000, 0x01ffffff},
      {0x00000000, 0x7fffffff}};
  const Processor& processor = *find_processor(GetParam());
  const std::span kinds = processor.is_gfx11 ? std::span(kKindsOfGfx11) : std::span(kKinds);
  Disassembler disassembler(processor.name);
  std::mt19937_64 random{3};
  unsigned known = 0;
  unsigned refused = 0;
  unsigned shown = 0;
  for (unsigned round = 0; round < 150'000; ++round) {
    const auto& [base, rest] = kinds[round % kinds.size()];
    const std::uint64_t bits = random();
    std::uint32_t words[kLongestInstruction] = {base | (static_cast<std::uint32_t>(bits) & rest),
                                                static_cast<std::uint32_t>(bits >> 32),
                                                static_cast<std::uint32_t>(random())};
    if (processor.is_gfx8 && words[0] >> 26 == 0x37) {
      words[0] &= ~0x1fffU; // which has no offset
    }
    if (!processor.is_gfx11 && words[0] >> 31 == 0 && bits % 4 == 0) { // SDWA
      words[0] = (words[0] & ~0x1ffU) | 0xf9;
    }
    const auto read = read_instruction(processor, words);
    if (!read) {
      continue;
    }
    const Disassembler::Line line = disassembler.line(words);
    if (line.dwords == 0 || line.text.find("/*Invalid") != std::string::npos) {
      ++refused;
      continue;
    }
    ++known;
    std::string why = difference(print(processor, *read, words), line.text);
    if (why.empty() && line.dwords != read->size) {
      why = line.text + " has another size";
    }
    if (!why.empty() && ++shown < 20) {
      ADD_FAILURE() << std::hex << words[0] << " " << words[1] << std::dec << ": " << why;
    }
  }
  EXPECT_EQ(shown, 0U);
  EXPECT_GT(known, 15'000U);
  // Bits that must be zero are not asked for.
  EXPECT_LT(refused, known);
}

INSTANTIATE_TEST_SUITE_P(All, AnyDwords,
                         testing::Values("gfx906", "gfx900", "gfx803", "gfx90a", "gfx1100"));

} // namespace
} // namespace gantry::simt::amdgcn
