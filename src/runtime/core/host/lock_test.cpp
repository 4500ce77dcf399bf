#include "runtime/core/host/lock.h"

#include <chrono>
#include <cstdlib>
#include <mutex>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace gantry::core {
namespace {

struct Locks : ::testing::Test {
  void SetUp() override {
#ifndef GANTRY_CHECKED
    GTEST_SKIP() << "builds with a sanitizer and debug builds alone check this";
#endif
  }
  Mutex registry{LockRank::kRegistry};
  Mutex data{LockRank::kDataEnvironment};
};

TEST_F(Locks, AreTakenInOrder) {
  const std::lock_guard first(registry);
  const std::lock_guard second(data);
}

TEST_F(Locks, AreNotTakenInAnotherOrder) {
  EXPECT_DEATH(
      {
        const std::lock_guard first(data);
        const std::lock_guard second(registry);
      },
      "a lock of a lower or the same rank is taken");
}

TEST_F(Locks, AreNotHeldWhereOthersAreWaitedFor) {
  expect_no_lock("the plugin is called");
  EXPECT_DEATH(
      {
        const std::lock_guard lock(data);
        expect_no_lock("the plugin is called");
      },
      fmt::format("the plugin is called with locks of ranks {:#x}",
                  1U << static_cast<unsigned>(LockRank::kDataEnvironment)));
}

TEST_F(Locks, AreGivenBackWhileTheirThreadWaits) {
  Condition changed;
  Lock lock(data);
  EXPECT_EQ(changed.wait_for(lock, std::chrono::milliseconds(1)), std::cv_status::timeout);
  lock.unlock();
  expect_no_lock("the plugin is called");
}

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
/// What of the order no rank says, such as of plugins' locks, is for ThreadSanitizer to see.
TEST(ThreadSanitizer, SeesLocksInAnotherOrder) {
  EXPECT_EXIT(
      {
        std::mutex first;
        std::mutex second;
        {
          const std::lock_guard outer(first);
          const std::lock_guard inner(second);
        }
        {
          const std::lock_guard outer(second);
          const std::lock_guard inner(first);
        }
        std::exit(0);
      },
      ::testing::ExitedWithCode(66), "lock-order-inversion");
}
#endif
#endif

} // namespace
} // namespace gantry::core
