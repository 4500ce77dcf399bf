// Names of Clang's and Flang's kernels and functions, as in the source.
#include "runtime/abi/clang/program.h"

#include <gtest/gtest.h>

namespace gantry::abi::clang {
namespace {

std::string region(std::string_view kernel) {
  return kClang.region_of_kernel(kernel, nullptr);
}

TEST(ClangNames, ARegionIsNamedByItsFunctionAndLine) {
  EXPECT_EQ(region("__omp_offloading_fe00_52a7ad_main_l12"), "the region of 'main' at line 12");
  EXPECT_EQ(region("__omp_offloading_fe00_52a7ad__ZL11missing_mapv_l24"),
            "the region of 'missing_map()' at line 24");
  EXPECT_EQ(region("__omp_offloading_fe00_52a7ad_f_l24_1"), "the region of 'f' at line 24");
  EXPECT_EQ(region("__omp_offloading_fe00_52a7ad__QMcasesFfillPinner_l7"),
            "the region of 'inner' at line 7");
  EXPECT_EQ(region("__omp_offloading_fe00_52a7ad__QQmain_l7"),
            "the region of 'main program' at line 7");
  for (const char* other : {"", "#3", "kernel", "__omp_offloading_", "__omp_offloading_a_l5"}) {
    EXPECT_EQ(region(other), "") << other;
  }
}

TEST(ClangNames, AFunctionIsNamedAsInTheSource) {
  EXPECT_EQ(kClang.name_in_source("_ZL11missing_mapv"), "missing_map()");
  EXPECT_EQ(kClang.name_in_source("_QMcasesPfill"), "fill");
  EXPECT_EQ(kClang.name_in_source("_QQmain"), "main program");
  EXPECT_EQ(kClang.name_in_source("main"), "");
  EXPECT_EQ(kClang.name_in_source("i"), "") << "no type";
}

} // namespace
} // namespace gantry::abi::clang
