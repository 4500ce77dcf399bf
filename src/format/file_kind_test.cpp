#include "format/file_kind.h"

#include <cstring>
#include <gantry/cuda_fat_binary.h>
#include <gtest/gtest.h>
#include <vector>

namespace gantry::format {
namespace {

class FatBinary : public testing::Test {
protected:
  void add(std::uint16_t kind, std::uint32_t capability, std::uint64_t size) {
    gantry_fat_binary_entry entry{};
    entry.kind = kind;
    entry.header_bytes = sizeof entry;
    entry.bytes = size;
    entry.capability = capability;
    append(&entry, sizeof entry);
    entries_.resize(entries_.size() + size);
  }

  std::string described(std::size_t without = 0) {
    const gantry_fat_binary header{.magic = GANTRY_FAT_BINARY_MAGIC,
                                   .version = 1,
                                   .header_bytes = sizeof header,
                                   .bytes = entries_.size()};
    std::vector<std::byte> bytes(sizeof header);
    std::memcpy(bytes.data(), &header, sizeof header);
    bytes.insert(bytes.end(), entries_.begin(), entries_.end());
    bytes.resize(bytes.size() - without);
    return describe(bytes);
  }

private:
  void append(const void* data, std::size_t size) {
    const auto* begin = static_cast<const std::byte*>(data);
    entries_.insert(entries_.end(), begin, begin + size);
  }

  std::vector<std::byte> entries_;
};

TEST_F(FatBinary, SaysWhatItHolds) {
  EXPECT_EQ(described(), "fat binary:");
  add(GANTRY_FAT_BINARY_ELF, 80, 24);
  add(GANTRY_FAT_BINARY_PTX, 80, 8);
  add(16, 90, 8);
  EXPECT_EQ(described(), "fat binary: machine code sm_80, PTX sm_80, unknown sm_90");
}

TEST_F(FatBinary, MayBeCutOff) {
  add(GANTRY_FAT_BINARY_PTX, 70, 8);
  add(GANTRY_FAT_BINARY_ELF, 70, 8);
  EXPECT_EQ(described(1), "fat binary: PTX sm_70, cut off");
  EXPECT_EQ(described(8 + sizeof(gantry_fat_binary_entry)), "fat binary: PTX sm_70, cut off");
}

TEST_F(FatBinary, MayLieAboutSizes) {
  add(GANTRY_FAT_BINARY_PTX, 70, 8);
  gantry_fat_binary header{.magic = GANTRY_FAT_BINARY_MAGIC,
                           .version = 1,
                           .header_bytes = 0xFFFF,
                           .bytes = ~std::uint64_t{0}};
  std::vector<std::byte> bytes(sizeof header);
  std::memcpy(bytes.data(), &header, sizeof header);
  EXPECT_EQ(describe(bytes), "fat binary: cut off");
}

} // namespace
} // namespace gantry::format
