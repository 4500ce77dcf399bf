#include "hsa_test.h"

#include <atomic>
#include <chrono>
#include <thread>

namespace simt_hsa_test {
namespace {

using QueueTest = KernelTest;

TEST_F(QueueTest, HasTheLayoutThatDeviceCodeKnows) {
  hsa_queue_t* const made = queue(nullptr, 256);
  const auto* const layout = reinterpret_cast<const amd_queue_t*>(made);
  EXPECT_EQ(made->size, 256u);
  EXPECT_EQ(made->type, HSA_QUEUE_TYPE_MULTI);
  EXPECT_EQ(made->features, HSA_QUEUE_FEATURE_KERNEL_DISPATCH);
  EXPECT_EQ(layout->write_dispatch_id, 0u);
  EXPECT_EQ(layout->read_dispatch_id, 0u);
  // GCC's code converts addresses with them, and the others' code has them built in.
  EXPECT_EQ(layout->group_segment_aperture_base_hi, 1u << 16);
  EXPECT_EQ(layout->private_segment_aperture_base_hi, 2u << 16);
  for (std::uint32_t i = 0; i < made->size; ++i) {
    const auto* const packet =
        static_cast<const std::uint16_t*>(made->base_address) + std::size_t{32} * i;
    ASSERT_EQ(*packet, std::uint16_t{HSA_PACKET_TYPE_INVALID}) << i;
  }
  EXPECT_EQ(HSA(hsa_queue_add_write_index_release)(made, 3), 0u);
  EXPECT_EQ(HSA(hsa_queue_add_write_index_relaxed)(made, 1), 3u);
  EXPECT_EQ(layout->write_dispatch_id, 4u);
  EXPECT_EQ(HSA(hsa_queue_load_read_index_acquire)(made), 0u);
  EXPECT_EQ(HSA(hsa_queue_destroy)(made), kSuccess);
}

TEST_F(QueueTest, RefusesWhatIsWrong) {
  hsa_queue_t* made = nullptr;
  const auto create = [&](hsa_agent_t agent, std::uint32_t size, std::uint32_t type,
                          hsa_queue_t** place) {
    return HSA(hsa_queue_create)(agent, size, type, nullptr, nullptr, UINT32_MAX, UINT32_MAX,
                                 place);
  };
  EXPECT_EQ(create({1}, 64, 0, &made), HSA_STATUS_ERROR_INVALID_AGENT);
  EXPECT_EQ(create(cpu, 64, 0, &made), HSA_STATUS_ERROR_INVALID_QUEUE_CREATION);
  EXPECT_EQ(create(gpu, 64, HSA_QUEUE_TYPE_COOPERATIVE, &made),
            HSA_STATUS_ERROR_INVALID_QUEUE_CREATION);
  EXPECT_EQ(create(gpu, 0, 0, &made), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(create(gpu, 100, 0, &made), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(create(gpu, 1U << 31, 0, &made), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(create(gpu, 64, 7, &made), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(create(gpu, 64, 0, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  ASSERT_EQ(create(gpu, 1, HSA_QUEUE_TYPE_SINGLE, &made), kSuccess);
  EXPECT_EQ(made->size, 64u) << "the least";
  EXPECT_EQ(HSA(hsa_signal_destroy)(made->doorbell_signal), HSA_STATUS_ERROR_INVALID_SIGNAL);
  EXPECT_EQ(HSA(hsa_queue_destroy)(nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(HSA(hsa_queue_destroy)(reinterpret_cast<hsa_queue_t*>(&made)),
            HSA_STATUS_ERROR_INVALID_QUEUE);
  EXPECT_EQ(HSA(hsa_queue_destroy)(made), kSuccess);
  EXPECT_EQ(HSA(hsa_queue_destroy)(made), HSA_STATUS_ERROR_INVALID_QUEUE);
  EXPECT_EQ(HSA(hsa_queue_load_read_index_scacquire)(made), 0u);
}

TEST_F(QueueTest, KernelsRun) {
  hsa_queue_t* const made = queue();
  auto* const word = memory<std::uint64_t>();
  const hsa_signal_t done =
      dispatch(made, {Deed::kStore, reinterpret_cast<std::uint64_t>(word), 17});
  EXPECT_EQ(wait(done, HSA_SIGNAL_CONDITION_LT, 1), 0);
  EXPECT_EQ(*word, 17u);
  EXPECT_EQ(HSA(hsa_queue_load_read_index_scacquire)(made), 1u);
  EXPECT_EQ(*static_cast<std::uint16_t*>(made->base_address),
            std::uint16_t{HSA_PACKET_TYPE_INVALID});
  hsa_amd_profiling_dispatch_time_t time = {};
  EXPECT_EQ(HSA(hsa_amd_profiling_set_profiler_enabled)(made, 1), kSuccess);
  EXPECT_EQ(HSA(hsa_amd_profiling_get_dispatch_time)(gpu, done, &time), kSuccess);
  EXPECT_NE(time.start, 0u);
  EXPECT_LE(time.start, time.end);
  EXPECT_EQ(HSA(hsa_amd_profiling_get_dispatch_time)(gpu, signal(1), &time), HSA_STATUS_ERROR);
  EXPECT_EQ(HSA(hsa_amd_profiling_get_dispatch_time)(gpu, done, nullptr),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(HSA(hsa_queue_destroy)(made), kSuccess);
}

TEST_F(QueueTest, PacketsAreInOrderAndTheRingGoesRound) {
  hsa_queue_t* const made = queue();
  auto* const word = memory<std::uint64_t>();
  const auto place = reinterpret_cast<std::uint64_t>(word);
  hsa_signal_t last = {};
  for (std::uint64_t i = 0; i < 300; ++i) {
    // As runtimes do: not more than there is room for.
    while (i >= HSA(hsa_queue_load_read_index_scacquire)(made) + made->size) {
      std::this_thread::yield();
    }
    last = dispatch(made, {Deed::kAdd, place, 1});
  }
  EXPECT_EQ(wait(last, HSA_SIGNAL_CONDITION_LT, 1), 0);
  EXPECT_EQ(*word, 300u);
}

TEST_F(QueueTest, APacketThatIsNotValidYetIsWaitedFor) {
  hsa_queue_t* const made = queue();
  auto* const word = memory<std::uint64_t>();
  const auto place = reinterpret_cast<std::uint64_t>(word);
  std::uint64_t index = 0;
  auto* const first = next_packet<hsa_barrier_and_packet_t>(made, index);
  const hsa_signal_t second = dispatch(made, {Deed::kStore, place, 1});
  EXPECT_EQ(HSA(hsa_signal_wait_scacquire)(second, HSA_SIGNAL_CONDITION_LT, 1, 50'000'000,
                                           HSA_WAIT_STATE_BLOCKED),
            1);
  submit(made, first, HSA_PACKET_TYPE_BARRIER_AND, index);
  EXPECT_EQ(wait(second, HSA_SIGNAL_CONDITION_LT, 1), 0);
  EXPECT_EQ(*word, 1u);
}

TEST_F(QueueTest, BarriersWaitForAllOrForOne) {
  hsa_queue_t* const made = queue();
  hsa_queue_t* const other = queue();
  const hsa_signal_t a = signal(1);
  const hsa_signal_t b = signal(1);
  const hsa_signal_t all = barrier(made, HSA_PACKET_TYPE_BARRIER_AND, {a, {}, b});
  const hsa_signal_t any = barrier(other, HSA_PACKET_TYPE_BARRIER_OR, {{}, a, b});
  HSA(hsa_signal_store_relaxed)(b, 0);
  EXPECT_EQ(wait(any, HSA_SIGNAL_CONDITION_LT, 1), 0);
  EXPECT_EQ(HSA(hsa_signal_wait_scacquire)(all, HSA_SIGNAL_CONDITION_LT, 1, 30'000'000,
                                           HSA_WAIT_STATE_BLOCKED),
            1);
  HSA(hsa_signal_store_relaxed)(a, 0);
  EXPECT_EQ(wait(all, HSA_SIGNAL_CONDITION_LT, 1), 0);
  EXPECT_EQ(wait(barrier(made, HSA_PACKET_TYPE_BARRIER_OR, {}), HSA_SIGNAL_CONDITION_LT, 1), 0);
}

TEST_F(QueueTest, QueuesRunAtOnce) {
  auto* const word = memory<std::uint64_t>();
  const auto place = reinterpret_cast<std::uint64_t>(word);
  const hsa_signal_t waits = dispatch(queue(), {Deed::kWaitFor, place, 9});
  const hsa_signal_t stores = dispatch(queue(), {Deed::kStore, place, 9});
  EXPECT_EQ(wait(stores, HSA_SIGNAL_CONDITION_LT, 1), 0);
  EXPECT_EQ(wait(waits, HSA_SIGNAL_CONDITION_LT, 1), 0);
}

TEST_F(QueueTest, DestroyingWaitsForTheKernelThatRuns) {
  hsa_queue_t* const made = queue();
  auto* const word = memory<std::uint64_t>(2);
  (void)dispatch(made, {Deed::kMeet, reinterpret_cast<std::uint64_t>(word), 1});
  while (std::atomic_ref(word[1]).load() == 0) {
    std::this_thread::yield();
  }
  std::atomic<bool> released = false;
  std::thread releaser([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    released = true;
    std::atomic_ref(*word).store(1);
  });
  EXPECT_EQ(HSA(hsa_queue_destroy)(made), kSuccess);
  EXPECT_TRUE(released.load());
  releaser.join();
}

TEST_F(QueueTest, DestroyingEndsABarrier) {
  hsa_queue_t* const made = queue();
  const hsa_signal_t never = signal(1);
  const hsa_signal_t done = barrier(made, HSA_PACKET_TYPE_BARRIER_AND, {never});
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(HSA(hsa_queue_destroy)(made), kSuccess);
  EXPECT_LT(value(done), 0);
}

TEST_F(QueueTest, SeveralThreadsFillOne) {
  hsa_queue_t* const made = queue(nullptr, 1024);
  auto* const word = memory<std::uint64_t>();
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 100; ++k) {
        (void)wait(dispatch(made, {Deed::kAdd, reinterpret_cast<std::uint64_t>(word), 1}),
                   HSA_SIGNAL_CONDITION_LT, 1);
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(*word, 400u);
}

} // namespace
} // namespace simt_hsa_test
