// Many threads at once.
#include "driver_test.h"

#include <atomic>
#include <random>
#include <thread>
#include <vector>

namespace {

class ThreadsTest : public DriverTest {
protected:
  static constexpr unsigned kThreads = 8;

  template <typename Body>
  void on_threads(Body&& body) {
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, i] {
        EXPECT_OK(cuda().cuCtxSetCurrent(context_));
        body(i);
      });
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
  }
};

TEST_F(ThreadsTest, EachWithItsStream) {
  on_threads([&](unsigned thread) {
    CUstream stream = nullptr;
    ASSERT_OK(cuda().cuStreamCreate(&stream, thread % 2));
    CUdeviceptr memory = 0;
    ASSERT_OK(cuda().cuMemAlloc_v2(&memory, 1024));
    std::vector<std::uint32_t> host(256);
    for (std::uint32_t i = 0; i < 50; ++i) {
      EXPECT_OK(launch_fill(memory, i, 256, stream));
      EXPECT_OK(launch_fill(memory, thread, 256, stream, "add"));
      EXPECT_OK(cuda().cuMemcpyDtoHAsync_v2(host.data(), memory, 1024, stream));
      EXPECT_OK(cuda().cuStreamSynchronize(stream));
      EXPECT_EQ(host, std::vector<std::uint32_t>(256, i + thread));
    }
    EXPECT_OK(cuda().cuMemFree_v2(memory));
    EXPECT_OK(cuda().cuStreamDestroy_v2(stream));
  });
}

TEST_F(ThreadsTest, OneStreamForAll) {
  const CUdeviceptr counter = allocate(4);
  const CUfunction count = function("count");
  on_threads([&](unsigned) {
    CUdeviceptr out = counter;
    void* parameters[] = {&out};
    for (int i = 0; i < 100; ++i) {
      EXPECT_OK(cuda().cuLaunchKernel(count, 2, 1, 1, 32, 1, 1, 0, nullptr, parameters, nullptr));
      if (i % 10 == 0) {
        EXPECT_OK(cuda().cuStreamSynchronize(nullptr));
      }
    }
  });
  EXPECT_OK(cuda().cuCtxSynchronize());
  EXPECT_EQ(words(counter, 1)[0], kThreads * 100 * 64);
}

TEST_F(ThreadsTest, RandomCallsOnSharedObjects) {
  CUstream streams[4] = {};
  for (unsigned i = 0; i < 4; ++i) {
    ASSERT_OK(cuda().cuStreamCreate(&streams[i], i % 2));
  }
  CUevent events[4] = {};
  for (CUevent& event : events) {
    ASSERT_OK(cuda().cuEventCreate(&event, 0));
  }
  const CUdeviceptr counter = allocate(4);
  const CUdeviceptr other = allocate(4);
  const CUfunction count = function("count");
  std::atomic<std::uint32_t> launches = 0;
  on_threads([&](unsigned thread) {
    std::minstd_rand random(thread + 1);
    CUdeviceptr out = counter;
    void* parameters[] = {&out};
    for (int i = 0; i < 300; ++i) {
      const unsigned pick = random() % 5;
      const CUstream stream = pick == 4 ? nullptr : streams[pick];
      const CUevent event = events[random() % 4];
      switch (random() % 8) {
      case 0:
      case 1:
        EXPECT_OK(cuda().cuLaunchKernel(count, 1, 1, 1, 1, 1, 1, 0, stream, parameters, nullptr));
        ++launches;
        break;
      case 2:
        EXPECT_OK(cuda().cuEventRecord(event, stream));
        break;
      case 3:
        EXPECT_OK(cuda().cuStreamWaitEvent(stream, event, 0));
        break;
      case 4:
        EXPECT_OK(cuda().cuStreamSynchronize(stream));
        break;
      case 5:
        EXPECT_OK(cuda().cuEventSynchronize(event));
        break;
      case 6: {
        const CUresult result = cuda().cuStreamQuery(stream);
        EXPECT_TRUE(result == CUDA_SUCCESS || result == CUDA_ERROR_NOT_READY) << result;
        break;
      }
      default: {
        std::uint32_t value = 0;
        EXPECT_OK(cuda().cuMemcpyDtoH_v2(&value, other, 4));
        EXPECT_EQ(value, 0U);
      }
      }
    }
  });
  EXPECT_OK(cuda().cuCtxSynchronize());
  EXPECT_EQ(words(counter, 1)[0], launches);
}

TEST_F(ThreadsTest, ContextsAndModulesOfTheirOwn) {
  on_threads([&](unsigned) {
    for (int i = 0; i < 5; ++i) {
      CUcontext context = nullptr;
      ASSERT_OK(cuda().cuCtxCreate_v2(&context, 0, device_));
      CUmodule module = nullptr;
      ASSERT_OK(cuda().cuModuleLoadData(&module, kKernels));
      CUfunction empty = nullptr;
      ASSERT_OK(cuda().cuModuleGetFunction(&empty, module, "empty"));
      CUdeviceptr memory = 0;
      EXPECT_OK(cuda().cuMemAlloc_v2(&memory, 4096));
      EXPECT_OK(cuda().cuLaunchKernel(empty, 4, 1, 1, 32, 1, 1, 0, nullptr, nullptr, nullptr));
      EXPECT_OK(cuda().cuCtxDestroy_v2(context));
    }
  });
}

} // namespace
