// Tracks of profiles at random: everything is on one, and on a row nothing overlaps.
#include "cli/profile/timeline.h"

#include "cli/profile/testing/profile_builder.h"

#include <map>
#include <random>

#include <gmock/gmock.h>

namespace gantry::cli::profile {
namespace {

using testing::ProfileBuilder;
using ::testing::SizeIs;

ProcessProfile profile_of(ProfileBuilder& builder) {
  ProcessProfile profile = read_profile(builder.bytes()).value();
  merge_equal(profile);
  return profile;
}

TEST(Timeline, NothingIsLostAndNothingOverlapsOnARow) {
  constexpr int kProfiles = 300;
  for (unsigned seed = 0; seed < kProfiles; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&](int count) {
      return std::uniform_int_distribution<int>(0, count - 1)(random);
    };
    ProfileBuilder builder;
    builder.thread(11).place(1, "target", "app.cpp:1");
    std::int64_t time = 2000;
    std::vector<std::uint64_t> open;
    std::uint64_t id = 0;
    std::size_t copies = 0;
    std::size_t launches = 0;
    std::size_t constructs = 0;
    for (int step = 0; step < 60; ++step) {
      time += below(3) * 10; // often at the same time
      switch (below(4)) {
      case 0:
        open.push_back(++id);
        builder.begin(id, 1, time);
        ++constructs;
        break;
      case 1:
        if (!open.empty()) { // the innermost one, or another
          const auto at =
              open.end() - 1 - (below(3) == 0 ? below(static_cast<int>(open.size())) : 0);
          builder.end(*at, time);
          open.erase(at);
        }
        break;
      case 2:
        builder.copy(
            {open.empty() ? 0 : open.back(), ++id, 0, below(2) == 0, time, time + below(50), 0});
        ++copies;
        break;
      default:
        builder.launch(open.empty() ? 0 : open.back(), ++id, time);
        builder.complete(id, time + 100, time + below(50), time + 50 + below(50));
        ++launches;
      }
    }
    const ProcessProfile profile = profile_of(builder);
    std::map<Slice::What, std::size_t> counts;
    for (const Track& track : tracks_of(profile)) {
      std::map<std::uint32_t, Time> ends;
      for (const Slice& slice : track.slices) {
        ++counts[slice.what];
        EXPECT_LE(slice.time.begin, slice.time.end);
        const auto [end, is_first] = ends.try_emplace(slice.row, slice.time.begin);
        EXPECT_GE(slice.time.begin, end->second) << "row " << slice.row << ", seed " << seed;
        end->second = std::max(end->second, slice.time.end);
      }
    }
    EXPECT_EQ(counts[Slice::What::kConstruct], constructs) << "seed " << seed;
    EXPECT_EQ(counts[Slice::What::kCopy], copies) << "seed " << seed;
    EXPECT_EQ(counts[Slice::What::kLaunch], launches) << "seed " << seed;
  }
}

TEST(Timeline, WhatDoesNotNestLiesBesideInAsFewRowsAsThereCanBe) {
  ProfileBuilder builder;
  builder.thread(11).place(1, "target nowait", "app.cpp:1");
  builder.begin(1, 1, 2000)
      .begin(2, 1, 2100)
      .end(1, 2200)
      .begin(3, 1, 2210)
      .end(2, 2300)
      .end(3, 2400);
  const std::vector<Track> tracks = tracks_of(profile_of(builder));
  ASSERT_THAT(tracks, SizeIs(1));
  ASSERT_THAT(tracks[0].slices, SizeIs(3));
  EXPECT_EQ(tracks[0].slices[0].row, 0U);
  EXPECT_TRUE(tracks[0].slices[0].nests);
  EXPECT_EQ(tracks[0].slices[1].row, 1U);
  EXPECT_FALSE(tracks[0].slices[1].nests);
  EXPECT_EQ(tracks[0].slices[2].row, 0U);
}

} // namespace
} // namespace gantry::cli::profile
