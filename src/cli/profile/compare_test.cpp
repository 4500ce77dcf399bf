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
  EXPECT_THAT(text, ::testing::ContainsRegex("4.1 kB +gone +x to device"));
  EXPECT_THAT(text, ::testing::ContainsRegex("gone +duplicate-copy app.cpp:3 'x'"));
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
}

} // namespace
} // namespace gantry::cli::profile
