#include "simt/images/fat_binary.h"

#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

namespace gantry::simt::images {
namespace {

std::string file(const char* name) {
  std::ifstream stream(std::string(GANTRY_CORPUS "/") + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

tl::expected<std::vector<std::string>, std::string_view> texts(std::string_view container,
                                                               unsigned capability = 90) {
  return texts_of_fat_binary(as_bytes(container), capability);
}

TEST(FatBinary, NvccsCompressionsHoldTheSameText) {
  const auto plain = texts(file("plain.fatbin"));
  ASSERT_TRUE(plain);
  ASSERT_EQ(plain->size(), 1U);
  EXPECT_NE(plain->front().find(".visible .entry fill("), std::string::npos);
  for (const char* const name : {"lz4.fatbin", "zstd.fatbin"}) {
    const auto compressed = texts(file(name));
    ASSERT_TRUE(compressed) << name << ": " << compressed.error();
    EXPECT_EQ(*compressed, *plain) << name;
  }
}

TEST(FatBinary, EveryDamageIsNoticedOrHarmless) {
  for (const char* const name : {"plain.fatbin", "lz4.fatbin", "zstd.fatbin"}) {
    const std::string whole = file(name);
    for (std::size_t length = 0; length < whole.size(); ++length) {
      // A copy of its own, so that a sanitizer sees reads past its end.
      const std::string cut = whole.substr(0, length);
      EXPECT_FALSE(texts(cut)) << name << " " << length;
    }
    for (std::size_t at = 0; at < whole.size(); ++at) {
      for (const unsigned char bits : {0x01, 0x80, 0xFF}) {
        std::string changed = whole;
        changed[at] = static_cast<char>(static_cast<unsigned char>(changed[at]) ^ bits);
        (void)texts(changed);
      }
    }
  }
}

TEST(FatBinary, SaysWhatItHoldsInstead) {
  const std::string whole = file("zstd.fatbin");
  EXPECT_EQ(texts(whole, 70).error(),
            "its PTX is for a newer compute capability than the device's");
  std::string machine_code = whole;
  machine_code[16] = GANTRY_FAT_BINARY_ELF;
  EXPECT_EQ(texts(machine_code).error(),
            "it holds machine code only, and no PTX that could be executed");
  std::string both = whole;
  both[16 + 41] = static_cast<char>(0xA0); // both compressions at once
  EXPECT_EQ(texts(both).error(), "the fat binary is damaged");
  std::string promises = whole;
  std::memset(promises.data() + 16 + GANTRY_FAT_BINARY_ORIGINAL_BYTES, 0x7F, 8);
  EXPECT_EQ(texts(promises).error(), "its compressed PTX is too large");
}

} // namespace
} // namespace gantry::simt::images
