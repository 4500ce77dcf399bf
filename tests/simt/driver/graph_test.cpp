// Graphs that programs make node by node: their structure and parameters.
#include "graph_test.h"

#include <cstdio>
#include <fstream>
#include <iterator>
#include <set>

namespace {

TEST_F(GraphTest, DescribesItsStructure) {
  const CUgraph g = graph();
  const CUgraphNode a = add_empty(g);
  const CUgraphNode b = add_empty(g, {a});
  const CUgraphNode c = add_empty(g, {a, b});
  EXPECT_EQ(nodes_of(g), (std::vector<CUgraphNode>{a, b, c}));
  CUgraphNode list[4] = {a, a, a, a};
  std::size_t count = 4;
  EXPECT_OK(cuda().cuGraphGetRootNodes(g, list, &count));
  EXPECT_EQ(count, 1U);
  EXPECT_EQ(list[0], a);
  EXPECT_EQ(list[1], nullptr);
  count = 4;
  EXPECT_OK(cuda().cuGraphNodeGetDependencies(c, list, &count));
  EXPECT_EQ(count, 2U);
  EXPECT_EQ((std::set<CUgraphNode>{list[0], list[1]}), (std::set<CUgraphNode>{a, b}));
  count = 1;
  EXPECT_OK(cuda().cuGraphNodeGetDependentNodes(a, list, &count));
  EXPECT_EQ(count, 1U);
  EXPECT_EQ(edges_of(g), 3U);
  CUgraphNode from[3];
  CUgraphNode to[3];
  CUgraphEdgeData data[3];
  count = 3;
  EXPECT_OK(cuda().cuGraphGetEdges_v2(g, from, to, data, &count));
  EXPECT_EQ(data[2].type, CU_GRAPH_DEPENDENCY_TYPE_DEFAULT);
  EXPECT_OK(cuda().cuGraphRemoveDependencies(g, &a, &c, 1));
  EXPECT_EQ(edges_of(g), 2U);
  EXPECT_OK(cuda().cuGraphDestroyNode(b));
  EXPECT_EQ(edges_of(g), 0U);
  EXPECT_EQ(nodes_of(g), (std::vector<CUgraphNode>{a, c}));
  CUgraphNodeType type;
  if (cuda().is_simulated) { // NVIDIA's driver does not know which nodes there are
    EXPECT_EQ(cuda().cuGraphNodeGetType(b, &type), CUDA_ERROR_INVALID_VALUE);
  }
  EXPECT_EQ(type_of(a), CU_GRAPH_NODE_TYPE_EMPTY);
}

TEST_F(GraphTest, WrongEdgesAreRefused) {
  const CUgraph g = graph();
  const CUgraph other = graph();
  const CUgraphNode a = add_empty(g);
  const CUgraphNode b = add_empty(g, {a});
  const CUgraphNode c = add_empty(g);
  const CUgraphNode stranger = add_empty(other);
  EXPECT_EQ(cuda().cuGraphAddDependencies(g, &a, &b, 1), CUDA_ERROR_INVALID_VALUE); // is there
  EXPECT_EQ(cuda().cuGraphAddDependencies(g, &a, &a, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuda().cuGraphAddDependencies(g, &stranger, &a, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuda().cuGraphAddDependencies(other, &a, &b, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuda().cuGraphAddDependencies(g, nullptr, &b, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuda().cuGraphAddDependencies(g, nullptr, nullptr, 0));
  EXPECT_EQ(cuda().cuGraphRemoveDependencies(g, &a, &c, 1), CUDA_ERROR_INVALID_VALUE);
  // Of several, those before one that cannot be are added.
  const CUgraphNode from[] = {a, a};
  const CUgraphNode to[] = {c, b};
  EXPECT_EQ(cuda().cuGraphAddDependencies(g, from, to, 2), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(edges_of(g), 2U);
  const CUgraphNode same[] = {a, a};
  CUgraphNode node = nullptr;
  EXPECT_EQ(cuda().cuGraphAddEmptyNode(&node, g, same, 2), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuda().cuGraphAddEmptyNode(&node, g, &stranger, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuda().cuGraphAddEmptyNode(&node, g, nullptr, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuda().cuGraphAddEmptyNode(nullptr, g, nullptr, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(nodes_of(g).size(), 3U);
}

TEST_F(GraphTest, OfSeveralEdgesThoseBeforeOneThatCannotBeAreRemoved) {
  const CUgraph g = graph();
  const CUdeviceptr a = allocate(256);
  const CUgraphNode first = add(g, kernel("fill", a, 4));
  const CUgraphNode second = add(g, kernel("add", a, 4));
  const CUgraphEdgeData data = {
      CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC, 0, CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC, {}};
  const CUgraphNode third = add_empty(g, {first});
  ASSERT_OK(cuda().cuGraphAddDependencies_v2(g, &first, &second, &data, 1));
  const CUgraphNode from[] = {first, second, first};
  const CUgraphNode to[] = {second, first, third};
  EXPECT_EQ(cuda().cuGraphRemoveDependencies(g, from, to, 3), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(edges_of(g), 1U);
  CUgraphNode before = nullptr;
  std::size_t count = 1;
  EXPECT_OK(cuda().cuGraphNodeGetDependencies(third, &before, &count));
  ASSERT_EQ(count, 1U);
  EXPECT_EQ(before, first);
}

TEST_F(GraphTest, WrongParametersAreRefused) {
  const CUgraph g = graph();
  const CUdeviceptr a = allocate(256);
  CUgraphNode node = nullptr;
  CUDA_KERNEL_NODE_PARAMS parameters = kernel("fill", a, 1);
  const auto refused = [&] {
    return cuda().cuGraphAddKernelNode_v2(&node, g, nullptr, 0, &parameters);
  };
  parameters.func = nullptr;
  EXPECT_EQ(refused(), CUDA_ERROR_INVALID_HANDLE);
  parameters = kernel("fill", a, 1);
  parameters.gridDimX = 0;
  EXPECT_EQ(refused(), CUDA_ERROR_INVALID_VALUE);
  parameters = kernel("fill", a, 1);
  parameters.kernelParams = nullptr;
  EXPECT_EQ(refused(), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuda().cuGraphAddKernelNode_v2(&node, g, nullptr, 0, nullptr),
            CUDA_ERROR_INVALID_VALUE);
  CUDA_MEMCPY3D moved = copy(a, a + 128, 256);
  EXPECT_EQ(cuda().cuGraphAddMemcpyNode(&node, g, nullptr, 0, &moved, context_),
            CUDA_ERROR_INVALID_VALUE);
  CUDA_MEMSET_NODE_PARAMS filled = {a, 0, 0, 3, 4, 1};
  EXPECT_EQ(cuda().cuGraphAddMemsetNode(&node, g, nullptr, 0, &filled, context_),
            CUDA_ERROR_INVALID_VALUE);
  filled = {a, 0, 0, 4, 65, 1};
  EXPECT_EQ(cuda().cuGraphAddMemsetNode(&node, g, nullptr, 0, &filled, context_),
            CUDA_ERROR_INVALID_VALUE);
  const CUDA_HOST_NODE_PARAMS host = {nullptr, nullptr};
  EXPECT_EQ(cuda().cuGraphAddHostNode(&node, g, nullptr, 0, &host), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuda().cuGraphAddEventRecordNode(&node, g, nullptr, 0, nullptr),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuda().cuGraphAddChildGraphNode(&node, g, nullptr, 0, nullptr),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_TRUE(nodes_of(g).empty());
  CUgraph none = nullptr;
  EXPECT_EQ(cuda().cuGraphCreate(&none, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuda().cuGraphCreate(nullptr, 0), CUDA_ERROR_INVALID_VALUE);
  if (cuda().is_simulated) {
    EXPECT_EQ(cuda().cuGraphDestroy(nullptr), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuda().cuGraphDestroy(reinterpret_cast<CUgraph>(context_)), CUDA_ERROR_INVALID_VALUE);
  }
}

TEST_F(GraphTest, GivesBackParametersAndTakesOthers) {
  const CUgraph g = graph();
  const CUdeviceptr a = allocate(256);
  const CUgraphNode node = add(g, kernel("fill", a, 1));
  CUDA_KERNEL_NODE_PARAMS parameters = {};
  ASSERT_OK(cuda().cuGraphKernelNodeGetParams_v2(node, &parameters));
  EXPECT_EQ(parameters.func, function("fill"));
  EXPECT_EQ(parameters.blockDimX, 64U);
  EXPECT_EQ(*static_cast<CUdeviceptr*>(parameters.kernelParams[0]), a);
  EXPECT_EQ(*static_cast<std::uint32_t*>(parameters.kernelParams[1]), 1U);
  CUDA_KERNEL_NODE_PARAMS_v1 first = {};
  ASSERT_OK(cuda().cuGraphKernelNodeGetParams(node, &first));
  EXPECT_EQ(first.gridDimX, 1U);
  // What was given can be given back.
  EXPECT_OK(cuda().cuGraphKernelNodeSetParams_v2(node, &parameters));
  const CUDA_KERNEL_NODE_PARAMS other = kernel("fill", a, 3);
  EXPECT_OK(cuda().cuGraphKernelNodeSetParams_v2(node, &other));
  launch(instantiate(g));
  EXPECT_EQ(words(a, 1)[0], 3U);

  CUgraphNode copied = nullptr;
  CUDA_MEMCPY3D moved = copy(a, a + 128, 16);
  ASSERT_OK(cuda().cuGraphAddMemcpyNode(&copied, g, nullptr, 0, &moved, context_));
  CUDA_MEMCPY3D back = {};
  EXPECT_OK(cuda().cuGraphMemcpyNodeGetParams(copied, &back));
  EXPECT_EQ(back.srcDevice, a + 128);
  EXPECT_EQ(back.WidthInBytes, 16U);
  moved.WidthInBytes = 32;
  EXPECT_OK(cuda().cuGraphMemcpyNodeSetParams(copied, &moved));
  EXPECT_EQ(cuda().cuGraphKernelNodeSetParams_v2(copied, &other), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuda().cuGraphKernelNodeGetParams_v2(copied, &parameters), CUDA_ERROR_INVALID_VALUE);

  CUgraphNode filled = nullptr;
  CUDA_MEMSET_NODE_PARAMS values = {a, 0, 1, 4, 4, 1};
  ASSERT_OK(cuda().cuGraphAddMemsetNode(&filled, g, nullptr, 0, &values, context_));
  values.width = 8;
  EXPECT_OK(cuda().cuGraphMemsetNodeSetParams(filled, &values));
  values = {};
  EXPECT_OK(cuda().cuGraphMemsetNodeGetParams(filled, &values));
  EXPECT_EQ(values.width, 8U);
  EXPECT_EQ(values.elementSize, 4U);

  int number = 0;
  const auto function = [](void* argument) { ++*static_cast<int*>(argument); };
  const CUgraphNode called = add_host(g, function, nullptr);
  CUDA_HOST_NODE_PARAMS host = {function, &number};
  EXPECT_OK(cuda().cuGraphHostNodeSetParams(called, &host));
  host = {};
  EXPECT_OK(cuda().cuGraphHostNodeGetParams(called, &host));
  EXPECT_EQ(host.userData, &number);
}

TEST_F(GraphTest, OneFunctionAddsAllTypes) {
  const CUgraph g = graph();
  const CUdeviceptr a = allocate(256);
  CUgraphNodeParams parameters = {};
  CUgraphNode first = nullptr;
  parameters.type = CU_GRAPH_NODE_TYPE_KERNEL;
  parameters.kernel = kernel("fill", a, 4);
  ASSERT_OK(cuda().cuGraphAddNode_v2(&first, g, nullptr, nullptr, 0, &parameters));
  CUgraphNode second = nullptr;
  parameters = {};
  parameters.type = CU_GRAPH_NODE_TYPE_MEMSET;
  parameters.memset = {a, 0, 6, 4, 1, 1, context_};
  ASSERT_OK(cuda().cuGraphAddNode(&second, g, &first, 1, &parameters));
  parameters.memset.value = 8;
  EXPECT_OK(cuda().cuGraphNodeSetParams(second, &parameters));
  const CUgraphExec exec = instantiate(g);
  launch(exec);
  EXPECT_EQ(words(a, 2), (std::vector<std::uint32_t>{8, 4}));
  parameters.memset.value = 9;
  EXPECT_OK(cuda().cuGraphExecNodeSetParams(exec, second, &parameters));
  EXPECT_EQ(cuda().cuGraphExecNodeSetParams(exec, first, &parameters), CUDA_ERROR_INVALID_VALUE);
  launch(exec);
  EXPECT_EQ(words(a, 2), (std::vector<std::uint32_t>{9, 4}));
  parameters = {};
  parameters.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
  // Without its handle it is none on a driver that has them.
  EXPECT_EQ(cuda().cuGraphAddNode(&second, g, nullptr, 0, &parameters),
            cuda().is_simulated ? CUDA_ERROR_NOT_SUPPORTED : CUDA_ERROR_INVALID_VALUE);
  parameters.type = static_cast<CUgraphNodeType>(99);
  EXPECT_EQ(cuda().cuGraphAddNode(&second, g, nullptr, 0, &parameters), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(GraphTest, EdgesBetweenKernelsMayBeProgrammatic) {
  const CUgraph g = graph();
  const CUdeviceptr a = allocate(256);
  const CUgraphNode first = add(g, kernel("fill", a, 4));
  const CUgraphNode empty = add_empty(g);
  CUgraphEdgeData data = {
      CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC, 0, CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC, {}};
  CUgraphNodeParams parameters = {};
  parameters.type = CU_GRAPH_NODE_TYPE_KERNEL;
  parameters.kernel = kernel("add", a, 4);
  CUgraphNode second = nullptr;
  EXPECT_EQ(cuda().cuGraphAddNode_v2(&second, g, &empty, &data, 1, &parameters),
            CUDA_ERROR_INVALID_VALUE);
  ASSERT_OK(cuda().cuGraphAddNode_v2(&second, g, &first, &data, 1, &parameters));
  // They can be counted without their data, but not listed.
  std::size_t count = 0;
  EXPECT_OK(cuda().cuGraphGetEdges(g, nullptr, nullptr, &count));
  EXPECT_EQ(count, 1U);
  EXPECT_OK(cuda().cuGraphNodeGetDependencies(second, nullptr, &count));
  EXPECT_EQ(count, 1U);
  CUgraphNode from = nullptr;
  CUgraphNode to = nullptr;
  EXPECT_EQ(cuda().cuGraphGetEdges(g, &from, &to, &count), CUDA_ERROR_LOSSY_QUERY);
  EXPECT_EQ(cuda().cuGraphNodeGetDependencies(second, &from, &count), CUDA_ERROR_LOSSY_QUERY);
  count = 1;
  CUgraphEdgeData given = {};
  EXPECT_OK(cuda().cuGraphNodeGetDependencies_v2(second, &from, &given, &count));
  EXPECT_EQ(from, first);
  EXPECT_EQ(given.type, CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC);
  launch(instantiate(g));
  EXPECT_EQ(words(a, 1)[0], 8U);
}

TEST_F(GraphTest, ClonesKnowTheirOriginals) {
  const CUgraph g = graph();
  const CUdeviceptr a = allocate(256);
  const CUgraphNode first = add(g, kernel("fill", a, 1));
  const CUgraphNode second = add(g, kernel("add", a, 2), {first});
  CUgraph clone = nullptr;
  ASSERT_OK(cuda().cuGraphClone(&clone, g));
  CUgraphNode copied = nullptr;
  ASSERT_OK(cuda().cuGraphNodeFindInClone(&copied, second, clone));
  EXPECT_NE(copied, second);
  EXPECT_EQ(cuda().cuGraphNodeFindInClone(&copied, second, g), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuda().cuGraphDestroyNode(second));
  EXPECT_EQ(edges_of(clone), 1U);
  launch(instantiate(clone));
  EXPECT_EQ(words(a, 1)[0], 3U);
  EXPECT_OK(cuda().cuGraphDestroy(clone));
}

TEST_F(GraphTest, KernelNodesHaveAttributes) {
  const CUgraph g = graph();
  const CUdeviceptr a = allocate(256);
  const CUgraphNode first = add(g, kernel("fill", a, 1));
  const CUgraphNode second = add(g, kernel("fill", a, 1), {first});
  CUlaunchAttributeValue value = {};
  value.priority = -3;
  EXPECT_OK(cuda().cuGraphKernelNodeSetAttribute(first, CU_LAUNCH_ATTRIBUTE_PRIORITY, &value));
  EXPECT_OK(cuda().cuGraphKernelNodeCopyAttributes(second, first));
  value = {};
  EXPECT_OK(cuda().cuGraphKernelNodeGetAttribute(second, CU_LAUNCH_ATTRIBUTE_PRIORITY, &value));
  EXPECT_EQ(value.priority, -3);
  value = {};
  value.cooperative = 1;
  EXPECT_OK(cuda().cuGraphKernelNodeSetAttribute(first, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &value));
  value = {};
  const auto set_cluster = [&](unsigned x, unsigned y) {
    value.clusterDim = {x, y, 1};
    return cuda().cuGraphKernelNodeSetAttribute(first, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
                                                &value);
  };
  EXPECT_EQ(set_cluster(2, 0), CUDA_ERROR_INVALID_CLUSTER_SIZE);
  EXPECT_EQ(set_cluster(512, 1), CUDA_ERROR_INVALID_CLUSTER_SIZE);
  EXPECT_OK(set_cluster(1, 1));
  EXPECT_EQ(
      cuda().cuGraphKernelNodeSetAttribute(first, static_cast<CUlaunchAttributeID>(99), &value),
      CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(
      cuda().cuGraphKernelNodeGetAttribute(add_empty(g), CU_LAUNCH_ATTRIBUTE_PRIORITY, &value),
      CUDA_ERROR_INVALID_VALUE);
  launch(instantiate(g));
}

TEST_F(GraphTest, KernelNodesHaveClusters) {
  constexpr std::uint32_t kCount = 256;
  const CUgraph g = graph();
  const CUdeviceptr a = allocate(std::size_t{kCount} * 4);
  const CUgraphNode first = add(g, kernel("fill", a, 7, kCount));
  CUlaunchAttributeValue value = {};
  value.clusterDim = {2, 1, 1};
  EXPECT_OK(
      cuda().cuGraphKernelNodeSetAttribute(first, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, &value));
  value = {};
  EXPECT_OK(
      cuda().cuGraphKernelNodeGetAttribute(first, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, &value));
  EXPECT_EQ(value.clusterDim.x, 2U);
  const CUgraphNode second = add(g, kernel("fill", a, 8, 64 * 3), {first});
  EXPECT_EQ(cuda().cuGraphKernelNodeCopyAttributes(second, first), CUDA_ERROR_INVALID_VALUE);
  launch(instantiate(g));
  EXPECT_EQ(words(a, kCount)[0], 8U);
  EXPECT_EQ(words(a, kCount)[kCount - 1], 7U);
}

TEST_F(GraphTest, PrintsItself) {
  const CUgraph g = graph();
  const CUgraphNode first = add(g, kernel("fill", allocate(256), 1));
  add_empty(g, {first});
  const std::string path = testing::TempDir() + "gantry-graph.dot";
  ASSERT_OK(cuda().cuGraphDebugDotPrint(g, path.c_str(), 0));
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(text.rfind("digraph", 0), 0U);
  EXPECT_NE(text.find("fill"), std::string::npos);
  EXPECT_NE(text.find(" -> "), std::string::npos);
  std::remove(path.c_str());
  EXPECT_EQ(cuda().cuGraphDebugDotPrint(g, "/nonexistent/x", 0), CUDA_ERROR_OPERATING_SYSTEM);
}

} // namespace
