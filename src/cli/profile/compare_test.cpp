#include "cli/profile/compare.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace gantry::cli::profile {
namespace {

using Json = nlohmann::ordered_json;
using ::testing::HasSubstr;
using ::testing::Not;

Json report(std::int64_t region, std::int64_t bytes, bool has_advice) {
  Json process{{"total_ns", 5'000'000},
               {"regions", {{{"construct", "target"}, {"position", "app.cpp:3"}, {"ns", region}}}},
               {"copies", {{{"variable", "x"}, {"to_device", true}, {"bytes", bytes}}}},
               {"advice", Json::array()}};
  if (has_advice) {
    process["advice"].push_back({{"id", "duplicate-copy"},
                                 {"position", "app.cpp:3"},
                                 {"variable", "x"},
                                 {"saves_ns", 1000}});
  }
  return {{"version", 1}, {"processes", Json::array({process})}};
}

TEST(Comparison, HasBothNumbersAndTheirRatio) {
  const std::string text =
      comparison(report(2'000'000, 4096, true), report(1'000'000, 0, false), false);
  EXPECT_THAT(text, HasSubstr("2 ms"));
  EXPECT_THAT(text, HasSubstr("0.50x  target app.cpp:3"));
  EXPECT_THAT(text, ::testing::ContainsRegex("4.1 kB +- +gone +x to device"));
  EXPECT_THAT(text, ::testing::ContainsRegex("- +gone +duplicate-copy app.cpp:3 'x'"));
}

TEST(Comparison, KnowsRowsWhoseLinesHaveMoved) {
  Json before = report(2'000'000, 4096, true);
  before["processes"][0]["regions"].push_back(
      {{"construct", "target"}, {"position", "app.cpp:11"}, {"ns", 500'000}});
  Json after = before;
  for (const char* const table : {"regions", "advice"}) {
    for (Json& row : after["processes"][0][table]) {
      const std::string position = row["position"];
      row["position"] = "app.cpp:" + std::to_string(std::stoi(position.substr(8)) + 9);
    }
  }
  std::swap(after["processes"][0]["regions"][0], after["processes"][0]["regions"][1]);
  const std::string text = comparison(before, after, false);
  EXPECT_THAT(text, HasSubstr("1.00x  target app.cpp:12"));
  EXPECT_THAT(text, HasSubstr("1.00x  target app.cpp:20"));
  EXPECT_THAT(text, HasSubstr("1.00x  duplicate-copy app.cpp:12"));
}

TEST(Comparison, HasTitlesWhereOneOfThemIsEmpty) {
  const std::string text =
      comparison(report(2'000'000, 0, false), report(2'000'000, 4096, true), false);
  EXPECT_THAT(text, HasSubstr("ADVICE before"));
  EXPECT_THAT(text, HasSubstr("COPIES before"));
}

TEST(Comparison, OfReportsWithoutTablesIsOfTheirTotals) {
  const Json bare{{"processes", Json::array({Json{{"total_ns", 7000}}})}};
  const std::string text = comparison(bare, bare, false);
  EXPECT_THAT(text, HasSubstr("1.00x  whole run"));
  EXPECT_THAT(text, Not(HasSubstr("REGIONS")));
}

TEST(Comparison, OfStrangeMembersIsOfWhatIsUnderstood) {
  const Json strange{{"processes", Json::array({Json{{"total_ns", "much"}, {"regions", 3}}})}};
  EXPECT_EQ(comparison(strange, strange, false), "Both reports are empty.\n");
  Json damaged = report(1, 1, true);
  damaged["processes"][0]["copies"][0]["to_device"] = "yes";
  damaged["processes"][0]["advice"].push_back(nullptr);
  EXPECT_THAT(comparison(damaged, damaged, false), HasSubstr("x from device"));
}

} // namespace
} // namespace gantry::cli::profile
