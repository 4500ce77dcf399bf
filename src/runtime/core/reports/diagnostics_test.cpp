#include "runtime/core/reports/diagnostics.h"

#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gantry::core {
namespace {

TEST(Position, IsFileAndLine) {
  EXPECT_EQ(position(";zaxpy.cpp;main;12;9;;"), "zaxpy.cpp:12");
  EXPECT_EQ(position(";/a b/c.cpp;operator();7;1;;"), "/a b/c.cpp:7");
}

TEST(Position, IsEmptyWithoutDebugInformation) {
  for (const char* text : {";unknown;unknown;0;0;;", ";x.cpp;f;0;0;;", ";;f;12;1;;"}) {
    EXPECT_EQ(position(text), "") << text;
  }
  EXPECT_EQ(position(nullptr), "");
}

TEST(Position, IsEmptyForStringsThatAreNone) {
  for (const char* text : {"", ";", ";;", ";;;", "x", "x;y;z", ";a", ";a;b", ";a;b;c"}) {
    EXPECT_THAT(position(text), testing::AnyOf("", "a:c")) << text;
  }
}

TEST(Label, BeginsWithThePositionIfThereIsOne) {
  EXPECT_EQ(label({"target", ";z.cpp;main;3;1;;"}), "z.cpp:3: target");
  EXPECT_EQ(label({"target"}), "target");
}

TEST(MapName, IsTheFirstField) {
  EXPECT_EQ(map_name(";Y[0:N];zaxpy.cpp;9;1;;"), "Y[0:N]");
  EXPECT_EQ(map_name(";this->x;z.cpp;1;1;;"), "this->x");
}

TEST(MapName, IsTheSecondFieldOfFlangs) {
  EXPECT_EQ(map_name(";/home/a/heat.f90;t_new;12;5;;"), "t_new");
  EXPECT_EQ(map_name(";heat.F;unknown;12;5;;"), "");
  EXPECT_EQ(map_name(";s.f;heat.c;12;5;;"), "s.f");
}

TEST(MapName, IsThatOfADeclareTargetVariable) {
  EXPECT_EQ(map_name("table"), "table");
}

TEST(MapName, IsEmptyWhenThereIsNone) {
  for (const char* text : {"", ";", ";;;", ";unknown;unknown;0;0;;"}) {
    EXPECT_EQ(map_name(text), "") << text;
  }
  EXPECT_EQ(map_name(nullptr), "");
}

TEST(Lines, OfSeveralThreadsDoNotMix) {
  testing::internal::CaptureStderr();
  std::vector<std::thread> threads;
  for (char c = 'a'; c < 'e'; ++c) {
    threads.emplace_back([c] {
      for (int i = 0; i < 100; ++i) {
        write_info(std::string(100, c));
      }
    });
  }
  for (auto& thread : threads) {
    thread.join();
  }
  write_warning("done");
  std::vector<std::string> lines;
  std::istringstream output(testing::internal::GetCapturedStderr());
  for (std::string line; std::getline(output, line);) {
    lines.push_back(line);
  }
  ASSERT_EQ(lines.size(), 401u);
  EXPECT_EQ(lines.back(), "gantry: warning: done");
  lines.pop_back();
  for (const std::string& line : lines) {
    ASSERT_EQ(line, "gantry: info: " + std::string(100, line.back()));
  }
}

TEST(Fatal, EndsTheProcessWithOneMessage) {
  EXPECT_EXIT(fatal(Error{"it broke"}, {"target", ";z.cpp;main;3;1;;"}), testing::ExitedWithCode(1),
              "^gantry: error: z.cpp:3: target: it broke\n$");
  EXPECT_EXIT(fatal(Error{"it broke"}, {""}), testing::ExitedWithCode(1),
              "^gantry: error: it broke\n$");
}

} // namespace
} // namespace gantry::core
