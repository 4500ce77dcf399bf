#include "plugins/cuda/image.h"

#include <gtest/gtest.h>

namespace gantry::cuda {
namespace {

TEST(PtxTarget, IsWhatTheDirectivesSay) {
  const std::string text =
      "//\n// Generated\n//\n\n.version 7.8\n.target sm_90\n.address_size 64\n";
  EXPECT_EQ(ptx_target(text).architecture, 90);
  EXPECT_EQ(ptx_target(text).variant, '\0');
  EXPECT_EQ(ptx_version(text), "7.8");
  EXPECT_EQ(ptx_target(".version 8.0\n.target sm_90a, debug\n").variant, 'a');
  EXPECT_EQ(ptx_target(".version 8.8\n.target sm_120f\n").architecture, 120);
  EXPECT_EQ(ptx_target(".version 8.8\n.target sm_120f\n").variant, 'f');
}

TEST(PtxTarget, WhatIsNoPtxHasNone) {
  for (const char* text : {"", ".version", ".version 7.8", ".target sm_90", "\177ELF",
                           "a.version 7.8\n.target sm_90\n", ".version 7.8\n.target sm_",
                           ".version 7.8\n.target sm_a\n", "// .version 7.8 .target sm_90"}) {
    EXPECT_EQ(ptx_target(text).architecture, 0) << text;
  }
}

TEST(PtxTarget, RunsOnItsArchitectureAndNewerOnes) {
  EXPECT_TRUE(runs_on({80, '\0'}, 80));
  EXPECT_TRUE(runs_on({80, '\0'}, 120));
  EXPECT_FALSE(runs_on({90, '\0'}, 89));
  EXPECT_TRUE(runs_on({90, 'a'}, 90));
  EXPECT_FALSE(runs_on({90, 'a'}, 100));
  EXPECT_TRUE(runs_on({100, 'f'}, 103));
  EXPECT_FALSE(runs_on({100, 'f'}, 120));
  EXPECT_FALSE(runs_on({103, 'f'}, 100));
}

} // namespace
} // namespace gantry::cuda
