#include "link/symbol_resolution.h"

#include <gtest/gtest.h>

namespace gantry::link {
namespace {

constexpr Strength kWeak = Strength::kWeak;
constexpr Strength kCommon = Strength::kCommon;
constexpr Strength kStrong = Strength::kStrong;

/// Two inputs, added in this order.
class SymbolResolutionTest : public testing::Test {
protected:
  void add(const std::vector<Definition>& first, const std::vector<Definition>& second) {
    symbols_.add(first_, first);
    symbols_.add(second_, second);
  }

  /// Which input's definition of `name` prevails: 1, 2 or 0.
  [[nodiscard]] int prevailing(const std::string& name) const {
    const bool first = symbols_.prevails(first_, name);
    const bool second = symbols_.prevails(second_, name);
    EXPECT_FALSE(first && second);
    return first ? 1 : second ? 2 : 0;
  }

  DeviceInput first_{.origin = "first.o"};
  DeviceInput second_{.origin = "second.o"};
  SymbolResolution symbols_;
};

TEST_F(SymbolResolutionTest, StrongBeforeCommonBeforeWeak) {
  add({{.name = "a", .strength = kWeak},
       {.name = "b", .strength = kCommon, .common_size = 8},
       {.name = "c", .strength = kStrong},
       {.name = "d", .strength = kCommon, .common_size = 8},
       {.name = "e", .strength = kWeak}},
      {{.name = "a", .strength = kStrong},
       {.name = "b", .strength = kStrong},
       {.name = "c", .strength = kWeak},
       {.name = "d", .strength = kWeak},
       {.name = "e", .strength = kCommon, .common_size = 8}});
  EXPECT_EQ(prevailing("a"), 2);
  EXPECT_EQ(prevailing("b"), 2);
  EXPECT_EQ(prevailing("c"), 1);
  EXPECT_EQ(prevailing("d"), 1);
  EXPECT_EQ(prevailing("e"), 2);
  EXPECT_TRUE(symbols_.check_duplicates());
}

TEST_F(SymbolResolutionTest, FirstOfWeakLargerOfCommon) {
  add({{.name = "weak", .strength = kWeak},
       {.name = "common", .strength = kCommon, .common_size = 4},
       {.name = "same", .strength = kCommon, .common_size = 4}},
      {{.name = "weak", .strength = kWeak},
       {.name = "common", .strength = kCommon, .common_size = 8},
       {.name = "same", .strength = kCommon, .common_size = 4}});
  EXPECT_EQ(prevailing("weak"), 1);
  EXPECT_EQ(prevailing("common"), 2);
  EXPECT_EQ(prevailing("same"), 1);
}

TEST_F(SymbolResolutionTest, WholeComdatGroupsOfTheFirstInput) {
  add({{.name = "f", .strength = kStrong, .comdat = "f"}},
      {{.name = "f", .strength = kStrong, .comdat = "f"},
       {.name = "part of f", .strength = kStrong, .comdat = "f"}});
  EXPECT_EQ(prevailing("f"), 1);
  EXPECT_EQ(prevailing("part of f"), 0);
  EXPECT_TRUE(symbols_.check_duplicates());
}

TEST_F(SymbolResolutionTest, StrongDefinitionReplacesOneOfAComdatGroup) {
  add({{.name = "f", .strength = kWeak, .comdat = "f"}}, {{.name = "f", .strength = kStrong}});
  EXPECT_EQ(prevailing("f"), 2);
}

TEST_F(SymbolResolutionTest, TwoStrongDefinitionsAreAnError) {
  add({{.name = "_Z1fv"}, {.name = "g"}}, {{.name = "g"}, {.name = "_Z1fv"}});
  const Status status = symbols_.check_duplicates();
  ASSERT_FALSE(status);
  const std::string& message = status.error().message;
  EXPECT_NE(message.find("'first.o' and 'second.o' define 'f()' for the device"),
            std::string::npos);
  EXPECT_NE(message.find("\n'first.o' and 'second.o' define 'g' for the device"),
            std::string::npos);
}

} // namespace
} // namespace gantry::link
