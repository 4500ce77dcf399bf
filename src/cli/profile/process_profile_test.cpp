// Reading profiles: whole ones, those of processes that ended in the middle, and damaged ones.
#include "cli/profile/process_profile.h"
#include "cli/profile/report.h"
#include "cli/profile/symbols.h"
#include "cli/profile/testing/profile_builder.h"
#include "cli/profile/trace.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace gantry::cli::profile {
namespace {

using namespace gantry::profile;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::ProfileBuilder;
using testing::sample_profile;
using ::testing::SizeIs;

ProcessReport report_of(Bytes bytes) {
  ProcessReport report;
  report.profile = read_profile(bytes).value();
  merge_equal(report.profile);
  report.summary = summarise(report.profile);
  report.findings = find_wastes(report.profile, report.summary);
  return report;
}

/// Everything that is made of a profile.
void use(Bytes bytes) {
  if (read_profile(bytes)) {
    const ProcessReport report = report_of(bytes);
    (void)text_of(report, true);
    (void)json_of(report).dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
    std::string trace;
    write_trace({report}, [&](std::string_view text) { trace += text; });
  }
}

TEST(ProcessProfile, IsReadWhole) {
  const ProcessProfile profile = read_profile(sample_profile()).value();
  EXPECT_EQ(profile.process, 7u);
  EXPECT_EQ(profile.program, "/bin/app");
  EXPECT_FALSE(profile.exited);
  EXPECT_EQ(profile.time.begin, 1000);
  EXPECT_EQ(profile.time.end, 4600);
  ASSERT_THAT(profile.constructs, SizeIs(3));
  EXPECT_EQ(profile.constructs[1].time.begin, 3000);
  EXPECT_EQ(profile.constructs[1].time.end, 3600);
  EXPECT_EQ(profile.place_of(1)->position, "src/app.cpp:31");
  ASSERT_THAT(profile.copies, SizeIs(6));
  EXPECT_TRUE(profile.copies[0].to_device);
  EXPECT_EQ(profile.names[profile.copies[0].name].variable, "x[0:N]");
  EXPECT_EQ(profile.copies[0].time.length(), 100);
  ASSERT_THAT(profile.launches, SizeIs(3));
  EXPECT_EQ(profile.launches[0].time.begin, 2210) << "by the device's clock";
  EXPECT_EQ(profile.launches[0].time.end, 2460);
  EXPECT_THAT(profile.devices, SizeIs(1));
  EXPECT_EQ(profile.threads[0].number, 11u);
}

TEST(ProcessProfile, BlocksOfAWriterAreInOrderAndThoseOfOthersBetween) {
  ProfileBuilder builder;
  builder.thread(11).place(1, "target", "app.cpp:1").begin(1, 1, 100);
  builder.begin_block(2).thread(12).begin(2, 1, 50);
  builder.begin_block(1).end(1, 200);
  const ProcessProfile profile = read_profile(builder.bytes()).value();
  ASSERT_THAT(profile.constructs, SizeIs(2));
  EXPECT_EQ(profile.constructs[0].id, 2u) << "by time";
  EXPECT_EQ(profile.constructs[1].end_thread, profile.constructs[1].thread);
  EXPECT_TRUE(profile.constructs[1].ended);
  EXPECT_FALSE(profile.constructs[0].ended);
  EXPECT_EQ(profile.constructs[0].time.end, 1000) << "with the process";
}

TEST(ProcessProfile, WhatIsNotDoneTakesNoTime) {
  ProfileBuilder builder;
  builder.thread(11).place(1, "target", "app.cpp:1").begin(1, 1, 2000).launch(1, 2, 2100);
  const ProcessProfile profile = read_profile(builder.bytes()).value();
  EXPECT_FALSE(profile.launches[0].done);
  EXPECT_EQ(profile.launches[0].time.length(), 0);
}

TEST(ProcessProfile, OtherFilesAreErrors) {
  EXPECT_THAT(read_profile({}).error().message, HasSubstr("0 bytes"));
  std::vector<std::byte> bytes = sample_profile();
  bytes[0] = std::byte{0};
  EXPECT_THAT(read_profile(bytes).error().message, HasSubstr("not begin as a profile"));
  bytes = sample_profile();
  bytes[8] = std::byte{9};
  EXPECT_THAT(read_profile(bytes).error().message, HasSubstr("version 9"));
}

TEST(ProcessProfile, IsReadWhenCutShort) {
  const std::vector<std::byte> bytes = sample_profile();
  for (std::size_t size = sizeof(FileHeader); size < bytes.size();
       size += size < kBlockSize ? 8191 : 7) {
    use(Bytes(bytes).first(size));
  }
}

TEST(ProcessProfile, IsReadWhenDamaged) {
  std::vector<std::byte> bytes = sample_profile();
  for (std::size_t at = kBlockSize; at < bytes.size(); ++at) {
    const std::byte original = bytes[at];
    bytes[at] = at % 3 == 0 ? std::byte{0xff} : original ^ std::byte(1u << at % 8);
    use(bytes);
    bytes[at] = original;
  }
}

TEST(ProcessProfile, RecordsWithoutWhatTheyReferToAreShown) {
  ProfileBuilder builder;
  builder.begin(1, 77, 2000).copy({1, 2, 78, true, 2010, 2020, 1}).copy({9, 3, 78, true, 1, 2, 1});
  const ProcessReport report = report_of(builder.bytes());
  EXPECT_THAT(text_of(report, true), HasSubstr("an unknown place"));
  ASSERT_THAT(report.summary.copied, SizeIs(2));
  EXPECT_EQ(report.summary.copied[1].place, kNone) << "the other one is of no construct";
}

TEST(ProcessProfile, WhatAProcessWasKilledInHasLastedUntilThen) {
  ProfileBuilder builder;
  builder.place(1, "target", "app.cpp:3").begin(1, 1, 2000).launch(1, 2, 2100);
  const ProcessProfile killed = read_profile(builder.bytes(), {.process = 7, .time = 9000}).value();
  EXPECT_EQ(killed.constructs[0].time.end, 9000);
  EXPECT_EQ(killed.time.end, 9000);
  const ProcessProfile another =
      read_profile(builder.bytes(), {.process = 8, .time = 9000}).value();
  EXPECT_EQ(another.time.end, 2100);
}

TEST(ProcessProfile, ConstructsWhoseEndFoundNoRoomAreAsLongAsIsKnown) {
  ProfileBuilder builder;
  builder.place(1, "target", "app.cpp:3").begin(1, 1, 2000).launch(1, 2, 2100).complete(2, 2300);
  builder.begin(3, 1, 800'000).end(3, 900'000);
  auto* const header = reinterpret_cast<gantry::profile::FileHeader*>(builder.bytes().data());
  header->dropped = 5;
  const ProcessReport report = report_of(builder.bytes());
  EXPECT_EQ(report.profile.constructs[0].time.end, 2300);
  EXPECT_THAT(text_of(report, true), Not(HasSubstr("the process ended in")));
}

TEST(ProcessProfile, EqualPlacesAreOneAndShownWithoutTheirFolder) {
  ProfileBuilder builder;
  builder.place(1, "target", "src/app.cpp:31").place(10, "target", "src/app.cpp:31");
  builder.place(20, "target", "a/b.cpp:1").place(30, "target", "c/b.cpp:1");
  builder.begin(1, 1, 2000).begin(2, 10, 3000).begin(3, 20, 3000).begin(4, 30, 3000);
  ProcessProfile profile = read_profile(builder.bytes()).value();
  merge_equal(profile);
  ASSERT_THAT(profile.places, SizeIs(3));
  EXPECT_EQ(profile.places[0].shown, "app.cpp:31");
  EXPECT_EQ(profile.places[1].shown, "a/b.cpp:1") << "there are two of the name";
}

TEST(ProcessProfile, SymbolsNameWhatTheCompilerDoesNot) {
  ProfileBuilder builder;
  builder.text(50, "/bin/app")
      .add(ModuleRecord{.head = ProfileBuilder::head(RecordType::kModule),
                        .begin = 0x400000,
                        .end = 0x500000,
                        .bias = 0x400000,
                        .path = 50});
  builder.place(1, "target", "").begin(1, 1, 2000);
  builder.presence(kMapped, 1, 0, 0x400800, 64, 2000).presence(kMapped, 1, 0, 0x10, 64, 2000);
  ProcessProfile profile = read_profile(builder.bytes()).value();
  std::vector<std::uint64_t> asked;
  name_what_compilers_leave(profile, [&](const std::vector<ModuleAddress>& addresses) {
    std::vector<Symbol> symbols;
    for (const ModuleAddress& address : addresses) {
      EXPECT_EQ(address.file, "/bin/app");
      asked.push_back(address.address);
      symbols.push_back(address.address == 0x800 ? Symbol{"table", ""}
                                                 : Symbol{"main", "app.c:12"});
    }
    return symbols;
  });
  EXPECT_THAT(asked, ::testing::ElementsAre(0xffu, 0x800u)) << "the call, and the variable";
  EXPECT_EQ(profile.places[0].position, "app.c:12");
  EXPECT_EQ(profile.names[profile.presences[0].name].variable, "table");
  EXPECT_EQ(profile.names[profile.presences[1].name].variable, "");
}

TEST(Summary, HasTheTimesOfRegionsCopiesAndDevices) {
  const Summary summary = report_of(sample_profile()).summary;
  ASSERT_THAT(summary.regions, SizeIs(1));
  EXPECT_EQ(summary.regions[0].calls, 3u);
  EXPECT_EQ(summary.regions[0].time, 1800);
  EXPECT_EQ(summary.regions[0].kernel, 750);
  EXPECT_EQ(summary.regions[0].copies, 450);
  EXPECT_EQ(summary.regions[0].rest(), 600);
  ASSERT_THAT(summary.copied, SizeIs(2));
  EXPECT_EQ(summary.copied[0].bytes, 3u * 4096);
  ASSERT_THAT(summary.devices, SizeIs(1));
  EXPECT_EQ(summary.devices[0].kernel, 750);
  EXPECT_EQ(summary.devices[0].copies, 450);
  EXPECT_EQ(summary.devices[0].overlap, 0);
  EXPECT_EQ(summary.devices[0].idle, 3600 - 1200);
  EXPECT_EQ(summary.devices[0].gap.length(), 450) << "from a copy back to the next copy";
  EXPECT_EQ(summary.devices[0].peak, 4096u);
}

TEST(Findings, TellOfTheSameBytesOnceEach) {
  const std::vector<Finding> findings = report_of(sample_profile()).findings;
  const auto count = [&](std::string_view id) {
    return std::ranges::count(findings, id, &Finding::id);
  };
  EXPECT_EQ(count("duplicate-copy"), 1);
  EXPECT_EQ(count("unchanged-back"), 1);
  EXPECT_EQ(count("loop-mapping"), 0) << "the remedy is that of duplicate-copy";
  EXPECT_EQ(count("round-trip"), 0);
  const auto duplicate = std::ranges::find(findings, "duplicate-copy", &Finding::id);
  EXPECT_EQ(duplicate->saves, 200) << "two of three copies";
  EXPECT_EQ(duplicate->variable, "x[0:N]");
  EXPECT_EQ(duplicate->position, "src/app.cpp:31");
}

TEST(TextReport, SaysHowAProcessEndedInAConstruct) {
  ProfileBuilder builder;
  builder.thread(11).place(1, "target", "app.cpp:1").begin(1, 1, 2000);
  ProcessReport report = report_of(builder.bytes());
  report.ending = "was ended by signal 9 (Killed)";
  const std::string text = text_of(report, false);
  EXPECT_THAT(text, HasSubstr("app (process 7) was ended by signal 9 (Killed)"));
  EXPECT_THAT(text, HasSubstr("ended in 1 construct, the last one target at app.cpp:1"));
}

TEST(TextReport, HasNoRowsOfNothing) {
  ProfileBuilder builder;
  const std::string text = text_of(report_of(builder.bytes()), false);
  EXPECT_THAT(text, ::testing::Not(HasSubstr("COPIES")));
  EXPECT_THAT(text, ::testing::Not(HasSubstr("ADVICE")));
}

TEST(TextReport, ShowsTimesAndSizesAsPeopleReadThem) {
  EXPECT_EQ(duration_text(80), "80 ns");
  EXPECT_EQ(duration_text(12'345), "12.3 us");
  EXPECT_EQ(duration_text(410'000'000), "410 ms");
  EXPECT_EQ(duration_text(3'100'000'000), "3.10 s");
  EXPECT_EQ(bytes_text(512), "512 B");
  EXPECT_EQ(bytes_text(4096), "4.1 kB");
  EXPECT_EQ(bytes_text(8'388'608), "8.39 MB");
}

} // namespace
} // namespace gantry::cli::profile
