#include "link/linker_script.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gantry::link {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> names_in(std::string_view text) {
  std::vector<std::string> names;
  for (const LinkerScript::File& file : read_linker_script(text).files) {
    names.push_back((file.as_needed ? "as needed: " : "") + file.name);
  }
  return names;
}

TEST(LinkerScriptTest, ReadsGlibcsLibc) {
  EXPECT_THAT(
      names_in("/* GNU ld script\n*/\nOUTPUT_FORMAT(elf64-x86-64)\n"
               "GROUP ( /lib/libc.so.6 /usr/lib/libc_nonshared.a  "
               "AS_NEEDED ( /lib64/ld.so.2 ) )\n"),
      ElementsAre("/lib/libc.so.6", "/usr/lib/libc_nonshared.a", "as needed: /lib64/ld.so.2"));
}

TEST(LinkerScriptTest, ReadsInputWithLibrariesQuotesAndCommas) {
  EXPECT_THAT(names_in("INPUT(-lfoo, \"a b.o\",c.o) INPUT(d.a)"),
              ElementsAre("-lfoo", "a b.o", "c.o", "d.a"));
}

TEST(LinkerScriptTest, ReadsWhatDecidesOverMembersOfArchives) {
  const LinkerScript script = read_linker_script("EXTERN(first second) SEARCH_DIR(\"=/lib\")\n"
                                                 "INCLUDE more.ld SECTIONS { .text : { *(a) } }");
  EXPECT_THAT(script.externals, ElementsAre("first", "second"));
  EXPECT_THAT(script.search_folders, ElementsAre("=/lib"));
  EXPECT_THAT(names_in("INCLUDE more.ld"), ElementsAre("more.ld"));
}

TEST(LinkerScriptTest, AcceptsAnyText) {
  EXPECT_THAT(names_in(""), IsEmpty());
  EXPECT_THAT(names_in("GROUP"), IsEmpty());
  EXPECT_THAT(names_in("GROUP ( a"), ElementsAre("a"));
  EXPECT_THAT(names_in("/* INPUT(a)"), IsEmpty());
  EXPECT_THAT(names_in("INPUT(\"a"), ElementsAre("a"));
  EXPECT_THAT(names_in("{ global: x; local: *; };"), IsEmpty());
  EXPECT_THAT(names_in("INPUT(\"\" a)"), ElementsAre("a"));
}

} // namespace
} // namespace gantry::link
