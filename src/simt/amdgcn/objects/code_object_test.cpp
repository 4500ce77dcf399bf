#include "simt/amdgcn/objects/code_object.h"

#include "simt/amdgcn/objects/elf_amdgpu.h"

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gantry::simt::amdgcn {
namespace {

using testing::HasSubstr;

constexpr std::uint64_t kPlace = 0x7000'0000'0000;

std::string file(const std::string& name) {
  std::ifstream stream(std::string(GANTRY_CORPUS) + "/" + name, std::ios::binary);
  std::string contents{std::istreambuf_iterator(stream), {}};
  EXPECT_FALSE(contents.empty()) << name;
  return contents;
}

std::string error_of(const std::string& bytes) {
  const auto object = parse(as_bytes(bytes));
  return object ? "" : object.error().message;
}

template <typename T>
T get(const std::string& bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}
template <typename T>
void put(std::string& bytes, std::size_t offset, T value) {
  std::memcpy(bytes.data() + offset, &value, sizeof value);
}

/// Offset of the program header of that type; of several the one of that number.
std::size_t program_header(const std::string& bytes, std::uint32_t type, int number = 0) {
  const auto header = get<Elf64_Ehdr>(bytes, 0);
  for (std::size_t i = 0; i < header.e_phnum; ++i) {
    const std::size_t offset = header.e_phoff + i * sizeof(Elf64_Phdr);
    if (get<Elf64_Phdr>(bytes, offset).p_type == type && number-- == 0) {
      return offset;
    }
  }
  ADD_FAILURE() << "no program header " << type;
  return 0;
}

/// Offset of the entry of the dynamic section with that tag.
std::size_t dynamic_entry(const std::string& bytes, std::int64_t tag) {
  const auto section = get<Elf64_Phdr>(bytes, program_header(bytes, PT_DYNAMIC));
  for (std::size_t at = section.p_offset; at < section.p_offset + section.p_filesz;
       at += sizeof(Elf64_Dyn)) {
    if (get<Elf64_Dyn>(bytes, at).d_tag == tag) {
      return at;
    }
  }
  ADD_FAILURE() << "no dynamic tag " << tag;
  return 0;
}

const Symbol* symbol(const CodeObject& object, std::string_view name) {
  const auto found = std::ranges::find(object.symbols, name, &Symbol::name);
  return found == object.symbols.end() ? nullptr : &*found;
}

class Versions : public testing::TestWithParam<int> {};

TEST_P(Versions, AreParsedAndLoaded) {
  const std::string bytes = file("gfx906_v" + std::to_string(GetParam()) + ".hsaco");
  const auto object = parse(as_bytes(bytes));
  ASSERT_TRUE(object) << object.error().message;
  EXPECT_EQ(object->version, static_cast<unsigned>(GetParam()));
  EXPECT_TRUE(check_processor(*object, *find_processor("gfx906")));

  ASSERT_EQ(object->kernels.size(), 2u);
  for (const Kernel& kernel : object->kernels) {
    const bool is_first = object->symbols[kernel.symbol].name == "first.kd";
    EXPECT_EQ(kernel.descriptor.group_bytes, is_first ? 128u : 0u);
    EXPECT_EQ(kernel.descriptor.private_bytes, is_first ? 16u : 0u);
    EXPECT_EQ(kernel.descriptor.kernarg_bytes, 0u);
    EXPECT_EQ(kernel.metadata.kernarg_bytes, is_first ? 24u : 0u);
    EXPECT_EQ(kernel.metadata.wavefront_size, 64u);
  }
  ASSERT_NE(symbol(*object, "helper"), nullptr);
  EXPECT_EQ(symbol(*object, "helper")->kind, SymbolKind::kFunction);
  EXPECT_EQ(symbol(*object, "zeros")->kind, SymbolKind::kVariable);
  EXPECT_EQ(symbol(*object, "zeros")->size, 64u);

  std::vector<std::byte> memory(object->size, std::byte{0});
  const Status loaded = load_into(memory, *object, kPlace, nullptr);
  ASSERT_TRUE(loaded) << loaded.error().message;
  const std::uint64_t pointers = symbol(*object, "pointers")->address;
  const auto word = [&](std::uint64_t address) {
    std::uint64_t value = 0;
    std::memcpy(&value, memory.data() + (address - object->first), sizeof value);
    return value;
  };
  EXPECT_EQ(word(pointers), kPlace - object->first + pointers + 8);
  EXPECT_EQ(word(pointers + 8), kPlace - object->first + pointers + 16);
  EXPECT_EQ(word(pointers + 16), 5u);
  EXPECT_EQ(static_cast<std::uint32_t>(word(symbol(*object, "constant")->address)), 7u);
  EXPECT_EQ(word(symbol(*object, "zeros")->address), 0u);
}

INSTANTIATE_TEST_SUITE_P(CodeObject, Versions, testing::Values(3, 4, 5, 6));

TEST(CodeObject, IsForOneProcessor) {
  const std::string bytes = file("gfx1100_v6.hsaco");
  const auto object = parse(as_bytes(bytes));
  ASSERT_TRUE(object) << object.error().message;
  EXPECT_TRUE(check_processor(*object, *find_processor("gfx1100")));
  const Status other = check_processor(*object, *find_processor("gfx906"));
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().message, "the code object is for gfx1100, and the device is gfx906");
}

TEST(CodeObject, SettingsOfTheProcessorMustFit) {
  std::string bytes = file("gfx906_v6.hsaco");
  const auto check = [&](std::uint32_t flags) {
    put<std::uint32_t>(bytes, offsetof(Elf64_Ehdr, e_flags), flags | 0x2f);
    return check_processor(*parse(as_bytes(bytes)), *find_processor("gfx906"));
  };
  EXPECT_TRUE(check(0x500)) << "any";
  EXPECT_TRUE(check(0xa00)) << "off";
  EXPECT_TRUE(check(0x000)) << "not said";
  EXPECT_THAT(check(0x300).error().message, HasSubstr("xnack+"));
  EXPECT_THAT(check(0xc00).error().message, HasSubstr("sramecc+"));
  put<std::uint32_t>(bytes, offsetof(Elf64_Ehdr, e_flags), 0x77);
  EXPECT_THAT(check_processor(*parse(as_bytes(bytes)), *find_processor("gfx906")).error().message,
              HasSubstr("a processor of number 0x77"));
  // In version 3 the bits mean something else.
  bytes = file("gfx906_v3.hsaco");
  EXPECT_THAT(check(0x100).error().message, HasSubstr("xnack+"));
  EXPECT_THAT(check(0x200).error().message, HasSubstr("sramecc+"));
  EXPECT_TRUE(check(0));
}

TEST(CodeObject, HeadersSayWhatIsWrong) {
  const std::string good = file("gfx906_v6.hsaco");
  const auto with = [&](std::size_t offset, auto value) {
    std::string bytes = good;
    put(bytes, offset, value);
    return error_of(bytes);
  };
  EXPECT_EQ(error_of(""), "the 0 bytes are no ELF file");
  EXPECT_THAT(error_of(std::string(4000, 'x')), HasSubstr("are no ELF file"));
  EXPECT_THAT(with(offsetof(Elf64_Ehdr, e_machine), std::uint16_t{EM_X86_64}),
              HasSubstr("is for machine 62"));
  EXPECT_THAT(with(EI_OSABI, std::uint8_t{0}), HasSubstr("operating system 0"));
  EXPECT_THAT(with(EI_ABIVERSION, std::uint8_t{0}), HasSubstr("code object version 2"));
  EXPECT_THAT(with(EI_ABIVERSION, std::uint8_t{5}), HasSubstr("ABI version 5"));
  EXPECT_THAT(with(offsetof(Elf64_Ehdr, e_type), std::uint16_t{ET_REL}), HasSubstr("not linked"));
  EXPECT_THAT(with(offsetof(Elf64_Ehdr, e_phentsize), std::uint16_t{57}), HasSubstr("57"));
  EXPECT_THAT(with(offsetof(Elf64_Ehdr, e_phoff), ~std::uint64_t{0} - 100),
              HasSubstr("program headers"));
  EXPECT_THAT(with(offsetof(Elf64_Ehdr, e_phnum), std::uint16_t{0}), HasSubstr("nothing to load"));
}

TEST(CodeObject, SegmentsSayWhatIsWrong) {
  const std::string good = file("gfx906_v6.hsaco");
  const std::size_t text = program_header(good, PT_LOAD, 1);
  const auto with = [&](std::size_t offset, std::uint64_t value) {
    std::string bytes = good;
    put(bytes, text + offset, value);
    return error_of(bytes);
  };
  EXPECT_THAT(with(offsetof(Elf64_Phdr, p_offset), ~std::uint64_t{0}), HasSubstr("of the file"));
  EXPECT_THAT(with(offsetof(Elf64_Phdr, p_filesz), good.size() + 1), HasSubstr("of the file"));
  EXPECT_THAT(with(offsetof(Elf64_Phdr, p_memsz), 1), HasSubstr("more bytes in the file"));
  EXPECT_THAT(with(offsetof(Elf64_Phdr, p_memsz), ~std::uint64_t{0}), HasSubstr("does not end"));
  EXPECT_THAT(with(offsetof(Elf64_Phdr, p_vaddr), ~std::uint64_t{0}), HasSubstr("does not end"));
  EXPECT_THAT(with(offsetof(Elf64_Phdr, p_vaddr), 16), HasSubstr("overlaps"));
  EXPECT_THAT(with(offsetof(Elf64_Phdr, p_align), 3), HasSubstr("aligned to 3"));
  // Its kernels are where no code is then.
  std::string bytes = good;
  put<std::uint32_t>(bytes, text + offsetof(Elf64_Phdr, p_flags), PF_R);
  EXPECT_THAT(error_of(bytes), HasSubstr("where no code is"));
}

TEST(CodeObject, TheDynamicSectionSaysWhatIsWrong) {
  const std::string good = file("gfx906_v6.hsaco");
  const auto with = [&](std::int64_t tag, std::uint64_t value) {
    std::string bytes = good;
    put(bytes, dynamic_entry(good, tag) + offsetof(Elf64_Dyn, d_un), value);
    return error_of(bytes);
  };
  EXPECT_THAT(with(DT_HASH, 0), HasSubstr("DT_HASH"));
  EXPECT_THAT(with(DT_HASH, ~std::uint64_t{0}), HasSubstr("DT_HASH"));
  EXPECT_THAT(with(DT_SYMTAB, 1 << 30), HasSubstr("table of"));
  EXPECT_THAT(with(DT_SYMENT, 16), HasSubstr("16"));
  EXPECT_THAT(with(DT_STRSZ, 3), HasSubstr("symbol's name"));
  EXPECT_THAT(with(DT_RELASZ, 24'000), HasSubstr("24000 bytes of relocations"));
  EXPECT_THAT(with(DT_RELASZ, 47), HasSubstr("47 bytes of relocations"));
  EXPECT_THAT(with(DT_RELAENT, 23), HasSubstr("of 23 each"));
  const auto retagged = [&](std::int64_t from, std::int64_t to) {
    std::string bytes = good;
    put(bytes, dynamic_entry(good, from), to);
    return error_of(bytes);
  };
  EXPECT_THAT(retagged(DT_GNU_HASH, DT_NEEDED), HasSubstr("needs another one"));
  EXPECT_THAT(retagged(DT_GNU_HASH, DT_REL), HasSubstr("of a form"));
  EXPECT_THAT(retagged(DT_NULL, DT_DEBUG), HasSubstr("does not end"));
  std::string without = good;
  put<std::uint32_t>(without, program_header(good, PT_DYNAMIC), PT_NULL);
  EXPECT_EQ(error_of(without), "the code object has no dynamic section");
}

TEST(CodeObject, RelocationsSayWhatIsWrong) {
  const std::string good = file("gfx906_v6.hsaco");
  // Relocations lie in the first segment, whose addresses are offsets.
  const auto table = get<Elf64_Dyn>(good, dynamic_entry(good, DT_RELA)).d_un.d_val;
  const auto with = [&](std::size_t offset, std::uint64_t value) {
    std::string bytes = good;
    put(bytes, table + offset, value);
    const auto object = parse(as_bytes(bytes));
    if (!object) {
      return object.error().message;
    }
    std::vector<std::byte> memory(object->size, std::byte{0});
    const Status loaded = load_into(memory, *object, kPlace, nullptr);
    return loaded ? std::string() : loaded.error().message;
  };
  EXPECT_EQ(with(offsetof(Elf64_Rela, r_addend), 1), "");
  EXPECT_THAT(with(offsetof(Elf64_Rela, r_offset), 1 << 20), HasSubstr("does not lie in"));
  EXPECT_THAT(with(offsetof(Elf64_Rela, r_offset), ~std::uint64_t{0} - 3), HasSubstr("does not"));
  EXPECT_THAT(with(offsetof(Elf64_Rela, r_info), ELF64_R_INFO(0, 7)), HasSubstr("type 7"));
  EXPECT_THAT(with(offsetof(Elf64_Rela, r_info), ELF64_R_INFO(0, 14)), HasSubstr("type 14"));
  EXPECT_THAT(with(offsetof(Elf64_Rela, r_info), ELF64_R_INFO(1000, 3)),
              HasSubstr("names symbol 1000"));
}

TEST(CodeObject, EachTypeOfRelocationStoresItsValue) {
  const std::string good = file("gfx906_v6.hsaco");
  const auto table = get<Elf64_Dyn>(good, dynamic_entry(good, DT_RELA)).d_un.d_val;
  const auto original = parse(as_bytes(good));
  ASSERT_TRUE(original);
  const std::uint64_t place = symbol(*original, "zeros")->address;
  std::uint32_t target = 0;
  while (original->symbols[target].name != "constant") {
    ++target;
  }
  const std::uint64_t value = original->symbols[target].address + kPlace + 0x1'0000'0003;
  const std::uint64_t relative = value - (place + kPlace);
  for (const auto& [type, expected] : std::vector<std::pair<std::uint32_t, std::uint64_t>>{
           {RelocationType::kNone, 0},
           {RelocationType::kAbs32Low, value & 0xffffffff},
           {RelocationType::kAbs32High, value >> 32},
           {RelocationType::kAbs64, value},
           {RelocationType::kRel32, relative & 0xffffffff},
           {RelocationType::kRel64, relative},
           {RelocationType::kAbs32, value & 0xffffffff},
           {RelocationType::kRel32Low, relative & 0xffffffff},
           {RelocationType::kRel32High, relative >> 32},
           {RelocationType::kRelative64, kPlace + 0x1'0000'0003}}) {
    std::string bytes = good;
    put(bytes, table, Elf64_Rela{place, ELF64_R_INFO(std::uint64_t{target}, type), 0x1'0000'0003});
    const auto object = parse(as_bytes(bytes));
    ASSERT_TRUE(object) << object.error().message;
    std::vector<std::byte> memory(object->size, std::byte{0});
    ASSERT_TRUE(load_into(memory, *object, kPlace, nullptr)) << type;
    std::uint64_t stored = 0;
    std::memcpy(&stored, memory.data() + place, sizeof stored);
    EXPECT_EQ(stored, expected) << type;
  }
}

TEST(CodeObject, WhatItDoesNotDefineIsLookedUp) {
  const std::string bytes = file("undefined.hsaco");
  const auto object = parse(as_bytes(bytes));
  ASSERT_TRUE(object) << object.error().message;
  std::vector<std::byte> memory(object->size, std::byte{0});
  const Status alone = load_into(memory, *object, kPlace, nullptr);
  ASSERT_FALSE(alone);
  EXPECT_EQ(alone.error().message, "the code object uses elsewhere, which nothing defines");
  ASSERT_TRUE(load_into(memory, *object, kPlace, [](std::string_view name) {
    return name == "elsewhere" ? std::optional<std::uint64_t>(1000) : std::nullopt;
  }));
  std::uint64_t words[2] = {};
  std::memcpy(words, memory.data() + symbol(*object, "here")->address, sizeof words);
  EXPECT_EQ(words[0], 1004u);
  EXPECT_EQ(words[1], 0u) << "weak";
}

TEST(CodeObject, IsNotLoadedWhereItDoesNotFit) {
  const std::string bytes = file("gfx906_v6.hsaco");
  const auto object = parse(as_bytes(bytes));
  std::vector<std::byte> memory(object->size, std::byte{0});
  EXPECT_FALSE(load_into(std::span(memory).first(object->size - 1), *object, kPlace, nullptr));
  EXPECT_FALSE(load_into(memory, *object, kPlace + 8, nullptr));
}

/// What damage does is not said; that it does nothing worse than an error is.
void take_apart(const std::string& bytes) {
  // A copy of its own, so that the sanitizers see reads behind the end.
  const std::vector<char> copy(bytes.begin(), bytes.end());
  const auto object = parse(as_bytes(std::string_view(copy.data(), copy.size())));
  if (object && object->size < 1 << 20) {
    std::vector<std::byte> memory(object->size, std::byte{0});
    (void)load_into(memory, *object, kPlace, nullptr);
  }
}

TEST(CodeObject, TruncatedAtAnyByte) {
  const std::string bytes = file("gfx906_v5.hsaco");
  const auto header = get<Elf64_Ehdr>(bytes, 0);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    take_apart(bytes.substr(0, size));
    if (size < header.e_phoff + header.e_phnum * sizeof(Elf64_Phdr)) {
      EXPECT_NE(error_of(bytes.substr(0, size)), "") << size;
    }
  }
}

TEST(CodeObject, WithAnyByteChanged) {
  const std::string good = file("gfx906_v4.hsaco");
  for (std::size_t i = 0; i < good.size(); ++i) {
    for (const int change : {0x01, 0x80, 0xff}) {
      std::string bytes = good;
      bytes[i] = static_cast<char>(bytes[i] ^ change);
      take_apart(bytes);
    }
  }
}

} // namespace
} // namespace gantry::simt::amdgcn
