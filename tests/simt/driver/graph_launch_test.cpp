// What launches of graphs do, and in which order.
#include "graph_test.h"

#include <algorithm>
#include <atomic>
#include <chrono>
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

TEST_F(GraphTest, ABranchDoesNotWaitForAnother) {
  void* host = nullptr;
  ASSERT_OK(cuda().cuMemHostAlloc(&host, sizeof(std::uint32_t), CU_MEMHOSTALLOC_DEVICEMAP));
  CUdeviceptr word = 0;
  ASSERT_OK(cuda().cuMemHostGetDevicePointer_v2(&word, host, 0));
  const std::atomic_ref<std::uint32_t> seen(*static_cast<std::uint32_t*>(host));
  seen = 0;
  Gate gate;
  const CUgraph g = graph();
  const CUgraphNode root = add_empty(g);
  const CUgraphNode held = add_host(g, &Gate::wait_at, &gate, {root});
  const CUgraphNode free = add(g, kernel("fill", word, 5, 1), {root});
  add(g, kernel("add", word, 2, 1), {held, free});
  const CUgraphExec exec = instantiate(g);
  const CUstream s = stream();
  EXPECT_OK(cuda().cuGraphLaunch(exec, s));
  gate.await_arrival();
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (seen == 0 && std::chrono::steady_clock::now() < end) {
    std::this_thread::yield();
  }
  EXPECT_EQ(seen.load(), 5U);
  EXPECT_EQ(cuda().cuStreamQuery(s), CUDA_ERROR_NOT_READY);
  gate.open();
  EXPECT_OK(cuda().cuStreamSynchronize(s));
  EXPECT_EQ(seen.load(), 7U);
}

TEST_F(GraphTest, HostFunctionsOfBranchesRunAtOnceAndJoin) {
  if (!cuda().is_simulated) {
    GTEST_SKIP() << "NVIDIA's driver calls one host function after the other";
  }
  Meeting meeting(3);
  struct Join {
    const Meeting& meeting;
    int arrived = 0;
  } joined{meeting};
  const CUgraph g = graph();
  const CUgraphNode root = add_empty(g);
  std::vector<CUgraphNode> branches;
  for (int i = 0; i < 3; ++i) {
    branches.push_back(add_host(g, &Meeting::join, &meeting, {root}));
  }
  const CUgraphNode join = add_empty(g, branches);
  add_host(g,
           [](void* argument) {
             auto* const joined = static_cast<Join*>(argument);
             joined->arrived = joined->meeting.arrived();
           },
           &joined, {join});
  launch(instantiate(g), stream());
  EXPECT_EQ(joined.arrived, 3);
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
  EXPECT_EQ(cuda().cuGraphExecChildGraphNodeSetParams(exec, child, g),
            CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
  EXPECT_OK(cuda().cuGraphDestroyNode(child));
  std::size_t count = 0;
  EXPECT_EQ(cuda().cuGraphGetNodes(copied, nullptr, &count), CUDA_ERROR_INVALID_VALUE);
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
  if (cuda().is_simulated) {
    EXPECT_STREQ(log, "the graph h"); // ended before the end of its place
  } else {
    EXPECT_STREQ(log, ""); // NVIDIA's driver has nothing to say
  }
  EXPECT_EQ(cuda().cuGraphInstantiateWithFlags(&exec, g, 1 << 20), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuda().cuGraphRemoveDependencies(g, &b, &a, 1));
  EXPECT_OK(cuda().cuGraphInstantiateWithParams(&exec, g, &parameters));
  EXPECT_EQ(parameters.result_out, CUDA_GRAPH_INSTANTIATE_SUCCESS);
  launch(exec);
}

TEST_F(GraphTest, AKernelThatCannotBeExecutedIsNamed) {
  if (!cuda().is_simulated) {
    GTEST_SKIP() << "NVIDIA's driver refuses the whole module when it is loaded";
  }
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

} // namespace
