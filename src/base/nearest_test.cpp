#include "base/nearest.h"

#include <array>

#include <gtest/gtest.h>

namespace gantry {
namespace {

constexpr std::array<std::string_view, 5> kKinds = {"cpu", "cuda", "simt", "worker",
                                                    "worker-aarch64"};

TEST(Nearest, IsTheWordWithTheFewestChanges) {
  EXPECT_EQ(nearest("wroker", kKinds), "worker"); // neighbours exchanged
  EXPECT_EQ(nearest("worke", kKinds), "worker");
  EXPECT_EQ(nearest("workerr", kKinds), "worker");
  EXPECT_EQ(nearest("simd", kKinds), "simt");
  EXPECT_EQ(nearest("CPU", kKinds), "cpu");
  EXPECT_EQ(nearest("worker-arch64", kKinds), "worker-aarch64");
}

TEST(Nearest, IsNothingForOtherWords) {
  EXPECT_EQ(nearest("", kKinds), "");
  EXPECT_EQ(nearest("x", kKinds), "");
  EXPECT_EQ(nearest("gpu", kKinds), ""); // which is no cpu
  EXPECT_EQ(nearest("rocm", kKinds), "");
  EXPECT_EQ(nearest(std::string(100000, 'c'), kKinds), "");
  EXPECT_EQ(nearest("cpu", {}), "");
}

TEST(Nearest, IsSuggestedInASentence) {
  EXPECT_EQ(suggestion("wroker", kKinds), " (did you mean 'worker'?)");
  EXPECT_EQ(suggestion("rocm", kKinds), "");
}

} // namespace
} // namespace gantry
