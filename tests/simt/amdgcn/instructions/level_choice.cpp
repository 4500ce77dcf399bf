// The level that the tests' instructions run at, by GANTRY_TEST_LEVEL. Where the processor does not
// have it, they are skipped.
#include "simt/amdgcn/exec/levels.h"

#include <algorithm>
#include <cstdlib>
#include <gtest/gtest.h>
#include <string_view>

namespace gantry::simt::amdgcn {
namespace {

class LevelChoice : public testing::Environment {
  void SetUp() override {
    const char* const name = std::getenv("GANTRY_TEST_LEVEL");
    if (name == nullptr) {
      return;
    }
    const auto levels = available_levels();
    const auto found = std::ranges::find(levels, std::string_view(name), name_of);
    if (found == levels.end()) {
      GTEST_SKIP() << "the processor does not have " << name;
    }
    choose_level(*found);
  }
};

const testing::Environment* const kChoice =
    testing::AddGlobalTestEnvironment(new LevelChoice); // which deletes it

} // namespace
} // namespace gantry::simt::amdgcn
