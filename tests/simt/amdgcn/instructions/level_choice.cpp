// Runs the tests at the level that GANTRY_TEST_LEVEL names; not at all, with 77, if the processor
// does not have it.
#include "simt/amdgcn/exec/levels.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <gtest/gtest.h>
#include <string_view>

int main(int count, char** words) {
  using namespace gantry::simt::amdgcn;
  testing::InitGoogleTest(&count, words);
  if (const char* const name = std::getenv("GANTRY_TEST_LEVEL")) {
    const auto levels = available_levels();
    const auto found = std::ranges::find(levels, std::string_view(name), name_of);
    if (found == levels.end()) {
      std::fprintf(stderr, "the processor does not have %s\n", name);
      return 77;
    }
    choose_level(*found);
  }
  return RUN_ALL_TESTS();
}
