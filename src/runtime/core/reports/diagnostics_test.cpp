#include "runtime/core/reports/diagnostics.h"

#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gantry::core {
namespace {

TEST(Label, BeginsWithThePositionIfThereIsOne) {
  EXPECT_EQ(label({"target", "z.cpp:3"}), "z.cpp:3: target");
  EXPECT_EQ(label({"target"}), "target");
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
  EXPECT_EXIT(fatal(Error{"it broke"}, {"target", "z.cpp:3"}), testing::ExitedWithCode(1),
              "^gantry: error: z.cpp:3: target: it broke\n$");
  EXPECT_EXIT(fatal(Error{"it broke"}, {""}), testing::ExitedWithCode(1),
              "^gantry: error: it broke\n$");
}

} // namespace
} // namespace gantry::core
