// What code objects say they are for, and which devices run that.
#include "plugins/hsa/code.h"

#include <cstring>
#include <vector>

#include <elf.h>
#include <gtest/gtest.h>

namespace gantry::hsa {
namespace {

/// The header of a code object.
std::vector<std::byte> code_object(std::uint32_t flags, unsigned char abi_version) {
  Elf64_Ehdr header = {};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_OSABI] = 64;
  header.e_ident[EI_ABIVERSION] = abi_version;
  header.e_type = ET_DYN;
  header.e_machine = 224;
  header.e_flags = flags;
  const auto* const bytes = reinterpret_cast<const std::byte*>(&header);
  return {bytes, bytes + sizeof header};
}

std::string text_of_code(std::uint32_t flags, unsigned char abi_version) {
  const auto processor = amd_processor_of(code_object(flags, abi_version));
  return processor ? text_of(*processor) : "none";
}

TEST(CodeObject, SaysWhatItIsFor) {
  EXPECT_EQ(text_of_code(0x52f, 4), "gfx906"); // either way
  EXPECT_EQ(text_of_code(0x62f, 2), "gfx906:xnack-");
  EXPECT_EQ(text_of_code(0xf3f, 3), "gfx90a:sramecc+:xnack+");
  EXPECT_EQ(text_of_code(0x041, 4), "gfx1100");
  EXPECT_EQ(text_of_code(0x02a, 1), "gfx803");
  EXPECT_EQ(text_of_code(0x12c, 1), "gfx900:xnack+");
  EXPECT_EQ(text_of_code(0x01000051, 4), "gfx9-generic");
  EXPECT_EQ(amd_processor_of(code_object(0x52f, 1))->version, 3U);
  EXPECT_EQ(amd_processor_of(code_object(0x52f, 4))->version, 6U);
}

TEST(CodeObject, WhatIsNotKnownIsNone) {
  EXPECT_EQ(text_of_code(0x52f, 0), "none") << "version 2";
  EXPECT_EQ(text_of_code(0x52f, 5), "none") << "a newer one";
  EXPECT_EQ(text_of_code(0x0ff, 4), "none") << "an unknown processor";
  const std::vector<std::byte> whole = code_object(0x52f, 4);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(amd_processor_of(Bytes(whole).first(size))) << size;
  }
  for (const std::size_t at : {0, 4, 5, 7, 16, 18}) {
    std::vector<std::byte> changed = whole;
    changed[at] ^= std::byte{1};
    EXPECT_FALSE(amd_processor_of(changed)) << at;
  }
}

TEST(CodeObject, RunsOnDevicesOfItsProcessor) {
  const auto rank = [](std::uint32_t flags, std::string_view device) {
    return rank_of(*amd_processor_of(code_object(flags, 4)), processor_of_device(device));
  };
  constexpr const char* kMi50 = "amdgcn-amd-amdhsa--gfx906:sramecc+:xnack-";
  constexpr const char* kNavi = "amdgcn-amd-amdhsa--gfx1100";
  EXPECT_GT(rank(0x52f, kMi50), 0U);
  EXPECT_EQ(rank(0x53f, kMi50), 0U) << "gfx90a";
  EXPECT_EQ(rank(0x52f, kNavi), 0U);
  EXPECT_GT(rank(0x041, kNavi), 0U);
  EXPECT_GT(rank(0x62f, kMi50), rank(0x52f, kMi50)) << "without xnack, as the device is";
  EXPECT_EQ(rank(0x72f, kMi50), 0U) << "with xnack";
  EXPECT_EQ(rank(0x92f, kMi50), 0U) << "without sramecc";
  EXPECT_GT(rank(0xe2f, kMi50), rank(0x62f, kMi50));
}

TEST(CodeObject, OfAFamilyRunsOnItsProcessors) {
  const auto rank = [](std::uint32_t flags, std::string_view device) {
    return rank_of(*amd_processor_of(code_object(flags, 4)), processor_of_device(device));
  };
  constexpr std::uint32_t kGfx9 = 0x01000551, kGfx11 = 0x01000054;
  EXPECT_GT(rank(kGfx9, "amdgcn-amd-amdhsa--gfx906:sramecc+:xnack-"), 0U);
  EXPECT_EQ(rank(kGfx9, "amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-"), 0U);
  EXPECT_LT(rank(kGfx9, "amdgcn-amd-amdhsa--gfx906:sramecc+:xnack-"),
            rank(0x52f, "amdgcn-amd-amdhsa--gfx906:sramecc+:xnack-"))
      << "its own code is better";
  EXPECT_GT(rank(kGfx11, "amdgcn-amd-amdhsa--gfx1151"), 0U);
  EXPECT_EQ(rank(kGfx11, "amdgcn-amd-amdhsa--gfx1200"), 0U);
}

} // namespace
} // namespace gantry::hsa
