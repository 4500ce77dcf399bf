#include "link/device_diagnostics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gantry::link {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

ObjectOrigins objects() {
  return {.files = {{.path = "/tmp/x/1-a.o", .origin = "a.o"},
                    {.path = "/tmp/x/11-a.o", .origin = "lib.a(b.o)"},
                    {.path = "/tmp/x/lto-0.o", .origin = ""}},
          .references = {{"_Z3foov", {"c.o"}}}};
}

std::string explain(std::string_view diagnostics) {
  return explain_link_failure(diagnostics, objects(), "/usr/bin/ld.lld").message;
}

TEST(DeviceDiagnosticsTest, UndefinedSymbolNamesItsUsers) {
  const std::string message = explain("ld.lld: error: undefined symbol: bar\n"
                                      ">>> referenced by a.cpp:3\n"
                                      ">>>               /tmp/x/1-a.o:(kernel)\n"
                                      ">>> referenced by b.cpp:4\n"
                                      ">>>               /tmp/x/11-a.o:(other)\n");
  EXPECT_THAT(message, AllOf(HasSubstr("device code in 'a.o' and 'lib.a(b.o)' uses 'bar'"),
                             Not(HasSubstr("/tmp/x")), Not(HasSubstr("\n"))));
}

TEST(DeviceDiagnosticsTest, SymbolUsedByBitcodeNamesTheBitcode) {
  EXPECT_THAT(explain("ld.lld: error: undefined protected symbol: foo()\n"
                      ">>> referenced by /tmp/x/lto-0.o:(kernel)\n"),
              HasSubstr("device code in 'c.o' uses 'foo()'"));
}

TEST(DeviceDiagnosticsTest, DuplicateSymbolNamesBoth) {
  EXPECT_THAT(explain("ld.lld: error: duplicate symbol: twice\n"
                      ">>> defined at a.cpp\n>>>            /tmp/x/1-a.o:(twice)\n"
                      ">>> defined at b.cpp\n>>>            /tmp/x/11-a.o:(.text+0x0)\n"),
              HasSubstr("'a.o' and 'lib.a(b.o)' define 'twice' for the device"));
}

TEST(DeviceDiagnosticsTest, AnythingElseIsPassedOnWithTheUsersNames) {
  EXPECT_EQ(explain("ld.lld: error: unknown argument '-q'\n"), "unknown argument '-q'");
  EXPECT_EQ(explain("/usr/bin/ld: /tmp/x/1-a.o: file not recognized\n"),
            "/usr/bin/ld: a.o: file not recognized");
  EXPECT_THAT(explain(""), HasSubstr("'/usr/bin/ld.lld' failed and said nothing"));
}

} // namespace
} // namespace gantry::link
