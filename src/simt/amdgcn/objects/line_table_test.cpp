#include "simt/amdgcn/objects/line_table.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gantry::simt::amdgcn {
namespace {

using testing::HasSubstr;

std::string file(const std::string& name) {
  std::ifstream stream(std::string(GANTRY_LINE_TABLES) + "/" + name, std::ios::binary);
  std::string contents{std::istreambuf_iterator(stream), {}};
  EXPECT_FALSE(contents.empty()) << name;
  return contents;
}

DebugSections sections_of(const std::string& bytes) {
  return copy_debug_sections(as_bytes(bytes));
}

/// "lines.c:12", "near lines.c:12", "none", or what is wrong.
std::string line_at(const DebugSections& sections, std::uint64_t address,
                    std::uint64_t function = 0) {
  const auto line = find_line(sections, address, function);
  if (!line) {
    return line.error().message;
  }
  return *line
             ? fmt::format("{}{}:{}", (*line)->is_near ? "near " : "", (*line)->file, (*line)->line)
             : "none";
}

constexpr std::uint64_t kF = 0x1300;
constexpr std::uint64_t kG = 0x1400;

class LineTables : public testing::TestWithParam<const char*> {};

TEST_P(LineTables, SayLinesOfInstructions) {
  const DebugSections sections = sections_of(file(GetParam()));
  EXPECT_EQ(line_at(sections, kF), "lines.c:10");
  EXPECT_EQ(line_at(sections, kF + 4), "lines.c:12");
  EXPECT_EQ(line_at(sections, kF + 8), "lines.c:12");
  EXPECT_EQ(line_at(sections, kF + 0x10), "other.h:7");
  EXPECT_EQ(line_at(sections, kF + 0x18), "lines.c:500");
  EXPECT_EQ(line_at(sections, kF + 0x1c), "lines.c:11");
  EXPECT_EQ(line_at(sections, kG + 4), "lines.c:30");
}

TEST_P(LineTables, SayTheLineBeforeCodeThatHasNone) {
  const DebugSections sections = sections_of(file(GetParam()));
  EXPECT_EQ(line_at(sections, kF + 0x14, kF), "near other.h:7");
  // A line before the function is another function's.
  EXPECT_EQ(line_at(sections, kG, kG), "none");
}

TEST_P(LineTables, SayNothingOfOtherAddresses) {
  const DebugSections sections = sections_of(file(GetParam()));
  for (const std::uint64_t address : {std::uint64_t{0}, kF - 1, kG + 8, ~std::uint64_t{0}}) {
    EXPECT_EQ(line_at(sections, address), "none") << address;
  }
}

TEST_P(LineTables, HaveLocalFunctions) {
  const DebugSections sections = sections_of(file(GetParam()));
  const auto found = find_function(sections, kG + 4);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->name, "g");
  EXPECT_EQ(found->address, kG);
  EXPECT_EQ(found->size, 8U);
  EXPECT_FALSE(find_function(sections, kG + 8));
}

TEST_P(LineTables, WithTheTableCutAtAnyByte) {
  const DebugSections whole = sections_of(file(GetParam()));
  for (std::size_t size = 1; size < whole.lines.size(); ++size) {
    DebugSections sections = whole;
    sections.lines.resize(size);
    sections.lines.shrink_to_fit();
    EXPECT_THAT(line_at(sections, kF), HasSubstr("beyond the section's end")) << size;
  }
}

TEST_P(LineTables, WithAnyByteChanged) {
  const std::string good = file(GetParam());
  for (std::size_t i = 0; i < good.size(); ++i) {
    for (const int change : {0x01, 0x7f, 0x80, 0xff}) {
      std::string bytes = good;
      bytes[i] = static_cast<char>(bytes[i] ^ change);
      const DebugSections sections = sections_of(bytes);
      (void)line_at(sections, kF + 4);
      (void)find_function(sections, kF + 4);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(LineTable, LineTables,
                         testing::Values("dwarf3.hsaco", "dwarf4.hsaco", "dwarf5.hsaco",
                                         "dwarf5_64.hsaco"));

TEST(DebugSections, AreEmptyWhereTheFileHasNone) {
  for (const std::string& bytes : {std::string(), std::string("no ELF file at all, but longer "
                                                              "than the header of one is: "
                                                              "sixty-four bytes and more")}) {
    const DebugSections sections = sections_of(bytes);
    EXPECT_TRUE(sections.lines.empty());
    EXPECT_EQ(line_at(sections, kF), "none");
    EXPECT_FALSE(find_function(sections, kF));
  }
}

/// Builds a table of version 4 with one file, "a.c", and a program.
class Table {
public:
  Table& byte(unsigned value) {
    program_.push_back(static_cast<std::byte>(value));
    return *this;
  }
  Table& bytes(std::initializer_list<unsigned> values) {
    for (const unsigned value : values) {
      byte(value);
    }
    return *this;
  }
  Table& address(std::uint64_t value) {
    bytes({0, 9, 2});
    for (unsigned i = 0; i < 8; ++i) {
      byte(static_cast<unsigned>(value >> (8 * i)) & 0xff);
    }
    return *this;
  }
  /// `instruction`: bytes, operations, statement, line_base, line_range, opcode_base and its 12
  /// counts.
  [[nodiscard]] DebugSections
  sections(const std::vector<unsigned>& instruction = {4, 1, 1, 0xfb, 14, 13, 0, 1, 1, 1, 1, 0, 0,
                                                       0, 1, 0, 0, 1},
           unsigned version = 4) const {
    std::vector<std::byte> header;
    for (const unsigned value : instruction) {
      header.push_back(static_cast<std::byte>(value));
    }
    for (const char c : {'\0', 'a', '.', 'c', '\0', '\0', '\0', '\0', '\0'}) {
      header.push_back(static_cast<std::byte>(c));
    }
    std::vector<std::byte> all;
    const auto number = [&](std::uint64_t value, unsigned size) {
      for (unsigned i = 0; i < size; ++i) {
        all.push_back(static_cast<std::byte>(value >> (8 * i)));
      }
    };
    number(2 + 4 + header.size() + program_.size(), 4);
    number(version, 2);
    number(header.size(), 4);
    all.insert(all.end(), header.begin(), header.end());
    all.insert(all.end(), program_.begin(), program_.end());
    DebugSections made;
    made.lines = std::move(all);
    return made;
  }

private:
  std::vector<std::byte> program_;
};

constexpr std::initializer_list<unsigned> kEnd = {0, 1, 1};

TEST(LineTable, RunsEveryOperation) {
  const DebugSections sections =
      Table()
          .address(0x1000)
          .bytes({3, 9, 1})             // line 10 at 0x1000
          .bytes({2, 0x81, 0x01, 1})    // 129 instructions on
          .bytes({9, 0x10, 0x20, 1})    // 0x2010 bytes on
          .bytes({8, 3, 0x7e, 1})       // (255 - 13) / 14 instructions on, line 8
          .bytes({5, 3, 6, 7, 10, 11})  // column, statement, block, prologue, epilogue
          .bytes({12, 0x80, 0x01})      // instruction set
          .bytes({0, 2, 4, 9})          // discriminator
          .bytes({0, 3, 0x80, 1, 2})    // somebody's own
          .bytes({13 + 14 + 5 + 2, 13}) // 1 instruction on, line 10; line 5
          .bytes({0, 7, 3, 'b', '.', 'h', 0, 0, 0, 4, 2})
          .bytes({13 + 14 + 5, 2, 1}) // 1 instruction on; the end 1 more
          .bytes(kEnd)
          .sections();
  EXPECT_EQ(line_at(sections, 0x1000), "a.c:10");
  EXPECT_EQ(line_at(sections, 0x3257), "a.c:10");
  EXPECT_EQ(line_at(sections, 0x3258), "a.c:8");
  EXPECT_EQ(line_at(sections, 0x325c), "a.c:5") << "the last row of an address counts";
  EXPECT_EQ(line_at(sections, 0x3263), "b.h:5");
  EXPECT_EQ(line_at(sections, 0x3264), "none");
}

TEST(LineTable, LeavesOutCodeThatTheLinkerHasLeftOut) {
  const DebugSections sections = Table()
                                     .address(0)
                                     .bytes({1, 2, 0x80, 0x20, 1})
                                     .bytes(kEnd)
                                     .address(0x1000)
                                     .bytes({3, 6, 1, 2, 1})
                                     .bytes(kEnd)
                                     .sections();
  EXPECT_EQ(line_at(sections, 0x1000), "a.c:7");
}

TEST(LineTable, SaysWhatIsWrong) {
  const Table good = Table().address(0x1000).bytes({1, 2, 4}).bytes(kEnd);
  const std::vector<unsigned> counts = {0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1};
  const auto with = [&](std::vector<unsigned> first) {
    first.insert(first.end(), counts.begin(), counts.end());
    return line_at(good.sections(first), 0x1000);
  };
  EXPECT_EQ(with({4, 1, 1, 0xfb, 14, 13}), "a.c:1");
  EXPECT_EQ(with({4, 2, 1, 0xfb, 14, 13}),
            "the line table at 0: an instruction has 2 operations; 1 is expected");
  EXPECT_THAT(with({4, 1, 1, 0xfb, 0, 13}), HasSubstr("its line_range is 0"));
  EXPECT_THAT(with({4, 1, 1, 0xfb, 14, 0}), HasSubstr("first special opcode 0"));
  EXPECT_THAT(with({4, 1, 1, 0xfb, 14, 255}), HasSubstr("header"));
  const std::vector<unsigned> usual = {4, 1, 1, 0xfb, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1};
  EXPECT_THAT(line_at(good.sections(usual, 2), 0x1000), HasSubstr("version 2; 3 to 5 are known"));
  EXPECT_THAT(line_at(good.sections(usual, 6), 0x1000), HasSubstr("version 6; 3 to 5 are known"));
  EXPECT_THAT(
      line_at(Table().address(0x1000).bytes({4, 9, 1, 2, 1}).bytes(kEnd).sections(), 0x1000),
      HasSubstr("a line is of file 9 of 2"));
  EXPECT_THAT(line_at(Table().bytes({0, 5, 2, 1, 2, 3, 4}).sections(), 0x1000),
              HasSubstr("an address has 4 bytes; 8 are expected"));
  EXPECT_THAT(line_at(Table().bytes({0, 0}).sections(), 0x1000), HasSubstr("beyond its end"));
  EXPECT_THAT(line_at(Table().bytes({2, 0x80}).sections(), 0x1000), HasSubstr("beyond its end"));
}

TEST(LineTable, OfVersion5SaysWhatIsWrongWithItsLists) {
  // Behind the opcodes' counts: folders and files, each with the number of attributes, the
  // attributes, the number of entries.
  const auto with = [](std::vector<unsigned> lists) {
    std::vector<unsigned> header = {4, 1, 1, 0xfb, 14, 1};
    header.insert(header.end(), lists.begin(), lists.end());
    std::vector<unsigned> all = {5, 0, 8, 0};
    const auto put = [&](std::size_t value) {
      for (unsigned i = 0; i < 4; ++i) {
        all.push_back(static_cast<unsigned>(value >> (8 * i)) & 0xff);
      }
    };
    put(header.size());
    all.insert(all.end(), header.begin(), header.end());
    DebugSections sections;
    for (unsigned i = 0; i < 4; ++i) {
      sections.lines.push_back(static_cast<std::byte>(all.size() >> (8 * i)));
    }
    for (const unsigned value : all) {
      sections.lines.push_back(static_cast<std::byte>(value));
    }
    return line_at(sections, 0x1000);
  };
  EXPECT_EQ(with({0, 0, 0, 0}), "none");
  EXPECT_EQ(with({1, 1, 8, 1, '/', 0, 2, 1, 8,  5,  0x1e, 1,  'a', 0,  1,
                  2, 3, 4, 5, 6,   7, 8, 9, 10, 11, 12,   13, 14,  15, 16}),
            "none");
  EXPECT_THAT(with({0, 0xff, 0xff, 0xff, 0xff, 0x0f}), HasSubstr("consist of nothing"));
  EXPECT_THAT(with({1, 1, 0x1f, 1, 4, 0, 0, 0, 0, 0}), HasSubstr("does not lie in its section"));
  EXPECT_THAT(with({1, 1, 0x99, 0x01, 1}), HasSubstr("form 0x99, which is not known"));
  EXPECT_THAT(with({1, 3, 0x09, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}),
              HasSubstr("beyond its end"));
}

TEST(LineTable, FindsALineBesideADamagedTable) {
  DebugSections sections = Table().sections({}, 7);
  const DebugSections good = Table().address(0x1000).bytes({1, 2, 1}).bytes(kEnd).sections();
  sections.lines.insert(sections.lines.end(), good.lines.begin(), good.lines.end());
  EXPECT_EQ(line_at(sections, 0x1000), "a.c:1");
  EXPECT_THAT(line_at(sections, 0x2000), HasSubstr("version 7"));
}

} // namespace
} // namespace gantry::simt::amdgcn
