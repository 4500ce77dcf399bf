#include "runtime/core/host/settings.h"

#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gantry::core {
namespace {

using testing::HasSubstr;

using Variables = std::map<std::string, std::string, std::less<>>;

Environment environment(const Variables& variables) {
  return [&variables](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  };
}

Result<Settings> read(const Variables& variables) {
  return read_settings(environment(variables));
}

TEST(Settings, Defaults) {
  const auto settings = read({});
  ASSERT_TRUE(settings);
  EXPECT_EQ(settings->policy, OffloadPolicy::kDefault);
  EXPECT_TRUE(settings->automatic_devices);
  EXPECT_TRUE(settings->devices.empty());
  EXPECT_EQ(settings->info, 0u);
  EXPECT_EQ(settings->check, 0u);
  EXPECT_EQ(settings->save_images, "");
  EXPECT_EQ(settings->time_limit, 0u);
}

TEST(Settings, EmptyMeansUnset) {
  Variables empty;
  for (const EnvironmentVariable& variable : environment_variables()) {
    empty[variable.name] = "";
  }
  const auto settings = read(empty);
  ASSERT_TRUE(settings);
  EXPECT_TRUE(settings->automatic_devices);
  EXPECT_EQ(settings->info, 0u);
}

TEST(Settings, PolicyInAnyCase) {
  for (const auto& [value, policy] : std::map<std::string, OffloadPolicy>{
           {"DEFAULT", OffloadPolicy::kDefault},
           {"default", OffloadPolicy::kDefault},
           {"MANDATORY", OffloadPolicy::kMandatory},
           {"Mandatory", OffloadPolicy::kMandatory},
           {"DISABLED", OffloadPolicy::kDisabled},
           {"disabled", OffloadPolicy::kDisabled},
       }) {
    const auto settings = read({{"OMP_TARGET_OFFLOAD", value}});
    ASSERT_TRUE(settings) << value;
    EXPECT_EQ(settings->policy, policy) << value;
  }
}

TEST(Settings, SpreadInAnyCase) {
  EXPECT_EQ(read({})->spread, Spread::kNone);
  EXPECT_EQ(read({{"GANTRY_SPREAD", "None"}})->spread, Spread::kNone);
  EXPECT_EQ(read({{"GANTRY_SPREAD", "load"}})->spread, Spread::kLoad);
  EXPECT_EQ(read({{"GANTRY_SPREAD", "DATA"}})->spread, Spread::kData);
}

TEST(Settings, DeviceLists) {
  const auto settings = read({{"GANTRY_DEVICES", "cpu:4,worker:2+a+b,cuda+x"}});
  ASSERT_TRUE(settings);
  ASSERT_EQ(settings->devices.size(), 3u);
  EXPECT_EQ(settings->devices[0].plugin, "cpu");
  EXPECT_EQ(settings->devices[0].count, 4);
  EXPECT_EQ(settings->devices[1].plugin, "worker");
  EXPECT_EQ(settings->devices[1].count, 2);
  EXPECT_EQ(settings->devices[1].options, "a+b");
  EXPECT_EQ(settings->devices[2].plugin, "cuda");
  EXPECT_EQ(settings->devices[2].count, DeviceRequest::kAll);
  EXPECT_EQ(settings->devices[2].options, "x");
}

TEST(Settings, AnOptionMayHoldAColon) {
  const auto settings = read({{"GANTRY_DEVICES", "worker+memory:4"}});
  ASSERT_TRUE(settings);
  EXPECT_EQ(settings->devices[0].plugin, "worker");
  EXPECT_EQ(settings->devices[0].options, "memory:4");
}

TEST(Settings, InfoWords) {
  const auto settings = read({{"GANTRY_INFO", "load,MAP"}});
  ASSERT_TRUE(settings);
  EXPECT_EQ(settings->info,
            static_cast<std::uint32_t>(Info::kLoad) | static_cast<std::uint32_t>(Info::kMap));
  EXPECT_EQ(read({{"GANTRY_INFO", "all"}})->info, ~0u);
  EXPECT_EQ(read({{"GANTRY_INFO", "simt,load"}})->info, static_cast<std::uint32_t>(Info::kLoad));
}

TEST(Settings, LlvmsInfoBits) {
  const auto launch = static_cast<std::uint32_t>(Info::kLaunch);
  const auto transfer = static_cast<std::uint32_t>(Info::kTransfer);
  EXPECT_EQ(read({{"LIBOMPTARGET_INFO", "1"}})->info, launch);
  EXPECT_EQ(read({{"LIBOMPTARGET_INFO", "0x21"}})->info, launch | transfer);
  EXPECT_EQ(read({{"LIBOMPTARGET_INFO", "-1"}})->info, ~0u);
  EXPECT_EQ(read({{"LIBOMPTARGET_INFO", "0x40"}})->info, 0u) << "a bit without a counterpart";
  EXPECT_EQ(read({{"LIBOMPTARGET_INFO", "1"}, {"GANTRY_INFO", "transfer"}})->info,
            launch | transfer);
}

TEST(Settings, ImageFolder) {
  EXPECT_EQ(read({{"GANTRY_SAVE_IMAGES", "/some/where"}})->save_images, "/some/where");
  EXPECT_EQ(read({{"GANTRY_TIMEOUT", "0.5"}})->time_limit, 500u);
}

struct BadValue {
  const char* variable;
  const char* value;
  const char* message;
};

class BadValues : public testing::TestWithParam<BadValue> {};

TEST_P(BadValues, AreErrorsThatNameThem) {
  const auto& [variable, value, message] = GetParam();
  const auto settings = read({{variable, value}});
  ASSERT_FALSE(settings);
  EXPECT_THAT(settings.error().message, HasSubstr(std::string(variable) + ": "));
  EXPECT_THAT(settings.error().message, HasSubstr(message));
}

INSTANTIATE_TEST_SUITE_P(
    Settings, BadValues,
    testing::Values(BadValue{"OMP_TARGET_OFFLOAD", "never",
                             "'never' is not one of DEFAULT, MANDATORY"},
                    BadValue{"OMP_TARGET_OFFLOAD", "MANDATORY ", "'MANDATORY ' is not one of"},
                    BadValue{"GANTRY_DEVICES", ",", "'' names no kind of device"},
                    BadValue{"GANTRY_DEVICES", "cpu,", "'' names no kind of device"},
                    BadValue{"GANTRY_DEVICES", ":4", "':4' names no kind of device"},
                    BadValue{"GANTRY_DEVICES", "+x", "'+x' names no kind of device"},
                    BadValue{"GANTRY_DEVICES", "cpu:", "'cpu:' has no number from 1"},
                    BadValue{"GANTRY_DEVICES", "cpu:0", "has no number from 1"},
                    BadValue{"GANTRY_DEVICES", "cpu:-1", "has no number from 1"},
                    BadValue{"GANTRY_DEVICES", "cpu:2x", "has no number from 1"},
                    BadValue{"GANTRY_DEVICES", "cpu:99999999999", "has no number from 1"},
                    BadValue{"GANTRY_DEVICES", "cpu:1:2", "has no number from 1"},
                    BadValue{"GANTRY_DEVICES", "cpu+", "'cpu+' has no option after '+'"},
                    BadValue{"GANTRY_DEVICES", "cpu:2+", "has no option after '+'"},
                    BadValue{"GANTRY_SPREAD", "even", "is not one of none, load, data"},
                    BadValue{"GANTRY_INFO", "maps", "'maps' is not one of registration, load"},
                    BadValue{"GANTRY_INFO", "map,", "'' is not one of"},
                    BadValue{"GANTRY_INFO", "1", "'1' is not one of"},
                    BadValue{"LIBOMPTARGET_INFO", "much", "'much' is not a number"},
                    BadValue{"LIBOMPTARGET_INFO", "0x", "'0x' is not a number"},
                    BadValue{"LIBOMPTARGET_INFO", "1 ", "'1 ' is not a number"},
                    BadValue{"LIBOMPTARGET_INFO", "-2", "'-2' is not a number"},
                    BadValue{"LIBOMPTARGET_INFO", "99999999999", "is not a number"}));

TEST(Settings, TheTableIsCompleteAndExplainsItself) {
  std::set<std::string> names;
  for (const EnvironmentVariable& variable : environment_variables()) {
    EXPECT_TRUE(names.insert(variable.name).second) << variable.name;
    EXPECT_NE(std::string(variable.meaning), "");
  }
}

TEST(InfoBits, ComeFromBothVariables) {
  const auto bits = [](const Variables& variables) {
    return read_info_bits(environment(variables));
  };
  EXPECT_EQ(bits({}), 0u);
  EXPECT_EQ(bits({{"GANTRY_INFO", "load"}}), static_cast<std::uint32_t>(Info::kLoad));
  EXPECT_EQ(bits({{"LIBOMPTARGET_INFO", "0x10"}}), static_cast<std::uint32_t>(Info::kLoad));
  EXPECT_EQ(bits({{"GANTRY_INFO", "load"}, {"LIBOMPTARGET_INFO", "bad"}}), 0u);
  EXPECT_EQ(bits({{"GANTRY_INFO", "bad"}, {"LIBOMPTARGET_INFO", "1"}}), 0u);
}

TEST(Settings, Profile) {
  const auto none = read_profile_settings(environment({}));
  ASSERT_TRUE(none);
  EXPECT_EQ(none->folder, "");
  const auto settings =
      read({{"GANTRY_PROFILE", "/tmp/a,b"}, {"GANTRY_PROFILE_OPTIONS", "data,limit=3"}});
  ASSERT_TRUE(settings);
  EXPECT_EQ(settings->profile.folder, "/tmp/a,b");
  EXPECT_TRUE(settings->profile.data);
  EXPECT_EQ(settings->profile.limit, 3u << 20);
  for (const char* value : {"dat", "limit=", "limit=0", "limit=1048577", "data,", "limit=-1"}) {
    const Variables variables{{"GANTRY_PROFILE", "x"}, {"GANTRY_PROFILE_OPTIONS", value}};
    EXPECT_FALSE(read(variables)) << value;
    EXPECT_FALSE(read_profile_settings(environment(variables))) << value;
  }
}

} // namespace
} // namespace gantry::core
