// Graphs that programs make node by node: their structure, parameters, launches.
#include "graph_test.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <set>
#include <thread>

namespace {

TEST_F(GraphTest, ALaunchDoesWhatItsNodesSayInTheOrderOfTheEdges) {
  const CUgraph g = graph();
  const CUdeviceptr a = allocate(256);
  const CUdeviceptr b = allocate(256);
  std::vector<std::uint32_t> host(64);
  const CUgraphNode fill = add(g, kernel("fill", a, 5));
  const CUgraphNode twice = add(g, kernel("add", a, 2), {fill});
  CUgraphNode moved = nullptr;
  const CUDA_MEMCPY3D to_b = copy(b, a, 256);
  ASSERT_OK(cuda().cuGraphAddMemcpyNode(&moved, g, &twice, 1, &to_b, context_));
  CUgraphNode cleared = nullptr;
  const CUDA_MEMSET_NODE_PARAMS zeros = {a, 0, 9, 4, 64, 1};
  ASSERT_OK(cuda().cuGraphAddMemsetNode(&cleared, g, &moved, 1, &zeros, context_));
  CUgraphNode down = nullptr;
  const CUDA_MEMCPY3D to_host = copy(reinterpret_cast<CUdeviceptr>(host.data()), b, 256);
  ASSERT_OK(cuda().cuGraphAddMemcpyNode(&down, g, &moved, 1, &to_host, context_));
  const CUgraphExec exec = instantiate(g);
  for (int i = 0; i < 3; ++i) {
    std::ranges::fill(host, 0);
    launch(exec);
    EXPECT_EQ(host, std::vector<std::uint32_t>(64, 7));
    EXPECT_EQ(words(a, 64), std::vector<std::uint32_t>(64, 9));
  }
  EXPECT_OK(cuda().cuGraphExecDestroy(exec));
  EXPECT_EQ(cuda().cuGraphLaunch(exec, nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(GraphTest, BranchesRunAtOnceAndJoin) {
  struct Meeting {
    std::mutex mutex;
    std::condition_variable changed;
    int present = 0;
    int after = 0;
  } meeting;
  const auto meet = [](void* argument) {
    auto* const place = static_cast<Meeting*>(argument);
    std::unique_lock lock(place->mutex);
    ++place->present;
    place->changed.notify_all();
    place->changed.wait(lock, [place] { return place->present >= 3; });
  };
  const CUgraph g = graph();
  const CUgraphNode root = add_empty(g);
  std::vector<CUgraphNode> branches;
  for (int i = 0; i < 3; ++i) {
    branches.push_back(add_host(g, meet, &meeting, {root}));
  }
  const CUgraphNode join = add_empty(g, branches);
  add_host(g,
           [](void* argument) {
             auto* const place = static_cast<Meeting*>(argument);
             place->after = place->present;
           },
           &meeting, {join});
  launch(instantiate(g), stream());
  EXPECT_EQ(meeting.after, 3);
}

TEST_F(GraphTest, ManyShapesKeepTheirOrder) {
  // Each node notes when it ran; every edge of graphs at random must be kept.
  struct Note {
    std::atomic<unsigned>* clock;
    unsigned time = 0;
  };
  unsigned seed = 1;
  const auto random = [&seed](unsigned below) {
    seed = seed * 1664525 + 1013904223;
    return (seed >> 16) % below;
  };
  const CUstream s = stream();
  for (int round = 0; round < 40; ++round) {
    std::atomic<unsigned> clock = 0;
    const unsigned count = 1 + random(40);
    std::vector<Note> notes(count, Note{&clock});
    std::vector<CUgraphNode> nodes;
    std::vector<std::pair<unsigned, unsigned>> edges;
    const CUgraph g = graph();
    for (unsigned i = 0; i < count; ++i) {
      std::set<unsigned> before;
      for (unsigned k = random(4); i != 0 && k != 0; --k) {
        before.insert(random(i));
      }
      std::vector<CUgraphNode> after;
      for (const unsigned other : before) {
        after.push_back(nodes[other]);
        edges.emplace_back(other, i);
      }
      nodes.push_back(add_host(
          g,
          [](void* argument) {
            auto* const note = static_cast<Note*>(argument);
            note->time = ++*note->clock;
          },
          &notes[i], after));
    }
    const CUgraphExec exec = instantiate(g);
    for (int launches = 0; launches < 3; ++launches) {
      EXPECT_OK(cuda().cuGraphLaunch(exec, launches % 2 == 0 ? s : stream()));
    }
    EXPECT_OK(cuda().cuCtxSynchronize());
    EXPECT_EQ(clock.load(), 3 * count) << round;
    for (const auto& [from, to] : edges) {
      EXPECT_LT(notes[from].time, notes[to].time) << round;
    }
    EXPECT_OK(cuda().cuGraphExecDestroy(exec));
  }
}

TEST_F(GraphTest, OrdersItselfInStreams) {
  const CUdeviceptr a = allocate(256);
  const CUgraph g = graph();
  add(g, kernel("add", a, 1));
  const CUgraphExec exec = instantiate(g);
  const CUstream s = stream();
  Gate gate;
  gate.close_in(s);
  EXPECT_OK(launch_fill(a, 10, 64, s));
  EXPECT_OK(launch_fill(a, 5, 64, s, "add"));
  EXPECT_OK(cuda().cuGraphLaunch(exec, s));
  // One executable graph never runs beside itself, whatever the streams.
  EXPECT_OK(cuda().cuGraphLaunch(exec, stream()));
  EXPECT_EQ(cuda().cuStreamQuery(s), CUDA_ERROR_NOT_READY);
  gate.open();
  EXPECT_OK(cuda().cuCtxSynchronize());
  EXPECT_EQ(words(a, 1)[0], 17U);
}

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
  EXPECT_EQ(cuda().cuGraphNodeGetType(b, &type), CUDA_ERROR_INVALID_VALUE);
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
  // Of several, none is added if one cannot be.
  const CUgraphNode from[] = {a, a};
  const CUgraphNode to[] = {c, b};
  EXPECT_EQ(cuda().cuGraphAddDependencies(g, from, to, 2), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(edges_of(g), 1U);
  const CUgraphNode same[] = {a, a};
  CUgraphNode node = nullptr;
  EXPECT_EQ(cuda().cuGraphAddEmptyNode(&node, g, same, 2), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuda().cuGraphAddEmptyNode(&node, g, &stranger, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuda().cuGraphAddEmptyNode(&node, g, nullptr, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuda().cuGraphAddEmptyNode(nullptr, g, nullptr, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(nodes_of(g).size(), 3U);
}

TEST_F(GraphTest, ACycleIsFoundWhenItIsInstantiated) {
  const CUgraph g = graph();
  const CUgraphNode a = add_empty(g);
  const CUgraphNode b = add_empty(g, {a});
  EXPECT_OK(cuda().cuGraphAddDependencies(g, &b, &a, 1));
  CUDA_GRAPH_INSTANTIATE_PARAMS parameters = {};
  CUgraphExec exec = nullptr;
  EXPECT_EQ(cuda().cuGraphInstantiateWithParams(&exec, g, &parameters), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(parameters.result_out, CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE);
  char log[12] = "###########";
  CUgraphNode node = a;
  EXPECT_EQ(cuda().cuGraphInstantiate_v2(&exec, g, &node, log, sizeof(log)),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(node, nullptr);
  EXPECT_STREQ(log, "the graph h");
  EXPECT_EQ(cuda().cuGraphInstantiateWithFlags(&exec, g, 1 << 20), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuda().cuGraphRemoveDependencies(g, &b, &a, 1));
  EXPECT_OK(cuda().cuGraphInstantiateWithParams(&exec, g, &parameters));
  EXPECT_EQ(parameters.result_out, CUDA_GRAPH_INSTANTIATE_SUCCESS);
  launch(exec);
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
  EXPECT_EQ(refused(), CUDA_ERROR_INVALID_VALUE);
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
  EXPECT_EQ(cuda().cuGraphAddNode(&second, g, nullptr, 0, &parameters), CUDA_ERROR_NOT_SUPPORTED);
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
  std::size_t count = 1;
  EXPECT_EQ(cuda().cuGraphGetEdges(g, nullptr, nullptr, &count), CUDA_ERROR_LOSSY_QUERY);
  EXPECT_EQ(cuda().cuGraphNodeGetDependencies(second, nullptr, &count), CUDA_ERROR_LOSSY_QUERY);
  CUgraphNode from = nullptr;
  CUgraphEdgeData given = {};
  EXPECT_OK(cuda().cuGraphNodeGetDependencies_v2(second, &from, &given, &count));
  EXPECT_EQ(from, first);
  EXPECT_EQ(given.type, CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC);
  launch(instantiate(g));
  EXPECT_EQ(words(a, 1)[0], 8U);
}

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

TEST_F(GraphTest, ChildrenAreCopiesThatRunInTheirPlaces) {
  const CUgraph inner = graph();
  const CUdeviceptr a = allocate(256);
  const CUgraphNode one = add(inner, kernel("add", a, 1));
  add(inner, kernel("add", a, 1), {one});
  const CUgraph g = graph();
  const CUgraphNode first = add(g, kernel("fill", a, 10));
  CUgraphNode child = nullptr;
  ASSERT_OK(cuda().cuGraphAddChildGraphNode(&child, g, &first, 1, inner));
  add(g, kernel("add", a, 100), {child});
  add(inner, kernel("fill", a, 0)); // not in the copy
  EXPECT_EQ(type_of(child), CU_GRAPH_NODE_TYPE_GRAPH);
  CUgraph copied = nullptr;
  ASSERT_OK(cuda().cuGraphChildGraphNodeGetGraph(child, &copied));
  EXPECT_EQ(nodes_of(copied).size(), 2U);
  EXPECT_EQ(cuda().cuGraphDestroy(copied), CUDA_ERROR_INVALID_VALUE);
  const CUgraphExec exec = instantiate(g);
  launch(exec);
  EXPECT_EQ(words(a, 1)[0], 112U);
  // A node of the child is one of the executable graph's.
  const CUDA_KERNEL_NODE_PARAMS more = kernel("add", a, 5);
  EXPECT_OK(cuda().cuGraphExecKernelNodeSetParams_v2(exec, nodes_of(copied)[1], &more));
  launch(exec);
  EXPECT_EQ(words(a, 1)[0], 116U);
  const CUgraph next = graph();
  const CUgraphNode two = add(next, kernel("add", a, 2));
  add(next, kernel("add", a, 2), {two});
  EXPECT_OK(cuda().cuGraphExecChildGraphNodeSetParams(exec, child, next));
  launch(exec);
  EXPECT_EQ(words(a, 1)[0], 114U);
  EXPECT_EQ(cuda().cuGraphExecChildGraphNodeSetParams(exec, child, g), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuda().cuGraphDestroyNode(child));
  std::size_t count = 0;
  EXPECT_EQ(cuda().cuGraphGetNodes(copied, nullptr, &count), CUDA_ERROR_INVALID_VALUE);
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
  EXPECT_EQ(wrong, nodes[1]);
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
  value.clusterDim.x = 2;
  EXPECT_EQ(
      cuda().cuGraphKernelNodeSetAttribute(first, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, &value),
      CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(
      cuda().cuGraphKernelNodeSetAttribute(first, static_cast<CUlaunchAttributeID>(99), &value),
      CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(
      cuda().cuGraphKernelNodeGetAttribute(add_empty(g), CU_LAUNCH_ATTRIBUTE_PRIORITY, &value),
      CUDA_ERROR_INVALID_VALUE);
  launch(instantiate(g));
}

TEST_F(GraphTest, EventsAreRecordedAndWaitedFor) {
  const CUevent start = event();
  const CUevent done = event();
  const CUdeviceptr a = allocate(256);
  const CUgraph g = graph();
  CUgraphNode waits = nullptr;
  ASSERT_OK(cuda().cuGraphAddEventWaitNode(&waits, g, nullptr, 0, start));
  const CUgraphNode work = add(g, kernel("add", a, 1), {waits});
  CUgraphNode records = nullptr;
  ASSERT_OK(cuda().cuGraphAddEventRecordNode(&records, g, &work, 1, done));
  const CUgraphExec exec = instantiate(g);
  const CUstream held = stream();
  Gate gate;
  gate.close_in(held);
  EXPECT_OK(launch_fill(a, 4, 64, held));
  EXPECT_OK(cuda().cuEventRecord(start, held));
  EXPECT_OK(cuda().cuGraphLaunch(exec, stream()));
  EXPECT_EQ(cuda().cuEventQuery(done), CUDA_ERROR_NOT_READY);
  gate.open();
  EXPECT_OK(cuda().cuEventSynchronize(done));
  EXPECT_EQ(words(a, 1)[0], 5U);
}

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

TEST_F(GraphTest, AKernelThatCannotBeExecutedIsNamed) {
  CUmodule bad = nullptr;
  ASSERT_OK(cuda().cuModuleLoadData(&bad, ".version 8.0\n.target sm_80\n.address_size 64\n"
                                          ".entry odd() { novelty; ret; }\n"));
  CUDA_KERNEL_NODE_PARAMS parameters = {};
  ASSERT_OK(cuda().cuModuleGetFunction(&parameters.func, bad, "odd"));
  parameters.gridDimX = parameters.gridDimY = parameters.gridDimZ = 1;
  parameters.blockDimX = parameters.blockDimY = parameters.blockDimZ = 1;
  const CUgraph g = graph();
  const CUgraphNode node = add(g, parameters);
  CUgraphExec exec = nullptr;
  CUgraphNode wrong = nullptr;
  testing::internal::CaptureStderr();
  EXPECT_EQ(cuda().cuGraphInstantiate(&exec, g, &wrong, nullptr, 0), CUDA_ERROR_INVALID_PTX);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("novelty"), std::string::npos);
  EXPECT_EQ(wrong, node);
}

TEST_F(GraphTest, AFaultInAGraphIsTheContexts) {
  const CUgraph g = graph();
  const CUdeviceptr a = allocate(256);
  CUDA_KERNEL_NODE_PARAMS parameters = kernel("fill", a, 1);
  parameters.func = function("trap");
  parameters.kernelParams = nullptr;
  const CUgraphNode faulty = add(g, parameters);
  int called = 0;
  add_host(g, [](void* count) { ++*static_cast<int*>(count); }, &called, {faulty});
  const CUgraphExec exec = instantiate(g);
  EXPECT_OK(cuda().cuGraphLaunch(exec, nullptr));
  testing::internal::CaptureStderr();
  EXPECT_NE(cuda().cuStreamSynchronize(nullptr), CUDA_SUCCESS);
  testing::internal::GetCapturedStderr();
  EXPECT_EQ(called, 0);
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
