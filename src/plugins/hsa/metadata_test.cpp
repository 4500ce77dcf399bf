// The note of code objects: what compilers write, and what is damaged.
#include "plugins/hsa/metadata.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#include <elf.h>
#include <gtest/gtest.h>

namespace gantry::hsa {
namespace {

/// A code object with nothing but a note, of a document in MessagePack.
std::string code_object(std::string_view document) {
  Elf64_Ehdr header = {};
  header.e_phoff = sizeof header;
  header.e_phnum = 1;
  const Elf64_Nhdr note = {
      .n_namesz = 7, .n_descsz = static_cast<Elf64_Word>(document.size()), .n_type = 32};
  Elf64_Phdr segment = {};
  segment.p_type = PT_NOTE;
  segment.p_offset = sizeof header + sizeof segment;
  segment.p_filesz = sizeof note + 8 + document.size();
  std::string bytes;
  const auto add = [&](const auto& value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  add(header);
  add(segment);
  add(note);
  bytes.append("AMDGPU\0\0", 8);
  bytes.append(document);
  return bytes;
}

Metadata read(std::string_view bytes) {
  return read_metadata(as_bytes(bytes));
}

/// {"amdhsa.kernels": [{".name": "k", ".wavefront_size": 64, ".vgpr_count": 300, ".args": [
///   {".offset": 8, ".size": 4, ".value_kind": "hidden_block_count_x"},
///   {".offset": 0, ".size": 8, ".value_kind": "global_buffer"}]}], "x": nil}
std::string document() {
  return std::string("\x82\xae"
                     "amdhsa.kernels\x91\x84\xa5.name\xa1k\xaf.wavefront_size\x40\xab.vgpr_count") +
         "\xcd\x01\x2c\xa5.args\x92\x83\xa7.offset\x08\xa5.size\x04\xab.value_kind\xb4"
         "hidden_block_count_x\x83\xa7.offset" +
         std::string(1, '\0') + "\xa5.size\x08\xab.value_kind\xad" + "global_buffer\xa1x\xc0";
}

TEST(Metadata, SaysWhatALaunchNeeds) {
  const Metadata metadata = read(code_object(document()));
  ASSERT_EQ(metadata.size(), 1U);
  const KernelMetadata& kernel = metadata.at("k");
  EXPECT_EQ(kernel.wave_size, 64U);
  EXPECT_EQ(kernel.vector_registers, 300U);
  EXPECT_EQ(kernel.max_block_size, 0U) << "is not said";
  ASSERT_EQ(kernel.hidden.size(), 1U);
  EXPECT_EQ(kernel.hidden[0].kind, HiddenArgument::kBlockCountX);
  EXPECT_EQ(kernel.hidden[0].offset, 8U);
  EXPECT_EQ(kernel.hidden[0].size, 4U);
}

TEST(Metadata, KindsOfArgumentsThatAreNone) {
  EXPECT_EQ(read(code_object(document())).at("k").unknown_argument, "");
  for (const std::string_view kind : {"hidden_block_count_x", "global_buffer"}) {
    std::string changed = document();
    changed[changed.find(kind)] = 'x';
    EXPECT_EQ(read(code_object(changed)).at("k").unknown_argument,
              "x" + std::string(kind.substr(1)));
  }
}

TEST(Metadata, WhatIsDamagedIsLeftOut) {
  for (std::size_t size = 0; size < document().size() - 3; ++size) {
    EXPECT_TRUE(read(code_object(document().substr(0, size))).empty()) << size;
  }
  const std::string whole = code_object(document());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    (void)read(whole.substr(0, size));
  }
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const char byte : {'\0', '\x7f', '\x80', '\xc9', '\xdb', '\xdd', '\xdf', '\xff'}) {
      std::string changed = whole;
      changed[at] = byte;
      (void)read(changed);
    }
  }
}

TEST(Metadata, ArraysThatSayTheyAreLargeEnd) {
  EXPECT_TRUE(read(code_object("\x81\xae"
                               "amdhsa.kernels\xdd\xff\xff\xff\xff"))
                  .empty());
  EXPECT_TRUE(read(code_object("\xdf\xff\xff\xff\xff\xa1x\xdd\xff\xff\xff\xff")).empty());
}

TEST(Metadata, OfCodeObjectsOfAllVersions) {
  for (const int version : {4, 5, 6}) {
    std::ifstream file(std::string(GANTRY_CORPUS "/gfx906_v") + std::to_string(version) + ".hsaco",
                       std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    const Metadata metadata = read(bytes);
    ASSERT_FALSE(metadata.empty()) << version;
    for (const auto& [name, kernel] : metadata) {
      EXPECT_EQ(kernel.wave_size, 64U) << version << name;
    }
  }
}

} // namespace
} // namespace gantry::hsa
