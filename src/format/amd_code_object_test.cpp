#include "format/amd_code_object.h"

#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace gantry::format {
namespace {

std::string file(const std::string& name) {
  std::ifstream stream(std::string(GANTRY_CODE_OBJECTS) + "/" + name, std::ios::binary);
  std::string contents{std::istreambuf_iterator(stream), {}};
  EXPECT_FALSE(contents.empty()) << name;
  return contents;
}

TEST(AmdCodeObject, SaysWhatKernelsNeed) {
  for (const int version : {3, 4, 5, 6}) {
    const std::string bytes = file("gfx906_v" + std::to_string(version) + ".hsaco");
    const auto object = read_amd_code_object(as_bytes(bytes));
    ASSERT_TRUE(object && *object) << version;
    EXPECT_EQ((*object)->processor.name, "gfx906");
    EXPECT_EQ((*object)->processor.version, static_cast<unsigned>(version));
    ASSERT_EQ((*object)->kernels.size(), 2U);
    for (const AmdKernel& kernel : (*object)->kernels) {
      const bool is_first = kernel.name == "first";
      EXPECT_EQ(kernel.group_bytes, is_first ? 128U : 0U);
      EXPECT_EQ(kernel.private_bytes, is_first ? 16U : 0U);
      EXPECT_EQ(kernel.argument_bytes, is_first ? 24U : 0U);
      EXPECT_EQ(kernel.wave_size, 64U);
    }
  }
}

TEST(AmdCodeObject, OtherFilesAreNone) {
  for (const std::string& bytes : {std::string(), std::string("text"), std::string(200, '\0')}) {
    const auto object = read_amd_code_object(as_bytes(bytes));
    ASSERT_TRUE(object);
    EXPECT_FALSE(*object);
  }
}

TEST(AmdCodeObject, DamagedMetadataIsAnError) {
  std::string bytes = file("gfx906_v6.hsaco");
  const std::size_t at = bytes.find("amdhsa.kernels");
  ASSERT_NE(at, std::string::npos);
  bytes[at + std::strlen("amdhsa.kernels")] = '\xdd'; // an array of more elements than there are
  const auto object = read_amd_code_object(as_bytes(bytes));
  ASSERT_FALSE(object);
  EXPECT_EQ(object.error().message, "the code object's metadata is damaged");
}

TEST(AmdCodeObject, WithAnyByteChanged) {
  const std::string good = file("gfx906_v5.hsaco");
  for (std::size_t i = 0; i < good.size(); ++i) {
    for (const int change : {0x01, 0x80, 0xff}) {
      std::string bytes = good;
      bytes[i] = static_cast<char>(bytes[i] ^ change);
      (void)read_amd_code_object(as_bytes(bytes));
    }
  }
}

TEST(AmdCodeObject, IsReadUpToItsEnd) {
  const std::string whole = file("gfx906_v6.hsaco");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const std::vector<char> cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    (void)read_amd_code_object(as_bytes(std::string_view(cut.data(), cut.size())));
  }
}

} // namespace
} // namespace gantry::format
