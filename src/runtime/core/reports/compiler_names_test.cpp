#include "runtime/core/reports/compiler_names.h"

#include <gtest/gtest.h>

namespace gantry::core {
namespace {

constexpr CompilerNames kShouting = {
    [](std::string_view text) {
      return text.ends_with('!') ? std::optional<std::string>("here") : std::nullopt;
    },
    [](std::string_view text) {
      return text.ends_with('!') ? std::optional<std::string_view>("main") : std::nullopt;
    },
    [](std::string_view text) {
      return text.ends_with('!') ? std::optional<std::string>("there") : std::nullopt;
    },
    [](std::string_view text) {
      return text.ends_with('!') ? std::optional<std::string_view>("") : std::nullopt;
    },
    [](std::string_view, const void*) { return std::optional<std::string>(); },
    [](std::string_view) { return std::optional<std::string>(); }};

TEST(CompilerNames, WhatNoCompilerKnowsIsItself) {
  know_compiler(kShouting);
  EXPECT_EQ(position("zaxpy.cpp:12"), "zaxpy.cpp:12");
  EXPECT_EQ(variable_name("table"), "table");
  EXPECT_EQ(name_in_source("table!"), "table!");
  EXPECT_EQ(region_of_kernel("kernel!", nullptr), "a region");
  EXPECT_EQ(position(nullptr), "");
  EXPECT_EQ(variable_name(nullptr), "");
  EXPECT_EQ(function_name("zaxpy.cpp:12"), "");
  EXPECT_EQ(item_position("table"), "");
}

TEST(CompilerNames, TheAnswerOfACompilerCountsAndMayBeEmpty) {
  know_compiler(kShouting);
  EXPECT_EQ(position("there!"), "here");
  EXPECT_EQ(variable_name("table!"), "");
  EXPECT_EQ(function_name("there!"), "main");
  EXPECT_EQ(item_position("table!"), "there");
}

} // namespace
} // namespace gantry::core
