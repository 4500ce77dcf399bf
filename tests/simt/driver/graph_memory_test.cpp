// Memory and user objects of graphs.
#include "graph_test.h"

#include <atomic>
#include <chrono>
#include <thread>

namespace {

/// A graph that allocates memory, fills it, and copies it.
class GraphMemoryTest : public GraphTest {
protected:
  void SetUp() override {
    GraphTest::SetUp();
    graph_ = graph();
    parameters_.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    parameters_.poolProps.location = {CU_MEM_LOCATION_TYPE_DEVICE, device_};
    parameters_.bytesize = 256;
    CUgraphNode allocates = nullptr;
    ASSERT_OK(cuda().cuGraphAddMemAllocNode(&allocates, graph_, nullptr, 0, &parameters_));
    ASSERT_NE(parameters_.dptr, 0U);
    const CUgraphNode fills = add(graph_, kernel("fill", parameters_.dptr, 6), {allocates});
    copy_ = allocate(256);
    const CUDA_MEMCPY3D moved = copy(copy_, parameters_.dptr, 256);
    ASSERT_OK(cuda().cuGraphAddMemcpyNode(&copies_, graph_, &fills, 1, &moved, context_));
  }
  /// A driver of NVIDIA's takes more than was asked for.
  void expect_used(std::uint64_t bytes) const {
    std::uint64_t used = 0;
    EXPECT_OK(
        cuda().cuDeviceGetGraphMemAttribute(device_, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, &used));
    if (cuda().is_simulated) {
      EXPECT_EQ(used, bytes);
    } else {
      EXPECT_GE(used, bytes);
    }
  }

  CUgraph graph_ = nullptr;
  CUDA_MEM_ALLOC_NODE_PARAMS parameters_ = {};
  CUdeviceptr copy_ = 0;
  CUgraphNode copies_ = nullptr;
};

TEST_F(GraphMemoryTest, WithoutANodeThatFreesItItIsTheProgramsAfterTheLaunch) {
  const CUdeviceptr a = parameters_.dptr;
  const CUgraphExec keeps = instantiate(graph_);
  launch(keeps);
  EXPECT_EQ(words(a, 1)[0], 6U);
  expect_used(256);
  EXPECT_EQ(cuda().cuGraphLaunch(keeps, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuda().cuMemFree_v2(a));
  EXPECT_EQ(cuda().cuMemFree_v2(a), CUDA_ERROR_INVALID_VALUE);
  launch(keeps);
  EXPECT_OK(cuda().cuMemFreeAsync(a, nullptr));
  // There is one executable graph of it at a time.
  CUgraphExec again = nullptr;
  EXPECT_EQ(cuda().cuGraphInstantiateWithFlags(&again, graph_,
                                               CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH),
            CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_OK(cuda().cuGraphExecDestroy(keeps));
  again = instantiate(graph_, CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH);
  launch(again);
  launch(again);
  EXPECT_OK(cuda().cuMemFree_v2(a));
}

TEST_F(GraphMemoryTest, NodesAllocateAndFreeIt) {
  const CUdeviceptr a = parameters_.dptr;
  CUgraphNode frees = nullptr;
  ASSERT_OK(cuda().cuGraphAddMemFreeNode(&frees, graph_, &copies_, 1, a));
  CUdeviceptr freed = 0;
  EXPECT_OK(cuda().cuGraphMemFreeNodeGetParams(frees, &freed));
  EXPECT_EQ(freed, a);
  const CUgraphExec exec = instantiate(graph_);
  for (int i = 0; i < 3; ++i) {
    EXPECT_OK(cuda().cuMemsetD32_v2(copy_, 0, 64));
    launch(exec);
    EXPECT_EQ(words(copy_, 1)[0], 6U);
  }
  expect_used(0);
  EXPECT_EQ(cuda().cuGraphAddMemFreeNode(&frees, graph_, nullptr, 0, copy_),
            CUDA_ERROR_INVALID_VALUE);
  CUgraph clone = nullptr;
  EXPECT_EQ(cuda().cuGraphClone(&clone, graph_), CUDA_ERROR_NOT_SUPPORTED);
  parameters_.bytesize = 0;
  CUgraphNode allocates = nullptr;
  EXPECT_EQ(cuda().cuGraphAddMemAllocNode(&allocates, graph_, nullptr, 0, &parameters_),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_F(GraphTest, UserObjectsLiveAsLongAsGraphsThatUseThem) {
  std::atomic<int> ended = 0;
  CUuserObject object = nullptr;
  const auto end = [](void* count) { ++*static_cast<std::atomic<int>*>(count); };
  const auto await_end = [&](int count) { // a thread of the driver's may call
    for (int i = 0; i < 1000 && ended < count; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_EQ(ended, count);
  };
  EXPECT_EQ(cuda().cuUserObjectCreate(&object, &ended, end, 1, 0), CUDA_ERROR_INVALID_VALUE);
  ASSERT_OK(cuda().cuUserObjectCreate(&object, &ended, end, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
  CUgraph g = nullptr;
  ASSERT_OK(cuda().cuGraphCreate(&g, 0));
  Gate gate;
  const CUstream s = stream();
  EXPECT_OK(cuda().cuGraphRetainUserObject(g, object, 1, CU_GRAPH_USER_OBJECT_MOVE));
  EXPECT_OK(cuda().cuGraphRetainUserObject(g, object, 2, 0));
  EXPECT_OK(cuda().cuGraphReleaseUserObject(g, object, 2));
  if (cuda().is_simulated) { // NVIDIA's driver does not count what the graph has
    EXPECT_EQ(cuda().cuGraphReleaseUserObject(g, object, 2), CUDA_ERROR_INVALID_VALUE);
  }
  const CUgraphExec exec = instantiate(g);
  EXPECT_OK(cuda().cuGraphDestroy(g));
  EXPECT_EQ(ended, 0);
  gate.close_in(s);
  EXPECT_OK(cuda().cuGraphLaunch(exec, s));
  EXPECT_OK(cuda().cuGraphExecDestroy(exec));
  EXPECT_EQ(ended, 0);
  gate.open();
  EXPECT_OK(cuda().cuStreamSynchronize(s));
  await_end(1);
  if (cuda().is_simulated) {
    EXPECT_EQ(cuda().cuUserObjectRelease(object, 1), CUDA_ERROR_INVALID_VALUE);
  }
  ASSERT_OK(cuda().cuUserObjectCreate(&object, &ended, end, 2, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
  EXPECT_OK(cuda().cuUserObjectRetain(object, 1));
  if (cuda().is_simulated) {
    EXPECT_EQ(cuda().cuUserObjectRelease(object, 4), CUDA_ERROR_INVALID_VALUE);
  }
  EXPECT_OK(cuda().cuUserObjectRelease(object, 3));
  await_end(2);
}

} // namespace
