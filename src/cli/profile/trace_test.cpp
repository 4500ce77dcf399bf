// Traces as their format wants them: slices of a track nest, flows go from slice to slice forward
// in time.
#include "cli/profile/trace.h"

#include "cli/profile/testing/profile_builder.h"

#include <map>
#include <set>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace gantry::cli::profile {
namespace {

using Json = nlohmann::json;
using testing::ProfileBuilder;
using ::testing::SizeIs;

Json trace_of(std::vector<std::byte> bytes) {
  ProcessReport report;
  report.profile = read_profile(bytes).value();
  merge_equal(report.profile);
  std::string text;
  write_trace({report}, [&](std::string_view piece) { text += piece; });
  return Json::parse(text);
}

std::vector<Json> of_phase(const Json& trace, const char* phase) {
  std::vector<Json> events;
  for (const Json& event : trace["traceEvents"]) {
    if (event["ph"] == phase) {
      events.push_back(event);
    }
  }
  return events;
}

TEST(Trace, HasASliceForEachConstructCopyAndKernel) {
  const Json trace = trace_of(testing::sample_profile());
  const std::vector<Json> slices = of_phase(trace, "X");
  EXPECT_THAT(slices, SizeIs(3 * 4));
  EXPECT_EQ(slices[0]["name"], "app.cpp:31 target");
  EXPECT_EQ(slices[0]["ts"], 1.0) << "microseconds since the process began";
  EXPECT_EQ(slices[0]["dur"], 0.6);
  const auto copy = std::ranges::find_if(
      slices, [](const Json& slice) { return slice["name"] == "x[0:N] to device"; });
  ASSERT_NE(copy, slices.end());
  EXPECT_EQ((*copy)["args"]["bytes"], 4096);
  EXPECT_NE((*copy)["pid"], slices[0]["pid"]) << "of the device's process";
}

TEST(Trace, AFlowGoesFromAConstructByItsOperationsBack) {
  const Json trace = trace_of(testing::sample_profile());
  EXPECT_THAT(of_phase(trace, "s"), SizeIs(3));
  EXPECT_THAT(of_phase(trace, "t"), SizeIs(9));
  EXPECT_THAT(of_phase(trace, "f"), SizeIs(3));
}

TEST(Trace, ConstructsThatDoNotNestAreAsynchronous) {
  ProfileBuilder builder;
  builder.thread(11).place(1, "target", "app.cpp:1").begin(1, 1, 2000).begin(2, 1, 3000);
  builder.end(1, 4000).end(2, 5000);
  const Json trace = trace_of(builder.bytes());
  EXPECT_THAT(of_phase(trace, "X"), SizeIs(1));
  EXPECT_THAT(of_phase(trace, "b"), SizeIs(1));
  EXPECT_THAT(of_phase(trace, "e"), SizeIs(1));
}

TEST(Trace, OperationsOfAQueueThatOverlapByTheirClockFollowEachOther) {
  ProfileBuilder builder;
  builder.thread(11).place(1, "target", "app.cpp:1").begin(1, 1, 2000);
  builder.launch(1, 2, 2000).complete(2, 4000, 2100, 3000);
  builder.launch(1, 3, 2010).complete(3, 4000, 2900, 3500).end(1, 4000);
  std::vector<Json> kernels;
  for (const Json& slice : of_phase(trace_of(builder.bytes()), "X")) {
    if (slice["args"].contains("kernel")) {
      kernels.push_back(slice);
    }
  }
  ASSERT_THAT(kernels, SizeIs(2));
  EXPECT_EQ(kernels[1]["ts"], 2.0) << "when the first one ends";
  EXPECT_EQ(kernels[1]["dur"], 0.5);
}

TEST(Trace, CountsWhatIsMappedAndUnderWay) {
  std::map<std::string, double> most;
  for (const Json& counter : of_phase(trace_of(testing::sample_profile()), "C")) {
    double& value = most[counter["name"]];
    value = std::max(value, counter["args"]["value"].get<double>());
  }
  EXPECT_EQ(most["bytes mapped"], 4096);
  EXPECT_EQ(most["kernels under way"], 1);
  EXPECT_GT(most["copies in GB/s"], 0);
}

TEST(Trace, NamesMayHoldAnything) {
  ProfileBuilder builder;
  builder.thread(11).place(1, "target", "a\"\\\x01\xff.cpp:1").begin(1, 1, 2000).end(1, 3000);
  EXPECT_THAT(of_phase(trace_of(builder.bytes()), "X"), SizeIs(1));
}

} // namespace
} // namespace gantry::cli::profile
