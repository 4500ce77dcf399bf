// When a program is told that its teams are smaller than it names them.
#include "plugins/cpu/team_hint.h"

#include "plugins/cpu/testing/test_image.h"

#include <cstdlib>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gantry::cpu {
namespace {

using ::testing::HasSubstr;

struct TeamHint : ::testing::Test {
  std::vector<std::byte> bytes = testing::test_image("gnu");

  /// What is said of a league whose teams have `named` threads.
  std::string hint(std::uint32_t named, std::uint32_t threads, std::uint32_t teams = 4,
                   std::uint32_t kind = GANTRY_LAUNCH_TEAMS) {
    gantry_launch launch = {};
    launch.kind = kind;
    launch.num_teams[0] = teams;
    launch.thread_limit[0] = named;
    const char* const text = team_hint(bytes, launch, threads, "worker");
    return text == nullptr ? "" : text;
  }
};

TEST_F(TeamHint, NamesTheNumbersAndTheOption) {
  const std::string text = hint(256, 1);
  EXPECT_THAT(text, HasSubstr("names 256 threads for a team, and a team gets 1 here"));
  EXPECT_THAT(text, HasSubstr("GANTRY_DEVICES=worker+threads=limit"));
}

TEST_F(TeamHint, IsOfTeamsThatAreSmallerThanNamedAlone) {
  EXPECT_EQ(hint(0, 1), "");
  EXPECT_EQ(hint(1, 1), "");
  EXPECT_NE(hint(2, 1), "");
  EXPECT_EQ(hint(256, 1, 1, GANTRY_LAUNCH_TARGET), ""); // what num_threads says, holds
}

TEST_F(TeamHint, TeamsShareTheProcessors) {
  constexpr std::uint32_t kMoreThanProcessors = 100'000;
  EXPECT_THAT(hint(kMoreThanProcessors, 900, 900'000), HasSubstr("a team gets 1 here"));
  EXPECT_EQ(hint(1, 900, 900'000), "");
}

TEST_F(TeamHint, KnowsTheProgramsOwnNumber) {
  setenv("OMP_NUM_THREADS", " 1,2", 1);
  EXPECT_THAT(hint(64, 0, 1), HasSubstr("a team gets 1 here"));
  setenv("OMP_NUM_THREADS", "many", 1);
  EXPECT_NE(hint(100'000, 0), "");
  unsetenv("OMP_NUM_THREADS");
}

TEST_F(TeamHint, OfFullTeamsIsOfTheProgramsLimitAlone) {
  const auto hint_of_full = [&](std::uint32_t named) -> std::string {
    gantry_launch launch = {};
    launch.kind = GANTRY_LAUNCH_TEAMS;
    launch.num_teams[0] = 4;
    launch.thread_limit[0] = named;
    const char* const text = full_team_hint(bytes, launch);
    return text == nullptr ? "" : text;
  };
  unsetenv("OMP_THREAD_LIMIT");
  EXPECT_EQ(hint_of_full(256), "");
  setenv("OMP_THREAD_LIMIT", "8", 1);
  EXPECT_THAT(hint_of_full(256),
              HasSubstr("names 256 threads for a team, and OMP_THREAD_LIMIT lets it have 8;"));
  EXPECT_EQ(hint_of_full(8), "");
  EXPECT_EQ(hint_of_full(0), "");
  setenv("OMP_THREAD_LIMIT", "1024", 1);
  EXPECT_EQ(hint_of_full(2000), "") << "no team has more";
  unsetenv("OMP_THREAD_LIMIT");
}

TEST_F(TeamHint, IsOfImagesThatAskForThreadNumbersAlone) {
  bytes = testing::test_image("sysv");
  EXPECT_NE(hint(256, 1), "");
  // The name is in the image once, as a string.
  const std::string name = "omp_get_thread_num";
  auto* const text = reinterpret_cast<char*>(bytes.data());
  const auto at = std::string_view(text, bytes.size()).find(name);
  ASSERT_NE(at, std::string_view::npos);
  text[at] = 'x';
  EXPECT_EQ(hint(256, 1), "");
  bytes.clear();
  EXPECT_EQ(hint(256, 1), "");
}

} // namespace
} // namespace gantry::cpu
