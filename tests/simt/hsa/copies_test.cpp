#include "hsa_test.h"

#include <chrono>
#include <numeric>
#include <thread>

namespace simt_hsa_test {
namespace {

using CopyTest = HsaTest;

TEST_F(CopyTest, WaitsForItsSignals) {
  for (const std::size_t bytes : {std::size_t{64}, std::size_t{4} << 20}) {
    std::vector<char> source(bytes, 'a');
    auto* const target = static_cast<char*>(memory(bytes, device));
    std::memset(target, 'b', bytes);
    const hsa_signal_t before[] = {signal(1), signal(1)};
    const hsa_signal_t done = signal(1);
    ASSERT_EQ(
        HSA(hsa_amd_memory_async_copy)(target, gpu, source.data(), cpu, bytes, 2, before, done),
        kSuccess);
    HSA(hsa_signal_store_relaxed)(before[0], 0);
    EXPECT_EQ(HSA(hsa_signal_wait_scacquire)(done, HSA_SIGNAL_CONDITION_LT, 1, 30'000'000,
                                             HSA_WAIT_STATE_BLOCKED),
              1);
    EXPECT_EQ(target[0], 'b');
    HSA(hsa_signal_store_relaxed)(before[1], 0);
    EXPECT_EQ(wait(done, HSA_SIGNAL_CONDITION_LT, 1), 0);
    EXPECT_EQ(target[0], 'a');
    EXPECT_EQ(target[bytes - 1], 'a');
    hsa_amd_profiling_async_copy_time_t time = {};
    EXPECT_EQ(HSA(hsa_amd_profiling_async_copy_enable)(true), kSuccess);
    EXPECT_EQ(HSA(hsa_amd_profiling_get_async_copy_time)(done, &time), kSuccess);
    EXPECT_LE(time.start, time.end);
  }
}

TEST_F(CopyTest, WithoutSignalsBeginsAtOnce) {
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{1} << 20}) {
    std::vector<char> source(bytes, 'a');
    void* const target = memory(bytes, device);
    const hsa_signal_t done = signal(3);
    ASSERT_EQ(
        HSA(hsa_amd_memory_async_copy)(target, gpu, source.data(), gpu, bytes, 0, nullptr, done),
        kSuccess);
    EXPECT_EQ(wait(done, HSA_SIGNAL_CONDITION_NE, 3), 2);
    EXPECT_EQ(std::memcmp(target, source.data(), bytes), 0);
  }
}

TEST_F(CopyTest, OneThatWaitsHoldsNoOtherUp) {
  constexpr std::size_t kBytes = 1 << 20;
  std::vector<char> source(kBytes, 'a');
  void* const target = memory(kBytes, device);
  const hsa_signal_t blocked = signal(1);
  const hsa_signal_t first = signal(1);
  const hsa_signal_t second = signal(1);
  ASSERT_EQ(
      HSA(hsa_amd_memory_async_copy)(target, gpu, source.data(), cpu, kBytes, 1, &blocked, first),
      kSuccess);
  ASSERT_EQ(
      HSA(hsa_amd_memory_async_copy)(target, gpu, source.data(), cpu, kBytes, 0, nullptr, second),
      kSuccess);
  EXPECT_EQ(wait(second, HSA_SIGNAL_CONDITION_LT, 1), 0);
  EXPECT_EQ(value(first), 1);
  HSA(hsa_signal_store_relaxed)(blocked, 0);
  EXPECT_EQ(wait(first, HSA_SIGNAL_CONDITION_LT, 1), 0);
}

TEST_F(CopyTest, ChainsOfCopiesEnd) {
  auto* const words = memory<std::uint64_t>(101);
  words[0] = 7;
  std::vector<hsa_signal_t> signals = {signal(1)};
  for (std::size_t i = 0; i < 100; ++i) {
    signals.push_back(signal(1));
    ASSERT_EQ(HSA(hsa_amd_memory_async_copy)(words + i + 1, gpu, words + i, gpu, 8, 1, &signals[i],
                                             signals[i + 1]),
              kSuccess);
  }
  HSA(hsa_signal_store_relaxed)(signals[0], 0);
  EXPECT_EQ(wait(signals.back(), HSA_SIGNAL_CONDITION_LT, 1), 0);
  EXPECT_EQ(words[100], 7u);
}

TEST_F(CopyTest, OfWhatIsNoMemoryFails) {
  auto* const words = memory<std::uint64_t>(2);
  const hsa_signal_t done = signal(1);
  testing::internal::CaptureStderr();
  ASSERT_EQ(HSA(hsa_amd_memory_async_copy)(words, gpu, reinterpret_cast<void*>(32), cpu, 8, 0,
                                           nullptr, done),
            kSuccess);
  EXPECT_LT(wait(done, HSA_SIGNAL_CONDITION_LT, 1), 0);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), testing::HasSubstr("no memory"));
}

TEST_F(CopyTest, RefusesWhatIsWrong) {
  auto* const words = memory<std::uint64_t>(2);
  const hsa_signal_t done = signal(1);
  const auto copy = [&](void* to, hsa_agent_t agent, const void* from, std::uint32_t count,
                        const hsa_signal_t* before, hsa_signal_t after) {
    return HSA(hsa_amd_memory_async_copy)(to, agent, from, gpu, 8, count, before, after);
  };
  const hsa_signal_t none = {5};
  EXPECT_EQ(copy(nullptr, gpu, words, 0, nullptr, done), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(copy(words, gpu, nullptr, 0, nullptr, done), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(copy(words, {3}, words, 0, nullptr, done), HSA_STATUS_ERROR_INVALID_AGENT);
  EXPECT_EQ(copy(words, gpu, words, 1, nullptr, done), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(copy(words, gpu, words, 1, &none, done), HSA_STATUS_ERROR_INVALID_SIGNAL);
  EXPECT_EQ(copy(words, gpu, words, 0, nullptr, none), HSA_STATUS_ERROR_INVALID_SIGNAL);
  EXPECT_EQ(HSA(hsa_amd_memory_async_copy)(words, gpu, words, gpu, 0, 0, nullptr, done), kSuccess);
  EXPECT_EQ(value(done), 1) << "no copy is nothing that ends";
}

} // namespace
} // namespace simt_hsa_test
