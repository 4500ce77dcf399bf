#include "cli/profile/intervals.h"

#include <gmock/gmock.h>

namespace gantry::cli::profile {
namespace {

using Pairs = std::vector<std::pair<Time, Time>>;

Pairs pairs(const TimeSet& set) {
  Pairs result;
  for (const Interval& interval : set) {
    result.emplace_back(interval.begin, interval.end);
  }
  return result;
}

TEST(TimeSets, AreUnitedWhereTheyTouch) {
  EXPECT_EQ(pairs(united({{5, 7}, {1, 3}, {3, 4}, {2, 3}, {9, 9}})), (Pairs{{1, 4}, {5, 7}}));
  EXPECT_TRUE(united({}).empty());
}

TEST(TimeSets, HaveInCommonWhatBothHave) {
  EXPECT_EQ(pairs(common({{0, 10}, {20, 30}}, {{5, 22}, {25, 40}})),
            (Pairs{{5, 10}, {20, 22}, {25, 30}}));
  EXPECT_TRUE(common({{0, 5}}, {{5, 9}}).empty());
}

TEST(TimeSets, HaveALength) {
  EXPECT_EQ(length({{1, 4}, {6, 7}}), 4);
}

} // namespace
} // namespace gantry::cli::profile
