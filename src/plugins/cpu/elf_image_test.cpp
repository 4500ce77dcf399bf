// Looking into images: real ones, and the same ones cut short and damaged.
#include "plugins/cpu/elf_image.h"

#include "plugins/cpu/testing/test_image.h"

#include <algorithm>
#include <cstring>

#include <gtest/gtest.h>

namespace gantry::cpu {
namespace {

using Buffer = std::vector<std::byte>;

constexpr const char* kNames[] = {"add",    "nothing", "table", "__gantry_device_number",
                                  "absent", ""};

/// Everything the plugin does with an image, with a look at all that it is given.
void exercise(std::span<const std::byte> bytes) {
  const auto image = ElfImage::open(bytes);
  if (!image) {
    return;
  }
  for (const char* name : kNames) {
    const Elf64_Sym* symbol = image->find(name);
    if (symbol == nullptr) {
      continue;
    }
    const auto begin = reinterpret_cast<std::uintptr_t>(symbol);
    const auto first = reinterpret_cast<std::uintptr_t>(bytes.data());
    ASSERT_TRUE(begin >= first && begin + sizeof *symbol <= first + bytes.size());
    if (const auto offset = image->file_offset(symbol->st_value, 4)) {
      ASSERT_LE(*offset + 4, bytes.size());
    }
  }
  image->for_each_import([&](const ElfImage::Import& import) {
    ASSERT_TRUE(image->covers(import.address) && image->covers(import.address + 7));
    ASSERT_LE(import.name.size(), bytes.size());
  });
}

class Images : public ::testing::TestWithParam<const char*> {
protected:
  Buffer bytes = cpu::testing::test_image(GetParam());
};

TEST_P(Images, SymbolsAreFound) {
  ASSERT_TRUE(is_host_shared_object(bytes));
  const auto image = ElfImage::open(bytes);
  ASSERT_TRUE(image);
  const Elf64_Sym* function = image->find("add");
  ASSERT_NE(function, nullptr);
  EXPECT_EQ(ELF64_ST_TYPE(function->st_info), STT_FUNC);
  const Elf64_Sym* variable = image->find("table");
  ASSERT_NE(variable, nullptr);
  EXPECT_EQ(variable->st_size, 32u);
  const auto offset = image->file_offset(variable->st_value, 32);
  ASSERT_TRUE(offset);
  long third = 0;
  std::memcpy(&third, bytes.data() + *offset + 16, sizeof third);
  EXPECT_EQ(third, 3);
}

TEST_P(Images, OtherNamesAreNot) {
  const auto image = ElfImage::open(bytes);
  ASSERT_TRUE(image);
  const std::string long_name(1 << 20, 'x');
  for (const char* name : {"absent", "", "ad", "addd", "count_load", long_name.c_str()}) {
    EXPECT_EQ(image->find(name), nullptr) << name;
  }
}

TEST_P(Images, ImportsAreFound) {
  const auto image = ElfImage::open(bytes);
  ASSERT_TRUE(image);
  EXPECT_TRUE(image->imports("getchar"));
  EXPECT_TRUE(image->imports("exit"));
  for (const char* name : {"add", "", "getcha", "getcharr", "absent"}) {
    EXPECT_FALSE(image->imports(name)) << name;
  }
}

TEST_P(Images, OffsetsAreOfBytesInTheFile) {
  const auto image = ElfImage::open(bytes);
  ASSERT_TRUE(image);
  EXPECT_EQ(image->file_offset(0, 4), 0u);
  EXPECT_FALSE(image->file_offset(~0ull, 1));
  EXPECT_FALSE(image->file_offset(~0ull - 2, 8));
  EXPECT_FALSE(image->file_offset(0, bytes.size() * 2));
  EXPECT_FALSE(image->file_offset(1ull << 40, 1));
}

TEST_P(Images, CutShortAreNoImages) {
  for (std::size_t size = 0; size < bytes.size(); size += 1 + size / 64) {
    // Exactly as long as it says, so that reading on is seen.
    Buffer cut(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
    cut.shrink_to_fit();
    exercise(cut);
  }
  EXPECT_FALSE(is_host_shared_object({}));
  EXPECT_FALSE(is_host_shared_object(std::span(bytes).first(63)));
}

TEST_P(Images, DamagedDoNoHarm) {
  const std::size_t interesting = std::min<std::size_t>(bytes.size(), 8192);
  for (std::size_t index = 0; index < interesting; ++index) {
    const std::byte original = bytes[index];
    for (const std::byte value : {original ^ std::byte{1}, original ^ std::byte{0x10},
                                  original ^ std::byte{0x80}, std::byte{0xff}, std::byte{0}}) {
      bytes[index] = value;
      exercise(bytes);
    }
    bytes[index] = original;
  }
}

TEST_P(Images, DamagedWordsDoNoHarm) {
  constexpr std::uint64_t kValues[] = {0,          1,         0x7fffffff, 0xffffffff, ~0ull,
                                       ~0ull >> 1, ~0ull - 7, 1ull << 40, 0x1000,     8};
  for (std::size_t index = 0; index + 8 <= std::min<std::size_t>(bytes.size(), 8192); index += 8) {
    std::uint64_t original = 0;
    std::memcpy(&original, bytes.data() + index, 8);
    for (const std::uint64_t value : kValues) {
      std::memcpy(bytes.data() + index, &value, 8);
      exercise(bytes);
    }
    std::memcpy(bytes.data() + index, &original, 8);
  }
}

TEST_P(Images, OfOtherMachinesAreNotOurs) {
  const auto with = [&](std::size_t offset, unsigned char value) {
    Buffer changed = bytes;
    changed[offset] = std::byte{value};
    return is_host_shared_object(changed);
  };
  EXPECT_TRUE(with(EI_OSABI, ELFOSABI_GNU));
  EXPECT_FALSE(with(0, 'x'));
  EXPECT_FALSE(with(EI_CLASS, ELFCLASS32));
  EXPECT_FALSE(with(EI_DATA, ELFDATA2MSB));
  EXPECT_FALSE(with(16, ET_EXEC));
  EXPECT_FALSE(with(18, EM_RISCV));
}

INSTANTIATE_TEST_SUITE_P(Hash, Images, ::testing::Values("gnu", "sysv"),
                         [](const auto& kind) { return std::string(kind.param); });

} // namespace
} // namespace gantry::cpu
