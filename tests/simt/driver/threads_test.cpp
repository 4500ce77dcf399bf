// Many threads at once.
#include "driver_test.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <random>
#include <string>
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

/// A kernel that calls a function by pointer until it is told to end, counting, and one that takes
/// long to compile. A text that has not been compiled before.
std::string calls_and_much_code() {
  const auto now = std::chrono::system_clock::now().time_since_epoch().count();
  std::string text = "// " + std::to_string(now) + R"(
.version 7.0
.target sm_70
.address_size 64
.func (.param .b32 r) next(.param .b32 x) {
  .reg .b32 %r;
  ld.param.b32 %r, [x];
  add.u32 %r, %r, 1;
  st.param.b32 [r], %r;
  ret;
}
.visible .entry calls(.param .u64 words) {
  .reg .pred %p;
  .reg .b32 %r<4>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [words];
  mov.u64 %rd2, next;
  mov.u32 %r1, 0;
P: .callprototype (.param .b32 _) _ (.param .b32 _);
LOOP:
  {
    .param .b32 x;
    .param .b32 r;
    st.param.b32 [x], %r1;
    call (r), %rd2, (x), P;
    ld.param.b32 %r1, [r];
  }
  st.volatile.global.u32 [%rd1], %r1;
  ld.volatile.global.u32 %r2, [%rd1+4];
  setp.eq.u32 %p, %r2, 0;
  @%p bra LOOP;
  ret;
}
.visible .entry much(.param .u64 words) {
  .reg .pred %p;
  .reg .b32 %r<4>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [words];
  mov.u32 %r1, %tid.x;
)";
  for (int i = 0; i < 400; ++i) {
    const std::string number = std::to_string(i);
    text.append("  ld.global.u32 %r2, [%rd1+").append(std::to_string(4 * i));
    text.append("];\n  setp.lt.u32 %p, %r1, %r2;\n  @%p bra L").append(number);
    text.append(";\n  mad.lo.u32 %r1, %r1, %r2, ").append(number);
    text.append(";\nL").append(number).append(":\n");
  }
  return text + "  st.global.u32 [%rd1], %r1;\n  ret;\n}\n";
}

// Calls by pointer of a program do not wait while another function of it is compiled.
TEST_F(ThreadsTest, CallsByPointerGoOnWhileCodeIsMade) {
  if (!cuda().is_simulated) {
    GTEST_SKIP() << "another driver compiles modules as they are loaded";
  }
  using Clock = std::chrono::steady_clock;
  CUmodule module = nullptr;
  CUfunction calls = nullptr;
  CUfunction much = nullptr;
  CUstream stream = nullptr;
  ASSERT_OK(cuda().cuModuleLoadData(&module, calls_and_much_code().c_str()));
  ASSERT_OK(cuda().cuModuleGetFunction(&calls, module, "calls"));
  ASSERT_OK(cuda().cuModuleGetFunction(&much, module, "much"));
  ASSERT_OK(cuda().cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  void* memory = nullptr;
  ASSERT_OK(cuda().cuMemAllocHost_v2(&memory, 8));
  auto* const words = static_cast<volatile std::uint32_t*>(memory);
  words[0] = 0;
  words[1] = 0;
  auto address = reinterpret_cast<CUdeviceptr>(memory);
  void* parameters[] = {&address};
  ASSERT_OK(cuda().cuLaunchKernel(calls, 1, 1, 1, 1, 1, 1, 0, stream, parameters, nullptr));
  while (words[0] == 0 && cuda().cuStreamQuery(stream) == CUDA_ERROR_NOT_READY) {
  }
  std::atomic<bool> compiled = false;
  const auto begin = Clock::now();
  std::thread compiler([&] {
    EXPECT_OK(cuda().cuCtxSetCurrent(context_));
    EXPECT_OK(cuda().cuFuncLoad(much));
    compiled = true;
  });
  Clock::duration longest = {};
  auto changed = begin;
  for (std::uint32_t last = words[0]; !compiled;) {
    const auto now = Clock::now();
    longest = std::max(longest, now - changed);
    if (words[0] != last) {
      last = words[0];
      changed = now;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  const auto whole = Clock::now() - begin;
  compiler.join();
  words[1] = 1;
  EXPECT_OK(cuda().cuStreamSynchronize(stream));
  EXPECT_LT(longest, whole / 2);
  EXPECT_OK(cuda().cuMemFreeHost(memory));
  EXPECT_OK(cuda().cuStreamDestroy_v2(stream));
  EXPECT_OK(cuda().cuModuleUnload(module));
}

} // namespace
