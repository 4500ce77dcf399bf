// Changes of executable graphs.
#include "graph_test.h"

namespace {

TEST_F(GraphTest, AnExecutableGraphIsNotChangedWithItsGraph) {
  const CUgraph g = graph();
  const CUdeviceptr a = allocate(256);
  const CUgraphNode node = add(g, kernel("fill", a, 1));
  const CUgraphExec exec = instantiate(g);
  const CUDA_KERNEL_NODE_PARAMS other = kernel("fill", a, 2);
  EXPECT_OK(cuda().cuGraphKernelNodeSetParams_v2(node, &other));
  launch(exec);
  EXPECT_EQ(words(a, 1)[0], 1U);
  const CUDA_KERNEL_NODE_PARAMS third = kernel("fill", a, 3);
  EXPECT_OK(cuda().cuGraphExecKernelNodeSetParams_v2(exec, node, &third));
  launch(exec);
  EXPECT_EQ(words(a, 1)[0], 3U);
  launch(instantiate(g));
  EXPECT_EQ(words(a, 1)[0], 2U);
  // Changed while a launch is under way: that one is as it was.
  const CUstream s = stream();
  Gate gate;
  gate.close_in(s);
  EXPECT_OK(cuda().cuGraphLaunch(exec, s));
  EXPECT_OK(cuda().cuGraphExecKernelNodeSetParams_v2(exec, node, &other));
  EXPECT_OK(cuda().cuGraphExecDestroy(exec));
  gate.open();
  EXPECT_OK(cuda().cuStreamSynchronize(s));
  EXPECT_EQ(words(a, 1)[0], 3U);
  const CUgraphNode later = add(g, kernel("fill", a, 1));
  const CUgraphExec again = instantiate(graph());
  EXPECT_EQ(cuda().cuGraphExecKernelNodeSetParams_v2(again, later, &third),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_F(GraphTest, ParametersOfAllNodesOfAnExecutableGraphCanBeSet) {
  const CUgraph g = graph();
  const CUdeviceptr a = allocate(256);
  CUgraphNode copied = nullptr;
  CUDA_MEMCPY3D moved = copy(a, a + 128, 16);
  ASSERT_OK(cuda().cuGraphAddMemcpyNode(&copied, g, nullptr, 0, &moved, context_));
  CUgraphNode filled = nullptr;
  CUDA_MEMSET_NODE_PARAMS values = {a + 128, 0, 5, 4, 32, 1};
  ASSERT_OK(cuda().cuGraphAddMemsetNode(&filled, g, nullptr, 0, &values, context_));
  EXPECT_OK(cuda().cuGraphAddDependencies(g, &filled, &copied, 1));
  int number = 0;
  const auto function = [](void* argument) { ++*static_cast<int*>(argument); };
  const CUgraphNode called = add_host(g, function, &number);
  const CUevent one = event();
  const CUevent two = event();
  CUgraphNode recorded = nullptr;
  ASSERT_OK(cuda().cuGraphAddEventRecordNode(&recorded, g, nullptr, 0, one));
  CUgraphNode waits = nullptr;
  ASSERT_OK(cuda().cuGraphAddEventWaitNode(&waits, g, nullptr, 0, one));
  CUevent found = nullptr;
  EXPECT_OK(cuda().cuGraphEventWaitNodeGetEvent(waits, &found));
  EXPECT_EQ(found, one);
  EXPECT_OK(cuda().cuGraphEventRecordNodeSetEvent(recorded, two));
  EXPECT_OK(cuda().cuGraphEventRecordNodeGetEvent(recorded, &found));
  EXPECT_EQ(found, two);
  EXPECT_OK(cuda().cuGraphEventWaitNodeSetEvent(waits, two));
  const CUgraphExec exec = instantiate(g);
  moved.WidthInBytes = 32;
  EXPECT_OK(cuda().cuGraphExecMemcpyNodeSetParams(exec, copied, &moved, context_));
  values.value = 6;
  EXPECT_OK(cuda().cuGraphExecMemsetNodeSetParams(exec, filled, &values, context_));
  int other = 0;
  const CUDA_HOST_NODE_PARAMS host = {function, &other};
  EXPECT_OK(cuda().cuGraphExecHostNodeSetParams(exec, called, &host));
  EXPECT_OK(cuda().cuGraphExecEventRecordNodeSetEvent(exec, recorded, one));
  EXPECT_OK(cuda().cuGraphExecEventWaitNodeSetEvent(exec, waits, one));
  EXPECT_EQ(cuda().cuGraphExecHostNodeSetParams(exec, copied, &host), CUDA_ERROR_INVALID_VALUE);
  moved.WidthInBytes = 512;
  EXPECT_EQ(cuda().cuGraphExecMemcpyNodeSetParams(exec, copied, &moved, context_),
            CUDA_ERROR_INVALID_VALUE);
  launch(exec);
  EXPECT_EQ(words(a, 9), (std::vector<std::uint32_t>{6, 6, 6, 6, 6, 6, 6, 6, 0}));
  EXPECT_EQ(number, 0);
  EXPECT_EQ(other, 1);
}

TEST_F(GraphTest, NodesCanBeDisabled) {
  const CUgraph g = graph();
  const CUdeviceptr a = allocate(256);
  const CUgraphNode first = add(g, kernel("fill", a, 1));
  const CUgraphNode second = add(g, kernel("add", a, 2), {first});
  const CUgraphNode empty = add_empty(g);
  const CUgraphExec exec = instantiate(g);
  unsigned enabled = 0;
  EXPECT_OK(cuda().cuGraphNodeGetEnabled(exec, second, &enabled));
  EXPECT_EQ(enabled, 1U);
  EXPECT_OK(cuda().cuGraphNodeSetEnabled(exec, second, 0));
  EXPECT_OK(cuda().cuGraphNodeGetEnabled(exec, second, &enabled));
  EXPECT_EQ(enabled, 0U);
  launch(exec);
  EXPECT_EQ(words(a, 1)[0], 1U);
  EXPECT_OK(cuda().cuGraphNodeSetEnabled(exec, second, 1));
  launch(exec);
  EXPECT_EQ(words(a, 1)[0], 3U);
  EXPECT_EQ(cuda().cuGraphNodeSetEnabled(exec, empty, 0), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(GraphTest, UpdatesTakeOverParameters) {
  const CUdeviceptr a = allocate(256);
  const auto make = [&](std::uint32_t value) {
    const CUgraph g = graph();
    const CUgraphNode first = add(g, kernel("fill", a, value));
    add(g, kernel("add", a, 1), {first});
    return g;
  };
  const CUgraph g = make(10);
  const CUgraphExec exec = instantiate(g);
  CUgraphExecUpdateResultInfo info = {};
  EXPECT_OK(cuda().cuGraphExecUpdate_v2(exec, make(20), &info));
  EXPECT_EQ(info.result, CU_GRAPH_EXEC_UPDATE_SUCCESS);
  launch(exec);
  EXPECT_EQ(words(a, 1)[0], 21U);
  const CUgraph larger = make(30);
  add_empty(larger);
  EXPECT_EQ(cuda().cuGraphExecUpdate_v2(exec, larger, &info), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
  EXPECT_EQ(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
  const CUgraph cut = make(30);
  const std::vector<CUgraphNode> nodes = nodes_of(cut);
  EXPECT_OK(cuda().cuGraphRemoveDependencies(cut, &nodes[0], &nodes[1], 1));
  CUgraphNode wrong = nullptr;
  CUgraphExecUpdateResult result = CU_GRAPH_EXEC_UPDATE_SUCCESS;
  EXPECT_EQ(cuda().cuGraphExecUpdate(exec, cut, &wrong, &result),
            CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
  EXPECT_EQ(result, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
  EXPECT_EQ(wrong, nodes[0]); // ends the graph now, too
  const CUgraph other = graph();
  const CUgraphNode first = add(other, kernel("fill", a, 1));
  const CUgraphNode second = add_empty(other, {first});
  EXPECT_EQ(cuda().cuGraphExecUpdate_v2(exec, other, &info), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
  EXPECT_EQ(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED);
  EXPECT_EQ(info.errorNode, second);
  // Nothing has changed.
  launch(exec);
  EXPECT_EQ(words(a, 1)[0], 21U);
}

} // namespace
