#include "simt/images/ptx_elf.h"

#include "simt/ptx/parser.h"

#include <cstring>
#include <elf.h>
#include <map>
#include <memory>
#include <string>

#include <gtest/gtest.h>

namespace gantry::simt::images {
namespace {

constexpr const char* kText = R"(.version 8.0
.target sm_80
.address_size 64
.visible .global .align 8 .u64 zeros[3];
.global .align 4 .u32 numbers[2] = {7, 0x01020304};
.weak .const .u16 small[2] = {9};
.global .u64 pointer = generic(zeros);
.extern .global .u32 elsewhere;
.visible .entry first() { ret; }
.func inner() { ret; }
.entry second() { call inner; ret; }
)";

class PtxElf : public testing::Test {
protected:
  std::string make(const std::vector<std::string>& texts, bool relocatable = false) {
    std::vector<std::unique_ptr<ptx::Module>> modules;
    std::vector<const ptx::Module*> pointers;
    for (const std::string& text : texts) {
      auto module = ptx::parse(text, "test");
      EXPECT_TRUE(module);
      pointers.push_back(modules.emplace_back(*std::move(module)).get());
    }
    const std::vector<std::byte> file = make_ptx_elf(pointers, 80, relocatable);
    return std::string(as_text(file));
  }
  static std::optional<std::vector<std::string_view>> texts(std::string_view file) {
    return texts_of_ptx_elf(as_bytes(file));
  }
};

TEST_F(PtxElf, HoldsItsTexts) {
  const std::string other = ".version 7.0\n.target sm_70\n.address_size 64\n.entry k() { ret; }\n";
  const std::string file = make({kText, other});
  EXPECT_TRUE(is_ptx_elf(as_bytes(file)));
  EXPECT_EQ(texts(file), (std::vector<std::string_view>{kText, other}));
  const auto measured = measured_ptx_elf(file.data());
  ASSERT_TRUE(measured);
  EXPECT_EQ(measured->size(), file.size());
}

TEST_F(PtxElf, HasTheSymbolsThatToolsLookFor) {
  const std::string file = make({kText});
  const auto header = *load<Elf64_Ehdr>(as_bytes(file), 0);
  EXPECT_EQ(header.e_machine, EM_CUDA);
  EXPECT_EQ(header.e_type, ET_EXEC);
  EXPECT_EQ(header.e_flags & 0xFF, 80U);
  EXPECT_EQ(load<Elf64_Ehdr>(as_bytes(make({kText}, true)), 0)->e_type, ET_REL);
  std::map<std::string, Elf64_Sym> symbols;
  std::vector<Elf64_Shdr> sections;
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    sections.push_back(*load<Elf64_Shdr>(as_bytes(file), header.e_shoff + i * sizeof(Elf64_Shdr)));
  }
  for (const Elf64_Shdr& section : sections) {
    for (std::uint64_t at = 0; section.sh_type == SHT_SYMTAB && at < section.sh_size;
         at += sizeof(Elf64_Sym)) {
      const auto symbol = *load<Elf64_Sym>(as_bytes(file), section.sh_offset + at);
      symbols[file.data() + sections[section.sh_link].sh_offset + symbol.st_name] = symbol;
    }
  }
  EXPECT_EQ(symbols.size(), 7U); // and the one without a name
  EXPECT_EQ(ELF64_ST_TYPE(symbols.at("first").st_info), STT_FUNC);
  EXPECT_EQ(ELF64_ST_TYPE(symbols.at("second").st_info), STT_FUNC);
  EXPECT_EQ(symbols.at("zeros").st_size, 24U);
  EXPECT_EQ(sections[symbols.at("zeros").st_shndx].sh_type, SHT_NOBITS);
  EXPECT_EQ(ELF64_ST_BIND(symbols.at("small").st_info), STB_WEAK);
  const auto content = [&](const Elf64_Sym& symbol) {
    return file.substr(sections[symbol.st_shndx].sh_offset + symbol.st_value, symbol.st_size);
  };
  EXPECT_EQ(content(symbols.at("numbers")), std::string("\7\0\0\0\4\3\2\1", 8));
  EXPECT_EQ(content(symbols.at("small")), std::string("\11\0\0\0", 4));
  EXPECT_EQ(content(symbols.at("pointer")), std::string(8, '\0'));
}

TEST_F(PtxElf, EveryDamageIsNoticedOrHarmless) {
  const std::string whole = make({kText});
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const std::string cut = whole.substr(0, length);
    EXPECT_FALSE(texts(cut)) << length;
  }
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const unsigned char bits : {0x01, 0x80, 0xFF}) {
      std::string changed = whole;
      changed[at] = static_cast<char>(static_cast<unsigned char>(changed[at]) ^ bits);
      (void)texts(changed);
      (void)measured_ptx_elf(changed.data());
    }
  }
  EXPECT_FALSE(is_ptx_elf(as_bytes(std::string_view("\x7F"
                                                    "ELF\2\1\1\63\7\0\0\0\0\0\0\0",
                                                    16))));
}

} // namespace
} // namespace gantry::simt::images
