#include "hsa_test.h"

#include <atomic>
#include <chrono>
#include <ctime>
#include <thread>

namespace simt_hsa_test {
namespace {

using SignalTest = HsaTest;
using std::chrono::milliseconds;

TEST_F(SignalTest, HasTheLayoutThatDeviceCodeKnows) {
  const hsa_signal_t made = signal(42);
  auto* const layout = reinterpret_cast<amd_signal_t*>(made.handle);
  EXPECT_EQ(layout->kind, AMD_SIGNAL_KIND_USER);
  EXPECT_EQ(reinterpret_cast<std::int64_t*>(made.handle)[1], 42);
  layout->value = 7; // as device code does it
  EXPECT_EQ(value(made), 7);
}

TEST_F(SignalTest, IsStoredSubtractedAndLoaded) {
  const hsa_signal_t made = signal(5);
  HSA(hsa_signal_store_relaxed)(made, -3);
  EXPECT_EQ(value(made), -3);
  HSA(hsa_signal_store_screlease)(made, 1);
  HSA(hsa_signal_subtract_screlease)(made, 4);
  EXPECT_EQ(HSA(hsa_signal_load_acquire)(made), -3);
  HSA(hsa_signal_store_release)(made, INT64_MIN);
  HSA(hsa_signal_subtract_screlease)(made, 1);
  EXPECT_EQ(value(made), INT64_MAX);
}

TEST_F(SignalTest, RefusesWhatIsNone) {
  hsa_signal_t made = {};
  EXPECT_EQ(HSA(hsa_signal_create)(0, 0, nullptr, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(HSA(hsa_signal_create)(0, 1, nullptr, &made), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  const hsa_agent_t twice[] = {gpu, gpu};
  EXPECT_EQ(HSA(hsa_signal_create)(0, 2, twice, &made), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(HSA(hsa_amd_signal_create)(0, 1, twice, HSA_AMD_SIGNAL_AMD_GPU_ONLY, &made), kSuccess);
  EXPECT_EQ(HSA(hsa_amd_signal_create)(0, 0, nullptr, HSA_AMD_SIGNAL_IPC, &made),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(HSA(hsa_signal_destroy)({0}), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(HSA(hsa_signal_destroy)({12345}), HSA_STATUS_ERROR_INVALID_SIGNAL);
  EXPECT_EQ(HSA(hsa_signal_destroy)({made.handle + 8}), HSA_STATUS_ERROR_INVALID_SIGNAL);
  EXPECT_EQ(HSA(hsa_signal_destroy)(made), kSuccess);
  EXPECT_EQ(HSA(hsa_signal_destroy)(made), HSA_STATUS_ERROR_INVALID_SIGNAL);
  HSA(hsa_signal_store_relaxed)(made, 1);
  HSA(hsa_signal_store_relaxed)({3}, 1);
  EXPECT_EQ(value(made), 0);
  EXPECT_EQ(HSA(hsa_signal_wait_scacquire)({3}, HSA_SIGNAL_CONDITION_EQ, 1, UINT64_MAX,
                                           HSA_WAIT_STATE_BLOCKED),
            0);
  const auto handler = [](hsa_signal_value_t, void*) { return false; };
  EXPECT_EQ(HSA(hsa_amd_signal_async_handler)(made, HSA_SIGNAL_CONDITION_EQ, 0, handler, nullptr),
            HSA_STATUS_ERROR_INVALID_SIGNAL);
  EXPECT_EQ(
      HSA(hsa_amd_signal_async_handler)(signal(0), HSA_SIGNAL_CONDITION_EQ, 0, nullptr, nullptr),
      HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

TEST_F(SignalTest, ManyExistAtOnce) {
  std::vector<hsa_signal_t> many;
  for (int i = 0; i < 5000; ++i) {
    many.push_back(signal(i));
  }
  for (int i = 0; i < 5000; ++i) {
    ASSERT_EQ(value(many[static_cast<std::size_t>(i)]), i);
    ASSERT_EQ(HSA(hsa_signal_destroy)(many[static_cast<std::size_t>(i)]), kSuccess);
  }
}

TEST_F(SignalTest, EachConditionIsWaitedFor) {
  const hsa_signal_t made = signal(5);
  EXPECT_EQ(wait(made, HSA_SIGNAL_CONDITION_EQ, 5), 5);
  EXPECT_EQ(wait(made, HSA_SIGNAL_CONDITION_NE, 4), 5);
  EXPECT_EQ(wait(made, HSA_SIGNAL_CONDITION_LT, 6), 5);
  EXPECT_EQ(wait(made, HSA_SIGNAL_CONDITION_GTE, 5), 5);
  const auto begin = std::chrono::steady_clock::now();
  for (const auto& [condition, compared] : {std::pair{HSA_SIGNAL_CONDITION_EQ, 4},
                                            {HSA_SIGNAL_CONDITION_NE, 5},
                                            {HSA_SIGNAL_CONDITION_LT, 5},
                                            {HSA_SIGNAL_CONDITION_GTE, 6}}) {
    EXPECT_EQ(
        HSA(hsa_signal_wait_acquire)(made, condition, compared, 20'000'000, HSA_WAIT_STATE_ACTIVE),
        5);
  }
  EXPECT_GE(std::chrono::steady_clock::now() - begin, milliseconds(80)) << "timeouts";
}

TEST_F(SignalTest, WakesWhoWaits) {
  for (const auto state : {HSA_WAIT_STATE_BLOCKED, HSA_WAIT_STATE_ACTIVE}) {
    const hsa_signal_t made = signal(1);
    std::thread waker([&] {
      std::this_thread::sleep_for(milliseconds(50));
      HSA(hsa_signal_store_relaxed)(made, 0);
    });
    EXPECT_EQ(HSA(hsa_signal_wait_scacquire)(made, HSA_SIGNAL_CONDITION_EQ, 0, UINT64_MAX, state),
              0);
    waker.join();
  }
}

TEST_F(SignalTest, AChangeByDeviceCodeIsSeen) {
  const hsa_signal_t made = signal(1);
  std::thread device_code([&] {
    std::this_thread::sleep_for(milliseconds(30));
    std::atomic_ref(reinterpret_cast<std::int64_t*>(made.handle)[1]).store(0);
  });
  EXPECT_EQ(wait(made, HSA_SIGNAL_CONDITION_EQ, 0), 0);
  device_code.join();
}

TEST_F(SignalTest, WaitingBurnsNoProcessor) {
  const hsa_signal_t made = signal(1);
  const std::clock_t begin = std::clock();
  EXPECT_EQ(HSA(hsa_signal_wait_scacquire)(made, HSA_SIGNAL_CONDITION_EQ, 0, 500'000'000,
                                           HSA_WAIT_STATE_ACTIVE),
            1);
  EXPECT_LT(std::clock() - begin, CLOCKS_PER_SEC / 10);
}

TEST_F(SignalTest, AWaitEndsWithItsSignal) {
  const hsa_signal_t made = signal(1);
  std::thread destroyer([&] {
    std::this_thread::sleep_for(milliseconds(30));
    EXPECT_EQ(HSA(hsa_signal_destroy)(made), kSuccess);
  });
  EXPECT_EQ(wait(made, HSA_SIGNAL_CONDITION_EQ, 0), 1);
  destroyer.join();
}

TEST_F(SignalTest, AnyOfSeveralIsWaitedFor) {
  hsa_signal_t signals[] = {signal(1), signal(1), signal(1)};
  hsa_signal_condition_t conditions[] = {HSA_SIGNAL_CONDITION_EQ, HSA_SIGNAL_CONDITION_EQ,
                                         HSA_SIGNAL_CONDITION_LT};
  hsa_signal_value_t values[] = {0, 0, -5};
  hsa_signal_value_t found = 0;
  EXPECT_EQ(HSA(hsa_amd_signal_wait_any)(3, signals, conditions, values, 10'000'000,
                                         HSA_WAIT_STATE_BLOCKED, &found),
            UINT32_MAX);
  std::thread waker([&] {
    std::this_thread::sleep_for(milliseconds(20));
    HSA(hsa_signal_store_relaxed)(signals[2], -9);
  });
  EXPECT_EQ(HSA(hsa_amd_signal_wait_any)(3, signals, conditions, values, UINT64_MAX,
                                         HSA_WAIT_STATE_BLOCKED, &found),
            2u);
  EXPECT_EQ(found, -9);
  waker.join();
}

struct Counted {
  std::atomic<int> calls = 0;
  int again = 0; ///< how often the handler stays
};

bool count(hsa_signal_value_t /*value*/, void* data) {
  auto* const counted = static_cast<Counted*>(data);
  return ++counted->calls <= counted->again;
}

bool happens(const std::atomic<int>& calls, int times) {
  for (int i = 0; i < 500 && calls.load() < times; ++i) {
    std::this_thread::sleep_for(milliseconds(10));
  }
  std::this_thread::sleep_for(milliseconds(20)); // no more often
  return calls.load() == times;
}

TEST_F(SignalTest, HandlersAreCalledWhenTheirConditionIsSatisfied) {
  const hsa_signal_t made = signal(1);
  Counted once;
  Counted thrice{.again = 2};
  Counted already;
  ASSERT_EQ(HSA(hsa_amd_signal_async_handler)(made, HSA_SIGNAL_CONDITION_EQ, 0, count, &once),
            kSuccess);
  ASSERT_EQ(HSA(hsa_amd_signal_async_handler)(made, HSA_SIGNAL_CONDITION_LT, 1, count, &thrice),
            kSuccess);
  ASSERT_EQ(HSA(hsa_amd_signal_async_handler)(made, HSA_SIGNAL_CONDITION_EQ, 1, count, &already),
            kSuccess);
  EXPECT_TRUE(happens(already.calls, 1));
  EXPECT_EQ(once.calls.load(), 0);
  HSA(hsa_signal_subtract_screlease)(made, 1);
  EXPECT_TRUE(happens(once.calls, 1));
  EXPECT_TRUE(happens(thrice.calls, 3));
}

TEST_F(SignalTest, AHandlerMayUseTheRuntime) {
  struct Two {
    hsa_signal_t second;
    std::atomic<int> calls;
  } two = {signal(1), 0};
  const auto handler = [](hsa_signal_value_t, void* data) {
    auto* const of = static_cast<Two*>(data);
    HSA(hsa_signal_subtract_screlease)(of->second, 1);
    ++of->calls;
    return false;
  };
  const hsa_signal_t first = signal(0);
  ASSERT_EQ(HSA(hsa_amd_signal_async_handler)(first, HSA_SIGNAL_CONDITION_EQ, 0, handler, &two),
            kSuccess);
  EXPECT_EQ(wait(two.second, HSA_SIGNAL_CONDITION_EQ, 0), 0);
  EXPECT_TRUE(happens(two.calls, 1));
}

} // namespace
} // namespace simt_hsa_test
