#include "simt/host/thread_pool.h"

#include <atomic>
#include <stdexcept>

#include <gtest/gtest.h>

namespace gantry::simt {
namespace {

// Whichever thread throws, run() does, when nobody is at the work any more; the pool goes on.
TEST(ThreadPool, WhatTheWorkThrowsRunThrows) {
  constexpr unsigned kThreads = 4;
  for (unsigned thrower = 0; thrower < kThreads; ++thrower) {
    for (int round = 0; round < 50; ++round) {
      std::atomic<unsigned> begun = 0;
      const auto work = [&](unsigned thread) {
        ++begun;
        if (thread == thrower) {
          throw std::runtime_error("thrown by the work");
        }
        while (thread == 0 && begun < kThreads) {
        }
      };
      EXPECT_THROW(ThreadPool::instance().run(kThreads, work), std::runtime_error);
    }
  }
  std::atomic<unsigned> calls = 0;
  ThreadPool::instance().run(1, [&](unsigned) { ++calls; });
  ThreadPool::instance().run(2, [&](unsigned thread) {
    ++calls;
    while (thread == 0 && calls < 3) {
    }
  });
  EXPECT_EQ(calls, 3u);
}

} // namespace
} // namespace gantry::simt
