// Which launches GANTRY_SIMT_CHECK=race takes for ordered. CMakeLists.txt has a run with it.
#include "driver_test.h"

#include <cstdlib>
#include <string_view>

namespace {

class RaceTest : public DriverTest {
protected:
  void SetUp() override {
    const char* const checks = std::getenv("GANTRY_SIMT_CHECK");
    if (checks == nullptr || std::string_view(checks) != "race") {
      GTEST_SKIP() << "races are not looked for";
    }
    DriverTest::SetUp();
    place_ = allocate(4096);
  }
  CUstream stream(unsigned flags = CU_STREAM_NON_BLOCKING) {
    CUstream result = nullptr;
    EXPECT_OK(cuda().cuStreamCreate(&result, flags));
    return result;
  }
  void add_in(CUstream stream) { EXPECT_OK(launch_fill(place_, 1, 1024, stream, "add")); }
  CUevent event_in(CUstream stream) {
    CUevent event = nullptr;
    EXPECT_OK(cuda().cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
    EXPECT_OK(cuda().cuEventRecord(event, stream));
    return event;
  }
  static CUresult finish() { return cuda().cuCtxSynchronize(); }

  CUdeviceptr place_ = 0;
};

TEST_F(RaceTest, StreamsAreNotOrdered) {
  const CUstream first = stream();
  const CUstream second = stream();
  Gate gate;
  gate.close_in(first);
  add_in(first);
  add_in(second);
  gate.open();
  EXPECT_EQ(finish(), CUDA_ERROR_LAUNCH_FAILED);
}

TEST_F(RaceTest, AStreamIs) {
  const CUstream only = stream();
  for (int i = 0; i < 20; ++i) {
    add_in(only);
  }
  EXPECT_OK(finish());
}

TEST_F(RaceTest, AnEventOrders) {
  const CUstream first = stream();
  const CUstream second = stream();
  const CUstream third = stream();
  Gate gate;
  gate.close_in(first);
  add_in(first);
  EXPECT_OK(cuda().cuStreamWaitEvent(second, event_in(first), 0));
  add_in(second);
  // And what the awaited stream waits for.
  EXPECT_OK(cuda().cuStreamWaitEvent(third, event_in(second), 0));
  add_in(third);
  gate.open();
  EXPECT_OK(finish());
}

TEST_F(RaceTest, AnEventOrdersWhatIsBeforeItAlone) {
  const CUstream first = stream();
  const CUstream second = stream();
  Gate gate;
  gate.close_in(first);
  const CUevent before = event_in(first);
  add_in(first);
  EXPECT_OK(cuda().cuStreamWaitEvent(second, before, 0));
  add_in(second);
  gate.open();
  EXPECT_EQ(finish(), CUDA_ERROR_LAUNCH_FAILED);
}

TEST_F(RaceTest, TheDefaultStreamIsOrderedWithBlockingOnes) {
  const CUstream blocking = stream(CU_STREAM_DEFAULT);
  Gate gate;
  gate.close_in(blocking);
  add_in(blocking);
  add_in(nullptr);
  add_in(stream(CU_STREAM_DEFAULT));
  gate.open();
  EXPECT_OK(finish());
}

TEST_F(RaceTest, WaitingOrders) {
  const CUstream first = stream();
  add_in(first);
  EXPECT_OK(cuda().cuStreamSynchronize(first));
  add_in(stream());
  EXPECT_OK(finish());
}

/// All threads read what the first one has written, twice.
constexpr const char* kTurns = ".version 8.0\n.target sm_80\n.address_size 64\n"
                               R"(
.shared .align 4 .b8 places[512];
.visible .entry turns() {
  .reg .pred %p; .reg .b32 %r<6>;
  mov.u32 %r1, %tid.x; mov.u32 %r4, 0;
  mov.u32 %r5, places; mad.lo.u32 %r3, %r1, 4, %r5;
again:
  st.shared.u32 [%r3], %r1;
  bar.sync 0;
  ld.volatile.shared.u32 %r2, [%r5];
  bar.sync 0;
  add.u32 %r4, %r4, 1; setp.lt.u32 %p, %r4, 2;
  @%p bra again;
  ret;
}
.visible .entry some() {
  .reg .pred %p; .reg .b32 %r<4>;
  mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;
  mad.lo.u32 %r1, %r2, 1024, %r1;
  setp.ge.u32 %p, %r1, 7000;
  @%p bra done;
  mov.u32 %r3, %laneid;
done:
  ret;
}
)";

TEST_F(RaceTest, ABarrierIsOfTheWarpsThatTheBlockHas) {
  CUmodule module = nullptr;
  ASSERT_OK(cuda().cuModuleLoadData(&module, kTurns));
  CUfunction some = nullptr, turns = nullptr;
  ASSERT_OK(cuda().cuModuleGetFunction(&some, module, "some"));
  ASSERT_OK(cuda().cuModuleGetFunction(&turns, module, "turns"));
  // After blocks of more warps, which have nothing to wait for.
  for (int i = 0; i < 20; ++i) {
    EXPECT_OK(cuda().cuLaunchKernel(some, 64, 1, 1, 1024, 1, 1, 0, nullptr, nullptr, nullptr));
    EXPECT_OK(cuda().cuLaunchKernel(turns, 64, 1, 1, 128, 1, 1, 0, nullptr, nullptr, nullptr));
    EXPECT_OK(finish());
  }
}

} // namespace
