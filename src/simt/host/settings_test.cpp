#include "simt/host/settings.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gantry::simt {
namespace {

using testing::HasSubstr;

using Variables = std::map<std::string, std::string, std::less<>>;

Settings read(const Variables& variables) {
  return read_settings([&](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

TEST(SimtSettings, Defaults) {
  const Settings settings = read({});
  EXPECT_EQ(settings.error, "");
  EXPECT_EQ(settings.mode, Mode::kCompile);
  EXPECT_TRUE(settings.checks.memory);
  EXPECT_EQ(settings.threads, 0u);
  EXPECT_EQ(settings.devices, 1u);
  const auto machine = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                       static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  EXPECT_EQ(settings.memory, std::min(machine / 2, std::uint64_t{128} << 30));
  EXPECT_EQ(settings.capability_major, 9u);
  EXPECT_EQ(settings.capability_minor, 0u);
  EXPECT_EQ(settings.multiprocessors, 0u);
  EXPECT_EQ(settings.name, "Gantry PTX executor");
  EXPECT_EQ(settings.processor, "gfx906");
  EXPECT_EQ(settings.cache, "");
  EXPECT_FALSE(settings.info);
}

TEST(SimtSettings, EmptyMeansUnset) {
  Variables empty;
  for (const SettingRow& row : setting_rows()) {
    empty[row.name] = "";
  }
  const Settings settings = read(empty);
  EXPECT_EQ(settings.error, "");
  EXPECT_EQ(settings.name, "Gantry PTX executor");
  EXPECT_EQ(settings.memory, read({}).memory);
}

TEST(SimtSettings, RowsAreAllDifferentAndExplained) {
  std::set<std::string> names;
  for (const SettingRow& row : setting_rows()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_NE(std::string(row.meaning), "");
  }
  EXPECT_EQ(names.size(), 13u);
}

TEST(SimtSettings, Words) {
  EXPECT_EQ(read({{"GANTRY_SIMT_MODE", "interpret"}}).mode, Mode::kInterpret);
  EXPECT_EQ(read({{"GANTRY_SIMT_MODE", "Compile"}}).mode, Mode::kCompile);
  EXPECT_EQ(read({{"GANTRY_SIMT_MODE", "skip"}}).mode, Mode::kSkip);
  EXPECT_FALSE(read({{"GANTRY_SIMT_CHECK", "none"}}).checks.memory);
  EXPECT_TRUE(read({{"GANTRY_SIMT_CHECK", "memory"}}).checks.memory);
  EXPECT_EQ(read({{"GANTRY_SIMT_NAME", "A device"}}).name, "A device");
  EXPECT_EQ(read({{"GANTRY_SIMT_PROCESSOR", "gfx90a"}}).processor, "gfx90a");
  EXPECT_EQ(read({{"GANTRY_SIMT_CACHE", "off"}}).cache, "off");
}

TEST(SimtSettings, Counts) {
  EXPECT_EQ(read({{"GANTRY_SIMT_THREADS", "3"}}).threads, 3u);
  EXPECT_EQ(read({{"GANTRY_SIMT_DEVICES", "0"}}).devices, 0u);
  EXPECT_EQ(read({{"GANTRY_SIMT_DEVICES", "4"}}).devices, 4u);
  EXPECT_EQ(read({{"GANTRY_SIMT_MULTIPROCESSORS", "108"}}).multiprocessors, 108u);
  for (const char* wrong : {"-1", "x", "1x", "65", " 1", "99999999999999"}) {
    const Settings settings = read({{"GANTRY_SIMT_DEVICES", wrong}});
    EXPECT_THAT(settings.error, HasSubstr("GANTRY_SIMT_DEVICES: '" + std::string(wrong) +
                                          "' is not a number from 0 to 64"));
    EXPECT_EQ(settings.devices, 1u);
  }
}

TEST(SimtSettings, Memory) {
  const auto memory = [](const char* value) {
    return read({{"GANTRY_SIMT_MEMORY", value}}).memory;
  };
  EXPECT_EQ(memory("2G"), std::uint64_t{2} << 30);
  EXPECT_EQ(memory("2g"), std::uint64_t{2} << 30);
  EXPECT_EQ(memory("512M"), std::uint64_t{512} << 20);
  EXPECT_EQ(memory("65536K"), std::uint64_t{64} << 20);
  EXPECT_EQ(memory("33554432"), std::uint64_t{32} << 20);
  EXPECT_EQ(memory("256G"), std::uint64_t{256} << 30);
  for (const char* wrong : {"G", "1", "15M", "257G", "1.5G", "2GB", "-1G", "18446744073709551615G",
                            "99999999999999999999"}) {
    EXPECT_THAT(read({{"GANTRY_SIMT_MEMORY", wrong}}).error,
                HasSubstr("is not a size from 16M to 256G"))
        << wrong;
  }
}

TEST(SimtSettings, Capability) {
  for (const auto& [value, major, minor] : {std::tuple{"9.0", 9u, 0u},
                                            {"90", 9u, 0u},
                                            {"sm_90", 9u, 0u},
                                            {"8.6", 8u, 6u},
                                            {"sm_75", 7u, 5u},
                                            {"120", 12u, 0u},
                                            {"12.1", 12u, 1u},
                                            {"sm_100", 10u, 0u}}) {
    const Settings settings = read({{"GANTRY_SIMT_CAPABILITY", value}});
    EXPECT_EQ(settings.error, "") << value;
    EXPECT_EQ(settings.capability_major, major) << value;
    EXPECT_EQ(settings.capability_minor, minor) << value;
  }
  for (const char* wrong :
       {"9", "9.", ".0", "9.9", "sm_", "sm_9.0", "sm_9", "x", "9.0.0", "-9.0", "1000"}) {
    EXPECT_THAT(read({{"GANTRY_SIMT_CAPABILITY", wrong}}).error,
                HasSubstr("'" + std::string(wrong) + "' is not one of 5.0, "))
        << wrong;
  }
}

TEST(SimtSettings, WhereMemoryBegins) {
  EXPECT_EQ(read({{"GANTRY_SIMT_ARENA", "0x2a0000000000"}}).arena, 0x2a0000000000U);
  for (const char* wrong : {"5", "0x", "0x1000", "0x0", "0x2a0000000001", "0xffffffffffffffff"}) {
    EXPECT_NE(read({{"GANTRY_SIMT_ARENA", wrong}}).error, "") << wrong;
  }
}

TEST(SimtSettings, ChecksAreAListOfWords) {
  const auto checks = [](const char* words) { return read({{"GANTRY_SIMT_CHECK", words}}).checks; };
  EXPECT_FALSE(checks("memory").watches_blocks());
  EXPECT_FALSE(checks("none").memory);
  const Checks two = checks("race,Sync");
  EXPECT_TRUE(two.memory && two.race && two.sync);
  EXPECT_FALSE(two.init);
  const Checks all = checks("all");
  EXPECT_TRUE(all.memory && all.race && all.init && all.sync);
  for (const char* wrong : {"leak", "none,race", "race,", "race,none", ",", "race init"}) {
    const Settings settings = read({{"GANTRY_SIMT_CHECK", wrong}});
    EXPECT_THAT(settings.error, HasSubstr("is not one of memory, race, init, sync, all"));
    EXPECT_TRUE(settings.checks.memory);
    EXPECT_FALSE(settings.checks.watches_blocks());
  }
}

TEST(SimtSettings, EveryMistakeIsNamed) {
  const Settings settings = read({{"GANTRY_SIMT_MODE", "fast"}, {"GANTRY_SIMT_THREADS", "many"}});
  EXPECT_EQ(settings.error, "GANTRY_SIMT_MODE: 'fast' is not one of compile, interpret, skip\n"
                            "GANTRY_SIMT_THREADS: 'many' is not a number from 0 to 1024");
}

TEST(SimtSettings, InfoIsOneWordOfSeveral) {
  EXPECT_TRUE(read({{"GANTRY_INFO", "simt"}}).info);
  EXPECT_TRUE(read({{"GANTRY_INFO", "all"}}).info);
  EXPECT_TRUE(read({{"GANTRY_INFO", "launch,SIMT"}}).info);
  EXPECT_FALSE(read({{"GANTRY_INFO", "launch,map"}}).info);
  EXPECT_FALSE(read({{"GANTRY_INFO", "simtx"}}).info);
  EXPECT_EQ(read({{"GANTRY_INFO", "nonsense"}}).error, "") << "others know what it means";
}

} // namespace
} // namespace gantry::simt
