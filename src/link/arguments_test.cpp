#include "link/arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gantry::link {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Result<Arguments> parse(std::vector<const char*> arguments) {
  return parse_arguments(arguments);
}

std::vector<std::string> names(const Arguments& arguments) {
  std::vector<std::string> result;
  result.reserve(arguments.inputs.size());
  for (const HostInput& input : arguments.inputs) {
    result.push_back((input.is_library ? "-l" : "") + input.name);
  }
  return result;
}

TEST(ArgumentsTest, TakesOutItsOwnAndKeepsTheLinkersInOrder) {
  const auto result = parse({"--host-triple=x86_64-pc-linux-gnu", "--device-compiler=-O2",
                             "--linker-path=/usr/bin/ld", "-m", "elf_x86_64", "-o", "out", "a.o",
                             "--wrapper-verbose", "-lfoo", "--unknown", "-znow"});
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_THAT(result->host_arguments,
              ElementsAre("-m", "elf_x86_64", "-o", "out", "a.o", "-lfoo", "--unknown", "-znow"));
  EXPECT_EQ(result->linker_path, "/usr/bin/ld");
  EXPECT_EQ(result->output, "out");
  EXPECT_TRUE(result->verbose);
}

TEST(ArgumentsTest, ReadsClang19sForms) {
  const auto result = parse({"--opt-level=O3", "--device-debug", "--", "a.o"});
  ASSERT_TRUE(result);
  EXPECT_THAT(arguments_for(result->device_compiler, "x86_64-pc-linux-gnu"),
              ElementsAre("-O3", "-g"));
  EXPECT_THAT(result->host_arguments, ElementsAre("a.o"));
}

TEST(ArgumentsTest, ValuesOfOptionsAreNoInputs) {
  const auto result =
      parse({"-dynamic-linker", "/lib64/ld.so", "-z", "relro", "-soname", "s", "-plugin", "p.so",
             "--version-script", "v", "-rpath", "r", "-Map", "m", "a.o"});
  ASSERT_TRUE(result);
  EXPECT_THAT(names(*result), ElementsAre("a.o"));
  EXPECT_THAT(result->run_paths, ElementsAre("r"));
}

TEST(ArgumentsTest, ValuesOfRareOptionsAreNoInputs) {
  for (const char* option :
       {"--just-symbols", "--mri-script", "--export-dynamic-symbol", "--export-dynamic-symbol-list",
        "--oformat", "--sort-section", "--audit", "--depaudit", "-P", "--image-base",
        "--undefined-glob", "--dependency-file", "--symbol-ordering-file"}) {
    const auto result = parse({option, "value.a", "a.o"});
    ASSERT_TRUE(result);
    EXPECT_THAT(names(*result), ElementsAre("a.o")) << option;
    EXPECT_THAT(result->host_arguments, ElementsAre(option, "value.a", "a.o"));
  }
  // Its value is only ever joined.
  EXPECT_THAT(names(*parse({"--package-metadata", "b.o", "a.o"})), ElementsAre("b.o", "a.o"));
}

TEST(ArgumentsTest, WhatDecidesOverMembersOfArchives) {
  const auto result =
      parse({"-T", "script", "--as-needed", "-la", "--no-as-needed", "-lb", "--wrap=malloc",
             "--wrap", "free", "--defsym=first=second", "--undefined-glob=f*"});
  ASSERT_TRUE(result);
  EXPECT_THAT(names(*result), ElementsAre("script", "-la", "-lb"));
  EXPECT_TRUE(result->inputs[1].as_needed);
  EXPECT_FALSE(result->inputs[2].as_needed);
  EXPECT_THAT(result->wrapped_symbols, ElementsAre("malloc", "free"));
  EXPECT_THAT(result->undefined_symbols, ElementsAre("second"));
  EXPECT_THAT(result->undefined_globs, ElementsAre("f*"));
}

TEST(ArgumentsTest, RunPathOfOneLetter) {
  const auto result = parse({"-R", "first", "-Rsecond"});
  ASSERT_TRUE(result);
  EXPECT_THAT(result->run_paths, ElementsAre("first", "second"));
}

TEST(ArgumentsTest, PositionalSwitchesHoldFromWhereTheyStand) {
  const auto result = parse({"a.a",
                             "--whole-archive",
                             "b.a",
                             "--no-whole-archive",
                             "--push-state",
                             "-Bstatic",
                             "-l",
                             "c",
                             "--pop-state",
                             "-ld",
                             "--start-group",
                             "e.a",
                             "f.a",
                             "--end-group",
                             "--start-group",
                             "g.a",
                             "--end-group",
                             "--start-lib",
                             "h.o",
                             "--end-lib"});
  ASSERT_TRUE(result);
  const std::vector<HostInput>& inputs = result->inputs;
  EXPECT_THAT(names(*result), ElementsAre("a.a", "b.a", "-lc", "-ld", "e.a", "f.a", "g.a", "h.o"));
  EXPECT_FALSE(inputs[0].whole_archive);
  EXPECT_TRUE(inputs[1].whole_archive);
  EXPECT_FALSE(inputs[2].allow_shared);
  EXPECT_TRUE(inputs[3].allow_shared);
  EXPECT_NE(inputs[4].group, 0U);
  EXPECT_EQ(inputs[4].group, inputs[5].group);
  EXPECT_NE(inputs[5].group, inputs[6].group);
  EXPECT_TRUE(inputs[7].lazy);
}

TEST(ArgumentsTest, OneDashAndLetters) {
  const auto result =
      parse({"-oout", "-Ldir", "-lfoo", "-ufirst", "-e", "start", "-ebegin", "-O2"});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->output, "out");
  EXPECT_THAT(result->search_paths, ElementsAre("dir"));
  EXPECT_THAT(result->undefined_symbols, ElementsAre("first", "start", "begin"));
}

TEST(ArgumentsTest, TargetArgumentsGoToTheirTarget) {
  const auto result =
      parse({"--device-linker=--defsym=a=b", "--device-linker=nvptx64-nvidia-cuda=-x",
             "--device-linker=x86_64-unknown-linux-gnu=-y"});
  ASSERT_TRUE(result);
  EXPECT_THAT(arguments_for(result->device_linker, "nvptx64-nvidia-cuda"),
              ElementsAre("--defsym=a=b", "-x"));
  EXPECT_THAT(arguments_for(result->device_linker, "x86_64-unknown-linux-gnu"),
              ElementsAre("--defsym=a=b", "-y"));
}

TEST(ArgumentsTest, MissingValueIsAnError) {
  const auto result = parse({"a.o", "-o"});
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message, HasSubstr("'-o' needs a value"));
}

} // namespace
} // namespace gantry::link
