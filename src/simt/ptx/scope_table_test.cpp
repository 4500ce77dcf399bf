#include "simt/ptx/scope_table.h"

#include <gtest/gtest.h>

namespace gantry::simt::ptx {
namespace {

class ScopeTableTest : public testing::Test {
protected:
  ScopeTableTest() { scopes_.enter(); }

  bool declare(std::string_view name, std::uint32_t index) {
    return scopes_.declare(name, {ScopeTable::Kind::kRegister, index});
  }
  bool declare_range(std::string_view prefix, std::uint32_t count, std::uint32_t index) {
    return scopes_.declare_range(prefix, count, {ScopeTable::Kind::kRegister, index});
  }
  /// The index of the name, -1 if it is unknown.
  int find(std::string_view name) {
    const auto found = scopes_.find(name);
    return found ? static_cast<int>(found->index) : -1;
  }

  ScopeTable scopes_;
};

TEST_F(ScopeTableTest, InnerScopesHideOuterOnes) {
  EXPECT_TRUE(declare("x", 1));
  scopes_.enter();
  EXPECT_EQ(find("x"), 1);
  EXPECT_FALSE(scopes_.find_innermost("x"));
  EXPECT_TRUE(declare("x", 2));
  EXPECT_EQ(find("x"), 2);
  EXPECT_TRUE(scopes_.find_innermost("x"));
  EXPECT_FALSE(declare("x", 3));
  scopes_.leave();
  EXPECT_EQ(find("x"), 1);
}

TEST_F(ScopeTableTest, RangesContainNamesWithoutLeadingZeros) {
  EXPECT_TRUE(declare_range("%r", 12, 100));
  EXPECT_EQ(find("%r0"), 100);
  EXPECT_EQ(find("%r11"), 111);
  EXPECT_EQ(find("%r12"), -1);
  EXPECT_EQ(find("%r01"), -1);
  EXPECT_EQ(find("%r00"), -1);
  EXPECT_EQ(find("%r"), -1);
  EXPECT_EQ(find("%r99999999999999999999"), -1);
}

TEST_F(ScopeTableTest, PrefixesMayEndWithADigit) {
  EXPECT_TRUE(declare_range("%a1", 4, 10));
  EXPECT_TRUE(declare_range("%a", 3, 20));
  EXPECT_EQ(find("%a13"), 13);
  EXPECT_EQ(find("%a10"), 10);
  EXPECT_EQ(find("%a2"), 22);
  EXPECT_EQ(find("%a14"), -1);
}

TEST_F(ScopeTableTest, ARangeDoesNotHideWhatItDoesNotContain) {
  EXPECT_TRUE(declare_range("%r", 10, 100));
  scopes_.enter();
  EXPECT_TRUE(declare_range("%r", 3, 200));
  EXPECT_TRUE(declare("%r20", 300));
  EXPECT_EQ(find("%r2"), 202);
  EXPECT_EQ(find("%r3"), 103);
  EXPECT_EQ(find("%r20"), 300);
  scopes_.enter();
  EXPECT_TRUE(declare("%r1", 400));
  EXPECT_EQ(find("%r1"), 400);
  EXPECT_EQ(find("%r2"), 202);
  scopes_.leave();
  EXPECT_EQ(find("%r1"), 201);
  scopes_.leave();
  EXPECT_EQ(find("%r2"), 102);
  EXPECT_EQ(find("%r20"), -1);
}

TEST_F(ScopeTableTest, NamesAndRangesOfAScopeDoNotOverlap) {
  EXPECT_TRUE(declare("%r7", 1));
  EXPECT_FALSE(declare_range("%r", 8, 10));
  EXPECT_TRUE(declare("%q7", 2));
  EXPECT_TRUE(declare_range("%q", 7, 20));
  EXPECT_FALSE(declare("%q6", 3));
  EXPECT_TRUE(declare("%q8", 3));
  EXPECT_FALSE(declare_range("%q", 2, 30));
  scopes_.enter();
  EXPECT_TRUE(declare("%x5", 4));
  scopes_.leave();
  scopes_.enter();
  EXPECT_TRUE(declare_range("%x", 9, 40));
}

} // namespace
} // namespace gantry::simt::ptx
