#include "driver_test.h"

#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

namespace {

class StreamTest : public DriverTest {
protected:
  CUstream stream(unsigned flags = CU_STREAM_NON_BLOCKING) {
    CUstream result = nullptr;
    EXPECT_OK(cuda().cuStreamCreate(&result, flags));
    return result;
  }
  /// What is at the address when the stream has put the value there.
  std::uint32_t fill_and_read(CUdeviceptr address, std::uint32_t value, CUstream stream) {
    std::uint32_t result = 0;
    EXPECT_OK(launch_fill(address, value, 64, stream));
    EXPECT_OK(cuda().cuMemcpyDtoHAsync_v2(&result, address, sizeof(result), stream));
    EXPECT_OK(cuda().cuStreamSynchronize(stream));
    return result;
  }
};

/// Notes numbers in the order in which host functions are called.
class Log {
public:
  void note_in(CUstream stream, int number) {
    EXPECT_OK(cuda().cuLaunchHostFunc(stream, &Log::note, new Entry{this, number}));
  }
  std::vector<int> numbers() {
    const std::lock_guard lock(mutex_);
    return numbers_;
  }

private:
  struct Entry {
    Log* log;
    int number;
  };
  static void note(void* argument) {
    auto* const entry = static_cast<Entry*>(argument);
    {
      const std::lock_guard lock(entry->log->mutex_);
      entry->log->numbers_.push_back(entry->number);
    }
    delete entry;
  }
  std::mutex mutex_;
  std::vector<int> numbers_;
};

TEST_F(StreamTest, RunsInOrder) {
  const CUstream s = stream();
  const CUdeviceptr a = allocate(4096);
  for (std::uint32_t i = 0; i < 200; ++i) {
    EXPECT_OK(launch_fill(a, i, 1024, s));
    EXPECT_OK(launch_fill(a, 1, 1024, s, "add"));
  }
  EXPECT_OK(cuda().cuStreamSynchronize(s));
  EXPECT_EQ(words(a, 1024), std::vector<std::uint32_t>(1024, 200));
  EXPECT_OK(cuda().cuStreamQuery(s));
}

TEST_F(StreamTest, OneDoesNotWaitForAnother) {
  const CUdeviceptr a = allocate(256);
  const CUdeviceptr b = allocate(256);
  const CUstream held = stream();
  const CUstream blocking = stream(CU_STREAM_DEFAULT);
  const CUstream free = stream();
  Gate gate;
  gate.close_in(held);
  gate.await_arrival();
  EXPECT_EQ(fill_and_read(a, 1, blocking), 1U);
  EXPECT_EQ(fill_and_read(b, 2, free), 2U);
  EXPECT_EQ(cuda().cuStreamQuery(held), CUDA_ERROR_NOT_READY);
  gate.open();
  EXPECT_OK(cuda().cuCtxSynchronize());
}

TEST_F(StreamTest, HostFunctionsOfSeveralRunAtOnce) {
  if (!cuda().is_simulated) {
    GTEST_SKIP() << "NVIDIA's driver calls one host function after the other";
  }
  Meeting meeting(3);
  const CUstream streams[] = {stream(), stream(), stream(CU_STREAM_DEFAULT)};
  for (const CUstream s : streams) {
    EXPECT_OK(cuda().cuLaunchHostFunc(s, &Meeting::join, &meeting));
  }
  EXPECT_OK(cuda().cuCtxSynchronize());
  EXPECT_EQ(meeting.arrived(), 3);
}

TEST_F(StreamTest, LegacyStreamWaitsForBlockingOnes) {
  const CUstream blocking = stream(CU_STREAM_DEFAULT);
  Log log;
  Gate gate;
  gate.close_in(blocking);
  log.note_in(blocking, 1);
  log.note_in(nullptr, 2);
  log.note_in(blocking, 3);
  log.note_in(CU_STREAM_LEGACY, 4);
  EXPECT_EQ(cuda().cuStreamQuery(nullptr), CUDA_ERROR_NOT_READY);
  gate.open();
  EXPECT_OK(cuda().cuStreamSynchronize(nullptr));
  EXPECT_EQ(log.numbers(), (std::vector<int>{1, 2, 3, 4}));
}

TEST_F(StreamTest, NonBlockingOnesDoNotWaitForLegacy) {
  const CUstream free = stream(CU_STREAM_NON_BLOCKING);
  const CUdeviceptr a = allocate(256);
  Gate gate;
  gate.close_in(nullptr);
  EXPECT_OK(launch_fill(a, 2, 64, nullptr));
  EXPECT_EQ(fill_and_read(a, 1, free), 1U);
  gate.open();
  EXPECT_OK(cuda().cuCtxSynchronize());
  EXPECT_EQ(words(a, 1)[0], 2U);
}

TEST_F(StreamTest, EachThreadHasADefaultStream) {
  const CUdeviceptr a = allocate(256);
  Gate gate;
  gate.close_in(CU_STREAM_PER_THREAD);
  gate.await_arrival();
  std::atomic<bool> done = false;
  std::thread other([&] {
    EXPECT_OK(cuda().cuCtxSetCurrent(context_));
    EXPECT_EQ(fill_and_read(a, 1, CU_STREAM_PER_THREAD), 1U);
    done = true;
  });
  other.join();
  EXPECT_TRUE(done);
  EXPECT_EQ(cuda().cuStreamQuery(CU_STREAM_PER_THREAD), CUDA_ERROR_NOT_READY);
  using Query = CUresult (*)(CUstream);
  const auto query = reinterpret_cast<Query>(cuda().find("cuStreamQuery_ptsz"));
  ASSERT_NE(query, nullptr);
  EXPECT_EQ(query(nullptr), CUDA_ERROR_NOT_READY);
  gate.open();
  EXPECT_OK(cuda().cuStreamSynchronize(CU_STREAM_PER_THREAD));
  EXPECT_OK(query(nullptr));
}

TEST_F(StreamTest, DestroyedOneStillRuns) {
  const CUstream s = stream();
  Log log;
  Gate gate;
  gate.close_in(s);
  log.note_in(s, 1);
  EXPECT_OK(cuda().cuStreamDestroy_v2(s));
  if (cuda().is_simulated) {
    EXPECT_EQ(cuda().cuStreamDestroy_v2(s), CUDA_ERROR_INVALID_HANDLE);
    EXPECT_EQ(cuda().cuStreamQuery(s), CUDA_ERROR_INVALID_HANDLE);
  }
  EXPECT_TRUE(log.numbers().empty());
  gate.open();
  EXPECT_OK(cuda().cuCtxSynchronize());
  EXPECT_EQ(log.numbers(), std::vector<int>{1});
}

TEST_F(StreamTest, HostFunctionsMayNotCallTheDriver) {
  struct Results {
    CUresult device;
    CUresult allocation;
    CUresult synchronise;
    const char* text;
  } results = {};
  const auto call = [](void* argument) {
    auto* const r = static_cast<Results*>(argument);
    CUdevice device = 0;
    CUdeviceptr address = 0;
    r->device = cuda().cuCtxGetDevice(&device);
    r->allocation = cuda().cuMemAlloc_v2(&address, 16);
    r->synchronise = cuda().cuCtxSynchronize();
    cuda().cuGetErrorString(CUDA_ERROR_NOT_PERMITTED, &r->text);
  };
  EXPECT_OK(cuda().cuLaunchHostFunc(stream(), call, &results));
  EXPECT_OK(cuda().cuCtxSynchronize());
  EXPECT_EQ(results.device, CUDA_ERROR_NOT_PERMITTED);
  EXPECT_EQ(results.allocation, CUDA_ERROR_NOT_PERMITTED);
  EXPECT_EQ(results.synchronise, CUDA_ERROR_NOT_PERMITTED);
  EXPECT_STREQ(results.text, "operation not permitted");
}

TEST_F(StreamTest, CallbacksGetTheirArguments) {
  struct Seen {
    CUstream stream = nullptr;
    CUresult status = CUDA_ERROR_UNKNOWN;
  } seen;
  const CUstream s = stream();
  EXPECT_OK(cuda().cuStreamAddCallback(
      s,
      [](CUstream from, CUresult status, void* argument) {
        *static_cast<Seen*>(argument) = {from, status};
      },
      &seen, 0));
  EXPECT_OK(cuda().cuStreamSynchronize(s));
  EXPECT_EQ(seen.stream, s);
  EXPECT_EQ(seen.status, CUDA_SUCCESS);
  EXPECT_EQ(cuda().cuStreamAddCallback(s, nullptr, nullptr, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuda().cuLaunchHostFunc(s, nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(StreamTest, DescribeThemselves) {
  CUstream s = nullptr;
  int least = 0;
  int greatest = 0;
  EXPECT_OK(cuda().cuCtxGetStreamPriorityRange(&least, &greatest));
  EXPECT_LE(greatest, least);
  ASSERT_OK(cuda().cuStreamCreateWithPriority(&s, CU_STREAM_NON_BLOCKING, -1000));
  int priority = 0;
  EXPECT_OK(cuda().cuStreamGetPriority(s, &priority));
  EXPECT_EQ(priority, greatest);
  unsigned flags = 0;
  EXPECT_OK(cuda().cuStreamGetFlags(s, &flags));
  EXPECT_EQ(flags, static_cast<unsigned>(CU_STREAM_NON_BLOCKING));
  CUcontext context = nullptr;
  EXPECT_OK(cuda().cuStreamGetCtx(s, &context));
  EXPECT_EQ(context, context_);
  unsigned long long first = 0;
  unsigned long long second = 0;
  EXPECT_OK(cuda().cuStreamGetId(s, &first));
  EXPECT_OK(cuda().cuStreamGetId(nullptr, &second));
  EXPECT_NE(first, second);
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_ACTIVE;
  EXPECT_OK(cuda().cuStreamIsCapturing(s, &status));
  EXPECT_EQ(status, CU_STREAM_CAPTURE_STATUS_NONE);
  EXPECT_EQ(cuda().cuStreamCreate(&s, 8), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuda().cuStreamCreate(nullptr, 0), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(StreamTest, KeepAttributes) {
  const CUstream one = stream();
  const CUstream two = stream();
  CUlaunchAttributeValue value = {};
  value.priority = -2;
  EXPECT_OK(cuda().cuStreamSetAttribute(one, CU_LAUNCH_ATTRIBUTE_PRIORITY, &value));
  EXPECT_OK(cuda().cuStreamCopyAttributes(two, one));
  value = {};
  EXPECT_OK(cuda().cuStreamGetAttribute(two, CU_LAUNCH_ATTRIBUTE_PRIORITY, &value));
  EXPECT_EQ(value.priority, -2);
  EXPECT_EQ(cuda().cuStreamSetAttribute(one, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &value),
            CUDA_ERROR_INVALID_VALUE);
  if (cuda().is_simulated) { // NVIDIA's driver writes there
    EXPECT_EQ(cuda().cuStreamGetAttribute(one, CU_LAUNCH_ATTRIBUTE_PRIORITY, nullptr),
              CUDA_ERROR_INVALID_VALUE);
  }
}

class EventTest : public StreamTest {
protected:
  CUevent event(unsigned flags = CU_EVENT_DEFAULT) {
    CUevent result = nullptr;
    EXPECT_OK(cuda().cuEventCreate(&result, flags));
    return result;
  }
};

TEST_F(EventTest, UnrecordedOneHasPassed) {
  const CUevent e = event();
  EXPECT_OK(cuda().cuEventQuery(e));
  EXPECT_OK(cuda().cuEventSynchronize(e));
  EXPECT_OK(cuda().cuStreamWaitEvent(stream(), e, 0));
}

TEST_F(EventTest, OrdersStreams) {
  const CUstream first = stream();
  const CUstream second = stream();
  const CUevent e = event(CU_EVENT_DISABLE_TIMING);
  Log log;
  Gate gate;
  gate.close_in(first);
  log.note_in(first, 1);
  EXPECT_OK(cuda().cuEventRecord(e, first));
  EXPECT_EQ(cuda().cuEventQuery(e), CUDA_ERROR_NOT_READY);
  EXPECT_OK(cuda().cuStreamWaitEvent(second, e, 0));
  log.note_in(second, 2);
  // The wait is for the record as it was.
  EXPECT_OK(cuda().cuEventRecord(e, stream()));
  EXPECT_OK(cuda().cuEventQuery(e));
  EXPECT_EQ(cuda().cuStreamQuery(second), CUDA_ERROR_NOT_READY);
  gate.open();
  EXPECT_OK(cuda().cuStreamSynchronize(second));
  EXPECT_EQ(log.numbers(), (std::vector<int>{1, 2}));
}

TEST_F(EventTest, DestroyedOneIsStillWaitedFor) {
  const CUstream first = stream();
  const CUstream second = stream();
  const CUevent e = event();
  Log log;
  Gate gate;
  gate.close_in(first);
  EXPECT_OK(cuda().cuEventRecord(e, first));
  EXPECT_OK(cuda().cuStreamWaitEvent(second, e, 0));
  EXPECT_OK(cuda().cuEventDestroy_v2(e));
  log.note_in(second, 1);
  EXPECT_TRUE(log.numbers().empty());
  gate.open();
  EXPECT_OK(cuda().cuStreamSynchronize(second));
  EXPECT_EQ(log.numbers(), std::vector<int>{1});
}

TEST_F(EventTest, MeasuresTime) {
  const CUstream s = stream();
  const CUevent start = event();
  const CUevent end = event();
  float milliseconds = -1;
  EXPECT_EQ(cuda().cuEventElapsedTime(&milliseconds, start, end), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_OK(cuda().cuEventRecord(start, s));
  Gate gate;
  gate.close_in(s);
  EXPECT_OK(cuda().cuEventRecord(end, s));
  EXPECT_EQ(cuda().cuEventElapsedTime(&milliseconds, start, end), CUDA_ERROR_NOT_READY);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  gate.open();
  EXPECT_OK(cuda().cuEventSynchronize(end));
  EXPECT_OK(cuda().cuEventElapsedTime(&milliseconds, start, end));
  EXPECT_GE(milliseconds, 19.0F);
  const CUevent untimed = event(CU_EVENT_DISABLE_TIMING);
  EXPECT_OK(cuda().cuEventRecord(untimed, s));
  EXPECT_EQ(cuda().cuEventElapsedTime(&milliseconds, start, untimed), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(EventTest, BadArgumentsAreRefused) {
  CUevent e = nullptr;
  EXPECT_EQ(cuda().cuEventCreate(&e, 0x100), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuda().cuEventCreate(nullptr, 0), CUDA_ERROR_INVALID_VALUE);
  if (!cuda().is_simulated) {
    return;
  }
  EXPECT_EQ(cuda().cuEventRecord(nullptr, nullptr), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuda().cuEventRecord(reinterpret_cast<CUevent>(context_), nullptr),
            CUDA_ERROR_INVALID_HANDLE);
  e = event();
  EXPECT_OK(cuda().cuEventDestroy_v2(e));
  EXPECT_EQ(cuda().cuEventDestroy_v2(e), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuda().cuStreamWaitEvent(nullptr, e, 0), CUDA_ERROR_INVALID_HANDLE);
}

} // namespace
