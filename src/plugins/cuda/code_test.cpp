// What PTX and fat binaries say they are for, and which devices run that.
#include "plugins/cuda/code.h"

#include <cstring>
#include <string>
#include <vector>

#include <gantry/cuda_fat_binary.h>
#include <gtest/gtest.h>

namespace gantry::cuda {
namespace {

TEST(PtxTarget, IsWhatTheDirectivesSay) {
  const std::string text =
      "//\n// Generated\n//\n\n.version 7.8\n.target sm_90\n.address_size 64\n";
  EXPECT_EQ(ptx_target(text).architecture, 90);
  EXPECT_EQ(ptx_target(text).variant, '\0');
  EXPECT_EQ(ptx_version(text), "7.8");
  EXPECT_EQ(ptx_target(".version 8.0\n.target sm_90a, debug\n").variant, 'a');
  EXPECT_EQ(ptx_target(".version 8.8\n.target sm_120f\n").architecture, 120);
  EXPECT_EQ(ptx_target(".version 8.8\n.target sm_120f\n").variant, 'f');
}

TEST(PtxTarget, WhatIsNoPtxHasNone) {
  for (const char* text : {"", ".version", ".version 7.8", ".target sm_90", "\177ELF",
                           "a.version 7.8\n.target sm_90\n", ".version 7.8\n.target sm_",
                           ".version 7.8\n.target sm_a\n", "// .version 7.8 .target sm_90"}) {
    EXPECT_EQ(ptx_target(text).architecture, 0) << text;
  }
}

TEST(CodeTarget, RunsOnItsArchitectureAndNewerOnes) {
  EXPECT_TRUE(runs_on({80, '\0'}, 80));
  EXPECT_TRUE(runs_on({80, '\0'}, 120));
  EXPECT_FALSE(runs_on({90, '\0'}, 89));
  EXPECT_TRUE(runs_on({90, 'a'}, 90));
  EXPECT_FALSE(runs_on({90, 'a'}, 100));
  EXPECT_TRUE(runs_on({100, 'f'}, 103));
  EXPECT_FALSE(runs_on({100, 'f'}, 120));
  EXPECT_FALSE(runs_on({103, 'f'}, 100));
}

TEST(CodeTarget, MachineCodeRunsOnItsGeneration) {
  EXPECT_TRUE(runs_on({80, '\0', true}, 86));
  EXPECT_FALSE(runs_on({86, '\0', true}, 80));
  EXPECT_FALSE(runs_on({80, '\0', true}, 90));
}

std::string fat_binary(const std::vector<gantry_fat_binary_entry>& entries) {
  std::string bytes(sizeof(gantry_fat_binary), '\0');
  for (const gantry_fat_binary_entry& entry : entries) {
    bytes.append(reinterpret_cast<const char*>(&entry), sizeof entry);
    bytes.append(entry.header_bytes - sizeof entry + entry.bytes, 'x');
  }
  const gantry_fat_binary header = {GANTRY_FAT_BINARY_MAGIC, 1, sizeof header,
                                    bytes.size() - sizeof header};
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}

gantry_fat_binary_entry entry_of(gantry_fat_binary_kind kind, std::uint32_t capability,
                                 std::uint64_t bytes) {
  gantry_fat_binary_entry entry = {};
  entry.kind = static_cast<std::uint16_t>(kind);
  entry.header_bytes = sizeof entry + 16;
  entry.bytes = bytes;
  entry.capability = capability;
  return entry;
}

TEST(FatBinary, HasTheTargetsOfItsEntries) {
  const std::string image = fat_binary(
      {entry_of(GANTRY_FAT_BINARY_ELF, 80, 100), entry_of(GANTRY_FAT_BINARY_PTX, 80, 7)});
  ASSERT_EQ(targets_of(image).size(), 2u);
  EXPECT_TRUE(targets_of(image)[0].machine_code);
  EXPECT_EQ(rank_of(image, 75), 0u);
  EXPECT_EQ(rank_of(image, 86), 160u);
  EXPECT_EQ(rank_of(image, 90), 160u) << "by the PTX";
  EXPECT_EQ(rank_of(fat_binary({entry_of(GANTRY_FAT_BINARY_ELF, 80, 100)}), 90), 0u);
}

TEST(FatBinary, HasTheVariantsOfItsPtx) {
  std::string image = fat_binary({entry_of(GANTRY_FAT_BINARY_PTX, 100, 40)});
  constexpr std::string_view kText = ".version 8.8\n.target sm_100a\n        \n\n\n\n";
  image.replace(image.size() - 40, kText.size(), kText);
  EXPECT_NE(rank_of(image, 100), 0u);
  EXPECT_EQ(rank_of(image, 103), 0u);
}

TEST(FatBinary, OneThatIsCutShortHasNone) {
  const std::string whole = fat_binary(
      {entry_of(GANTRY_FAT_BINARY_ELF, 80, 100), entry_of(GANTRY_FAT_BINARY_PTX, 80, 7)});
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_TRUE(targets_of(std::string_view(whole).substr(0, size)).empty()) << size;
  }
  gantry_fat_binary_entry wrong = entry_of(GANTRY_FAT_BINARY_ELF, 80, 100);
  wrong.header_bytes = 0;
  std::string damaged = whole;
  std::memcpy(damaged.data() + sizeof(gantry_fat_binary), &wrong, sizeof wrong);
  EXPECT_TRUE(targets_of(damaged).empty());
  wrong = entry_of(GANTRY_FAT_BINARY_ELF, 80, ~std::uint64_t{0} - 8);
  std::memcpy(damaged.data() + sizeof(gantry_fat_binary), &wrong, sizeof wrong);
  EXPECT_TRUE(targets_of(damaged).empty());
}

} // namespace
} // namespace gantry::cuda
