// Memory and user objects of graphs.
#include "graph_test.h"

#include <chrono>
#include <thread>

namespace {

TEST_F(GraphTest, NodesAllocateAndFreeMemory) {
  const CUgraph g = graph();
  CUDA_MEM_ALLOC_NODE_PARAMS parameters = {};
  parameters.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  parameters.poolProps.location = {CU_MEM_LOCATION_TYPE_DEVICE, device_};
  parameters.bytesize = 256;
  CUgraphNode allocates = nullptr;
  ASSERT_OK(cuda().cuGraphAddMemAllocNode(&allocates, g, nullptr, 0, &parameters));
  const CUdeviceptr a = parameters.dptr;
  ASSERT_NE(a, 0U);
  const CUgraphNode fills = add(g, kernel("fill", a, 6), {allocates});
  const CUdeviceptr b = allocate(256);
  CUgraphNode copies = nullptr;
  const CUDA_MEMCPY3D moved = copy(b, a, 256);
  ASSERT_OK(cuda().cuGraphAddMemcpyNode(&copies, g, &fills, 1, &moved, context_));
  // Without a node that frees it, the memory is the program's after the launch.
  const CUgraphExec keeps = instantiate(g);
  launch(keeps);
  EXPECT_EQ(words(a, 1)[0], 6U);
  std::uint64_t used = 0;
  EXPECT_OK(
      cuda().cuDeviceGetGraphMemAttribute(device_, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, &used));
  EXPECT_EQ(used, 256U);
  EXPECT_EQ(cuda().cuGraphLaunch(keeps, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuda().cuMemFree_v2(a));
  EXPECT_EQ(cuda().cuMemFree_v2(a), CUDA_ERROR_INVALID_VALUE);
  launch(keeps);
  EXPECT_OK(cuda().cuMemFreeAsync(a, nullptr));
  launch(instantiate(g, CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH));
  const CUgraphExec again = instantiate(g, CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH);
  launch(again);
  launch(again);
  EXPECT_OK(cuda().cuMemFree_v2(a));
  CUgraphNode frees = nullptr;
  ASSERT_OK(cuda().cuGraphAddMemFreeNode(&frees, g, &copies, 1, a));
  CUdeviceptr freed = 0;
  EXPECT_OK(cuda().cuGraphMemFreeNodeGetParams(frees, &freed));
  EXPECT_EQ(freed, a);
  const CUgraphExec exec = instantiate(g);
  for (int i = 0; i < 3; ++i) {
    EXPECT_OK(cuda().cuMemsetD32_v2(b, 0, 64));
    launch(exec);
    EXPECT_EQ(words(b, 1)[0], 6U);
  }
  EXPECT_OK(
      cuda().cuDeviceGetGraphMemAttribute(device_, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, &used));
  EXPECT_EQ(used, 0U);
  EXPECT_EQ(cuda().cuGraphAddMemFreeNode(&frees, g, nullptr, 0, b), CUDA_ERROR_INVALID_VALUE);
  CUgraph clone = nullptr;
  EXPECT_EQ(cuda().cuGraphClone(&clone, g), CUDA_ERROR_NOT_SUPPORTED);
  parameters.bytesize = 0;
  EXPECT_EQ(cuda().cuGraphAddMemAllocNode(&allocates, g, nullptr, 0, &parameters),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_F(GraphTest, UserObjectsLiveAsLongAsGraphsThatUseThem) {
  int ended = 0;
  CUuserObject object = nullptr;
  const auto end = [](void* count) { ++*static_cast<int*>(count); };
  EXPECT_EQ(cuda().cuUserObjectCreate(&object, &ended, end, 1, 0), CUDA_ERROR_INVALID_VALUE);
  ASSERT_OK(cuda().cuUserObjectCreate(&object, &ended, end, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
  CUgraph g = nullptr;
  ASSERT_OK(cuda().cuGraphCreate(&g, 0));
  Gate gate;
  const CUstream s = stream();
  EXPECT_OK(cuda().cuGraphRetainUserObject(g, object, 1, CU_GRAPH_USER_OBJECT_MOVE));
  EXPECT_OK(cuda().cuGraphRetainUserObject(g, object, 2, 0));
  EXPECT_OK(cuda().cuGraphReleaseUserObject(g, object, 2));
  EXPECT_EQ(cuda().cuGraphReleaseUserObject(g, object, 2), CUDA_ERROR_INVALID_VALUE);
  const CUgraphExec exec = instantiate(g);
  EXPECT_OK(cuda().cuGraphDestroy(g));
  EXPECT_EQ(ended, 0);
  gate.close_in(s);
  EXPECT_OK(cuda().cuGraphLaunch(exec, s));
  EXPECT_OK(cuda().cuGraphExecDestroy(exec));
  EXPECT_EQ(ended, 0);
  gate.open();
  EXPECT_OK(cuda().cuStreamSynchronize(s));
  for (int i = 0; i < 1000 && ended == 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(ended, 1);
  EXPECT_EQ(cuda().cuUserObjectRelease(object, 1), CUDA_ERROR_INVALID_VALUE);
  ASSERT_OK(cuda().cuUserObjectCreate(&object, &ended, end, 2, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
  EXPECT_OK(cuda().cuUserObjectRetain(object, 1));
  EXPECT_EQ(cuda().cuUserObjectRelease(object, 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuda().cuUserObjectRelease(object, 3));
  EXPECT_EQ(ended, 2);
}

} // namespace
