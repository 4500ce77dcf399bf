#include "link/linker_script.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gantry::link {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(LinkerScriptTest, ReadsGlibcsLibc) {
  EXPECT_THAT(files_of_linker_script("/* GNU ld script\n*/\nOUTPUT_FORMAT(elf64-x86-64)\n"
                                     "GROUP ( /lib/libc.so.6 /usr/lib/libc_nonshared.a  "
                                     "AS_NEEDED ( /lib64/ld.so.2 ) )\n"),
              ElementsAre("/lib/libc.so.6", "/usr/lib/libc_nonshared.a", "/lib64/ld.so.2"));
}

TEST(LinkerScriptTest, ReadsInputWithLibrariesQuotesAndCommas) {
  EXPECT_THAT(files_of_linker_script("INPUT(-lfoo, \"a b.o\",c.o) INPUT(d.a)"),
              ElementsAre("-lfoo", "a b.o", "c.o", "d.a"));
}

TEST(LinkerScriptTest, AcceptsAnyText) {
  EXPECT_THAT(files_of_linker_script(""), IsEmpty());
  EXPECT_THAT(files_of_linker_script("GROUP"), IsEmpty());
  EXPECT_THAT(files_of_linker_script("GROUP ( a"), ElementsAre("a"));
  EXPECT_THAT(files_of_linker_script("/* INPUT(a)"), IsEmpty());
  EXPECT_THAT(files_of_linker_script("INPUT(\"a"), ElementsAre("a"));
  EXPECT_THAT(files_of_linker_script("{ global: x; local: *; };"), IsEmpty());
  EXPECT_THAT(files_of_linker_script("INPUT(\"\" a)"), ElementsAre("a"));
}

} // namespace
} // namespace gantry::link
