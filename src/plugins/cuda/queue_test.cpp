// Queues: memory for launches, whatever context is current, from many threads.

#include "plugins/cuda/testing/open_device.h"

#include <barrier>
#include <cstring>
#include <thread>
#include <vector>

namespace gantry::cuda {
namespace {

/// Adds 1 to the number that its parameter points to.
constexpr const char* kText = GANTRY_PTX R"(
.visible .entry add_one(.param .u64 at) {
  .reg .b64 %rd<2>;
  .reg .b32 %r<2>;
  ld.param.u64 %rd1, [at];
  ld.u32 %r1, [%rd1];
  add.u32 %r1, %r1, 1;
  st.u32 [%rd1], %r1;
  ret;
})";

class QueueTest : public KernelOnDevice {
protected:
  QueueTest() : KernelOnDevice(kText, "add_one") {}
};

TEST_F(QueueTest, LaunchesFindWhatTheHostHasWritten) {
  for (const std::size_t size : {64, 8, 5000, 64}) {
    void* host = nullptr;
    void* address = nullptr;
    ASSERT_EQ(entries::queue_launch_data(queue_, size, &host, &address), GANTRY_SUCCESS);
    std::memset(host, 0, size);
    *static_cast<unsigned*>(host) = 7;
    const gantry_launch launch = launch_of(address);
    ASSERT_EQ(entries::queue_launch(queue_, &kernel_, &launch), GANTRY_SUCCESS);
    ASSERT_EQ(entries::synchronize_queue(queue_), GANTRY_SUCCESS);
    unsigned number = 0;
    ASSERT_EQ(cuMemcpyDtoH_v2(&number, reinterpret_cast<CUdeviceptr>(address), sizeof number),
              CUDA_SUCCESS);
    EXPECT_EQ(number, 8U);
  }
}

TEST_F(QueueTest, AnyContextMayBeCurrent) {
  void* number = allocate(device_, sizeof(unsigned));
  const gantry_launch launch = launch_of(number);
  unsigned value = 1;
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(cuCtxSetCurrent(nullptr), CUDA_SUCCESS);
    ASSERT_EQ(entries::queue_copy_to_device(queue_, number, &value, sizeof value), GANTRY_SUCCESS);
    ASSERT_EQ(cuCtxSetCurrent(nullptr), CUDA_SUCCESS);
    ASSERT_EQ(entries::queue_launch(queue_, &kernel_, &launch), GANTRY_SUCCESS);
    ASSERT_EQ(cuCtxSetCurrent(nullptr), CUDA_SUCCESS);
    ASSERT_EQ(entries::queue_copy_to_host(queue_, &value, number, sizeof value), GANTRY_SUCCESS);
    ASSERT_EQ(cuCtxSetCurrent(nullptr), CUDA_SUCCESS);
    ASSERT_EQ(entries::synchronize_queue(queue_), GANTRY_SUCCESS);
    ASSERT_EQ(cuCtxSetCurrent(nullptr), CUDA_SUCCESS);
    std::int32_t done = 0;
    ASSERT_EQ(entries::query_queue(queue_, &done), GANTRY_SUCCESS);
    EXPECT_EQ(done, 1);
  }
  EXPECT_EQ(value, 3U);
  ASSERT_EQ(cuCtxSetCurrent(nullptr), CUDA_SUCCESS);
  EXPECT_EQ(entries::release(device_, number), GANTRY_SUCCESS);
}

TEST_F(QueueTest, ThreadsLaunchWithoutOne) {
  constexpr int kThreads = 4;
  constexpr unsigned kLaunches = 50;
  std::vector<void*> numbers(kThreads);
  const unsigned zero = 0;
  for (void*& number : numbers) {
    number = allocate(device_, sizeof zero);
    ASSERT_EQ(entries::copy_to_device(device_, number, &zero, sizeof zero), GANTRY_SUCCESS);
  }
  // Twice, so that queues which threads have left behind are used too.
  for (int round = 0; round < 2; ++round) {
    std::vector<std::thread> threads;
    for (void*& number : numbers) {
      threads.emplace_back([&] {
        const gantry_launch launch = launch_of(number);
        for (unsigned i = 0; i < kLaunches; ++i) {
          EXPECT_EQ(entries::launch(device_, &kernel_, &launch), GANTRY_SUCCESS);
        }
      });
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
  }
  for (void* number : numbers) {
    unsigned value = 0;
    ASSERT_EQ(entries::copy_to_host(device_, &value, number, sizeof value), GANTRY_SUCCESS);
    EXPECT_EQ(value, 2 * kLaunches);
    EXPECT_EQ(entries::release(device_, number), GANTRY_SUCCESS);
  }
}

TEST_F(QueueTest, ManyThreadsLeaveFewBehind) {
  constexpr std::size_t kThreads = 40;
  const auto streams = [&] {
    const std::lock_guard lock(device_->mutex);
    return device_->streams.size();
  };
  const std::size_t before = streams();
  const unsigned zero = 0;
  // One of each thread: copies that are not ordered do not meet.
  void* const numbers = allocate(device_, kThreads * sizeof zero);
  {
    std::barrier all_have_one(kThreads);
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, number = static_cast<unsigned*>(numbers) + i] {
        EXPECT_EQ(entries::copy_to_device(device_, number, &zero, sizeof zero), GANTRY_SUCCESS);
        all_have_one.arrive_and_wait();
      });
    }
  }
  EXPECT_LE(streams(), before + 16);
  EXPECT_EQ(entries::release(device_, numbers), GANTRY_SUCCESS);
}

} // namespace
} // namespace gantry::cuda
