// Warm streams allocate nothing: not for copies, fills, events and waits for them, and not on the
// way of a launch to the machine. A program of its own, because it replaces malloc.
#include "driver_test.h"

#include <atomic>
#include <cstddef>

extern "C" void* __libc_malloc(std::size_t size);

namespace {

constinit std::atomic<bool> counting = false;
constinit std::atomic<unsigned> allocations = 0;

} // namespace

extern "C" [[gnu::visibility("default")]] void* malloc(std::size_t size) {
  if (counting.load(std::memory_order_relaxed)) {
    allocations.fetch_add(1, std::memory_order_relaxed);
  }
  return __libc_malloc(size);
}

namespace {

/// Of a thousand rounds: how many operations wait at once, for which memory is kept, depends on who
/// is faster, and a new peak may come late.
constexpr unsigned kPeaks = 20;

class AllocationTest : public DriverTest {
protected:
  /// Allocations of a thousand rounds, after as many.
  template <typename Round>
  unsigned count(Round&& round) {
    const auto rounds = [&] {
      for (int i = 0; i < 1000; ++i) {
        round();
      }
      EXPECT_OK(cuda().cuCtxSynchronize());
    };
    rounds();
    allocations = 0;
    counting = true;
    for (int i = 0; i < 1000; ++i) {
      round();
    }
    counting = false;
    return allocations;
  }
};

TEST_F(AllocationTest, OfOneStream) {
  CUstream stream = nullptr;
  ASSERT_OK(cuda().cuStreamCreate(&stream, CU_STREAM_DEFAULT));
  const CUdeviceptr memory = allocate(4096);
  EXPECT_LT(count([&] {
              EXPECT_OK(cuda().cuMemsetD32Async(memory, 1, 256, stream));
              EXPECT_OK(cuda().cuMemcpyDtoDAsync_v2(memory + 1024, memory, 1024, stream));
              EXPECT_OK(cuda().cuStreamSynchronize(stream));
            }),
            kPeaks);
}

TEST_F(AllocationTest, OfStreamsThatWaitForEachOther) {
  CUstream streams[2] = {};
  CUevent events[2] = {};
  for (int i = 0; i < 2; ++i) {
    ASSERT_OK(cuda().cuStreamCreate(&streams[i], CU_STREAM_NON_BLOCKING));
    ASSERT_OK(cuda().cuEventCreate(&events[i], CU_EVENT_DEFAULT));
  }
  const CUdeviceptr memory = allocate(4096);
  EXPECT_LT(count([&] {
              for (int i = 0; i < 2; ++i) {
                EXPECT_OK(cuda().cuMemsetD32Async(memory, 1, 1024, streams[i]));
                EXPECT_OK(cuda().cuEventRecord(events[i], streams[i]));
                EXPECT_OK(cuda().cuStreamWaitEvent(streams[1 - i], events[i], 0));
              }
              EXPECT_OK(cuda().cuMemsetD32Async(memory, 1, 1024, nullptr));
              EXPECT_OK(cuda().cuStreamSynchronize(streams[0]));
              EXPECT_OK(cuda().cuStreamSynchronize(streams[1]));
              EXPECT_OK(cuda().cuStreamSynchronize(nullptr));
            }),
            kPeaks);
}

TEST_F(AllocationTest, OfGraphs) {
  CUstream stream = nullptr;
  ASSERT_OK(cuda().cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  const CUdeviceptr memory = allocate(4096);
  CUgraph graph = nullptr;
  ASSERT_OK(cuda().cuGraphCreate(&graph, 0));
  // One node, two beside each other behind it, and one behind these.
  CUgraphNode nodes[4] = {};
  for (unsigned i = 0; i < 4; ++i) {
    const CUDA_MEMSET_NODE_PARAMS fill = {memory + 1024 * i, 0, i, 4, 256, 1};
    const std::size_t before = i == 3 ? 2 : i == 0 ? 0 : 1;
    ASSERT_OK(cuda().cuGraphAddMemsetNode(&nodes[i], graph, i == 3 ? nodes + 1 : nodes, before,
                                          &fill, context_));
  }
  CUgraphExec exec = nullptr;
  ASSERT_OK(cuda().cuGraphInstantiateWithFlags(&exec, graph, 0));
  EXPECT_LT(count([&] {
              EXPECT_OK(cuda().cuGraphLaunch(exec, stream));
              EXPECT_OK(cuda().cuStreamSynchronize(stream));
            }),
            kPeaks);
  EXPECT_OK(cuda().cuGraphExecDestroy(exec));
  EXPECT_OK(cuda().cuGraphDestroy(graph));
}

} // namespace
