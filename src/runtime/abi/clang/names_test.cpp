// Names of Clang's and Flang's kernels and functions, as in the source.
#include "runtime/abi/clang/names.h"

#include <gtest/gtest.h>

namespace gantry::abi::clang {
namespace {

std::optional<std::string> region(std::string_view kernel) {
  return kNames.region_of_kernel(kernel, nullptr);
}

TEST(ClangNames, APositionIsFileAndLine) {
  EXPECT_EQ(kNames.position(";zaxpy.cpp;main;12;9;;"), "zaxpy.cpp:12");
  EXPECT_EQ(kNames.position(";/a b/c.cpp;operator();7;1;;"), "/a b/c.cpp:7");
}

TEST(ClangNames, WithoutDebugInformationThereIsNoPosition) {
  for (const char* text :
       {";unknown;unknown;0;0;;", ";x.cpp;f;0;0;;", ";;f;12;1;;", ";", ";;", ";;;", ";a", ";a;b"}) {
    EXPECT_EQ(kNames.position(text), "") << text;
  }
  EXPECT_EQ(kNames.position(";a;b;c"), "a:c");
}

TEST(ClangNames, AFunctionIsTheSecondFieldOfAPosition) {
  EXPECT_EQ(kNames.function(";zaxpy.cpp;main;12;9;;"), "main");
  EXPECT_EQ(kNames.function(";unknown;unknown;0;0;;"), "");
  EXPECT_EQ(kNames.function(";a"), "");
  EXPECT_EQ(kNames.function("main"), std::nullopt);
}

TEST(ClangNames, AnItemHasAPositionOfItsOwn) {
  EXPECT_EQ(kNames.item_position(";Y[0:N];zaxpy.cpp;9;1;;"), "zaxpy.cpp:9");
  EXPECT_EQ(kNames.item_position(";/home/a/heat.f90;t_new;12;5;;"), "/home/a/heat.f90:12");
  for (const char* text : {";", ";;;", ";x", ";x;", ";x;y", ";unknown;unknown;0;0;;"}) {
    EXPECT_EQ(kNames.item_position(text), "") << text;
  }
  EXPECT_EQ(kNames.item_position("Y"), std::nullopt);
}

TEST(ClangNames, AVariableIsTheFirstField) {
  EXPECT_EQ(kNames.variable(";Y[0:N];zaxpy.cpp;9;1;;"), "Y[0:N]");
  EXPECT_EQ(kNames.variable(";this->x;z.cpp;1;1;;"), "this->x");
  for (const char* text : {";", ";;;", ";unknown;unknown;0;0;;"}) {
    EXPECT_EQ(kNames.variable(text), "") << text;
  }
}

TEST(ClangNames, AVariableIsTheSecondFieldOfFlangs) {
  EXPECT_EQ(kNames.variable(";/home/a/heat.f90;t_new;12;5;;"), "t_new");
  EXPECT_EQ(kNames.variable(";heat.F;unknown;12;5;;"), "");
  EXPECT_EQ(kNames.variable(";s.f;heat.c;12;5;;"), "s.f");
}

TEST(ClangNames, OtherTextsAreNotItsOwn) {
  for (const char* text : {"", "table", "zaxpy.cpp:12", "x;y;z"}) {
    EXPECT_EQ(kNames.position(text), std::nullopt) << text;
    EXPECT_EQ(kNames.variable(text), std::nullopt) << text;
  }
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
    EXPECT_EQ(region(other), std::nullopt) << other;
  }
}

TEST(ClangNames, AFunctionIsNamedAsInTheSource) {
  EXPECT_EQ(kNames.name_in_source("_ZL11missing_mapv"), "missing_map()");
  EXPECT_EQ(kNames.name_in_source("_QMcasesPfill"), "fill");
  EXPECT_EQ(kNames.name_in_source("_QQmain"), "main program");
  EXPECT_EQ(kNames.name_in_source("main"), std::nullopt);
  EXPECT_EQ(kNames.name_in_source("i"), std::nullopt) << "no type";
}

} // namespace
} // namespace gantry::abi::clang
