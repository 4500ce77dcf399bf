#include "runtime/core/programs/function_map.h"

#include <algorithm>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gantry::core {
namespace {

std::vector<std::pair<std::int64_t, std::int64_t>>
merged(const std::vector<std::vector<FunctionPair>>& programs) {
  std::vector<const std::vector<FunctionPair>*> lists;
  for (const auto& program : programs) {
    lists.push_back(&program);
  }
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs;
  for (const auto& [host, target] : merge_functions(lists)) {
    pairs.emplace_back(host, target);
  }
  return pairs;
}

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

TEST(FunctionMap, OfNoProgramsIsEmpty) {
  EXPECT_THAT(merged({}), IsEmpty());
  EXPECT_THAT(merged({{}, {}}), IsEmpty());
}

TEST(FunctionMap, IsSortedByHostAddress) {
  EXPECT_THAT(merged({{{30, 3}, {10, 1}}, {{20, 2}}}),
              ElementsAre(Pair(10, 1), Pair(20, 2), Pair(30, 3)));
}

TEST(FunctionMap, HasAHostAddressOnceAndTheFirstProgramServes) {
  EXPECT_THAT(merged({{{10, 1}, {20, 2}}, {{20, 22}, {10, 11}, {5, 55}}}),
              ElementsAre(Pair(5, 55), Pair(10, 1), Pair(20, 2)));
}

TEST(FunctionMap, OfTenThousandFunctions) {
  std::vector<FunctionPair> functions;
  for (std::int64_t i = 0; i < 10000; ++i) {
    functions.push_back({i * 16, i});
  }
  std::vector<FunctionPair> again = functions;
  std::mt19937 random(1); // NOLINT(bugprone-random-generator-seed): the same order every time
  std::ranges::shuffle(functions, random);
  const auto pairs = merged({functions, again});
  ASSERT_EQ(pairs.size(), 10000u);
  for (std::int64_t i = 0; i < 10000; ++i) {
    EXPECT_EQ(pairs[static_cast<std::size_t>(i)], std::pair(i * 16, i));
  }
}

} // namespace
} // namespace gantry::core
