// Streams that are captured into graphs, and what may not be done with them then.
#include "graph_test.h"

#include <functional>
#include <thread>

namespace {

class CaptureTest : public GraphTest {
protected:
  void SetUp() override {
    GraphTest::SetUp();
    memory_ = allocate(256);
  }
  void begin(CUstream stream, CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL) {
    ASSERT_OK(cuda().cuStreamBeginCapture_v2(stream, mode));
  }
  CUgraph end(CUstream stream) {
    CUgraph graph = nullptr;
    EXPECT_OK(cuda().cuStreamEndCapture(stream, &graph));
    return graph;
  }
  static CUresult failing_end(CUstream stream) {
    CUgraph graph = reinterpret_cast<CUgraph>(1);
    const CUresult result = cuda().cuStreamEndCapture(stream, &graph);
    EXPECT_EQ(graph, nullptr);
    return result;
  }
  static CUstreamCaptureStatus status_of(CUstream stream) {
    auto status = static_cast<CUstreamCaptureStatus>(-1);
    EXPECT_OK(cuda().cuStreamIsCapturing(stream, &status));
    return status;
  }

  CUdeviceptr memory_ = 0; ///< there may be no allocating while something is captured
  int called_ = 0;
};

TEST_F(CaptureTest, OperationsBecomeNodes) {
  const CUstream s = stream();
  const CUdeviceptr a = allocate(256);
  const CUdeviceptr b = allocate(256);
  int called = 0;
  begin(s);
  EXPECT_EQ(status_of(s), CU_STREAM_CAPTURE_STATUS_ACTIVE);
  EXPECT_OK(launch_fill(a, 3, 64, s));
  EXPECT_OK(launch_fill(a, 1, 64, s, "add"));
  EXPECT_OK(cuda().cuMemcpyDtoDAsync_v2(b, a, 256, s));
  EXPECT_OK(cuda().cuMemsetD32Async(a, 7, 64, s));
  EXPECT_OK(cuda().cuLaunchHostFunc(s, [](void* count) { ++*static_cast<int*>(count); }, &called));
  const CUgraph g = end(s);
  EXPECT_EQ(status_of(s), CU_STREAM_CAPTURE_STATUS_NONE);
  const std::vector<CUgraphNode> nodes = nodes_of(g);
  ASSERT_EQ(nodes.size(), 5U);
  EXPECT_EQ(type_of(nodes[0]), CU_GRAPH_NODE_TYPE_KERNEL);
  EXPECT_EQ(type_of(nodes[2]), CU_GRAPH_NODE_TYPE_MEMCPY);
  EXPECT_EQ(type_of(nodes[3]), CU_GRAPH_NODE_TYPE_MEMSET);
  EXPECT_EQ(type_of(nodes[4]), CU_GRAPH_NODE_TYPE_HOST);
  EXPECT_EQ(edges_of(g), 4U);
  CUDA_MEMCPY3D moved = {};
  EXPECT_OK(cuda().cuGraphMemcpyNodeGetParams(nodes[2], &moved));
  EXPECT_EQ(moved.dstDevice, b);
  EXPECT_EQ(moved.WidthInBytes, 256U);
  // Nothing has been done yet.
  EXPECT_EQ(words(a, 1)[0], 0U);
  EXPECT_EQ(called, 0);
  const CUgraphExec exec = instantiate(g);
  launch(exec, s);
  launch(exec, s);
  EXPECT_EQ(words(a, 1)[0], 7U);
  EXPECT_EQ(words(b, 1)[0], 4U);
  EXPECT_EQ(called, 2);
  EXPECT_OK(cuda().cuGraphDestroy(g));
}

TEST_F(CaptureTest, StreamsForkAndJoin) {
  const CUstream main = stream();
  const CUstream side = stream();
  const CUdeviceptr a = allocate(256);
  const CUdeviceptr b = allocate(256);
  const CUevent fork = event();
  const CUevent join = event();
  begin(main);
  EXPECT_OK(launch_fill(a, 1, 64, main));
  EXPECT_OK(cuda().cuEventRecord(fork, main));
  EXPECT_OK(cuda().cuStreamWaitEvent(side, fork, 0));
  EXPECT_EQ(status_of(side), CU_STREAM_CAPTURE_STATUS_ACTIVE);
  EXPECT_OK(cuda().cuMemcpyDtoDAsync_v2(b, a, 256, side));
  EXPECT_OK(launch_fill(a, 2, 64, main, "add"));
  EXPECT_OK(cuda().cuEventRecord(join, side));
  EXPECT_OK(cuda().cuStreamWaitEvent(main, join, 0));
  EXPECT_OK(cuda().cuMemcpyDtoDAsync_v2(b + 128, a, 128, main));
  const CUgraph g = end(main);
  EXPECT_EQ(status_of(side), CU_STREAM_CAPTURE_STATUS_NONE);
  EXPECT_EQ(nodes_of(g).size(), 4U);
  EXPECT_EQ(edges_of(g), 4U);
  // An event of a capture that has ended is none of a stream.
  EXPECT_EQ(cuda().cuEventQuery(join), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuda().cuEventSynchronize(join), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuda().cuStreamWaitEvent(side, join, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuda().cuEventRecord(join, side));
  EXPECT_OK(cuda().cuEventSynchronize(join));
  launch(instantiate(g), main);
  EXPECT_EQ(words(b + 128, 1)[0], 3U);
  EXPECT_OK(cuda().cuGraphDestroy(g));
}

TEST_F(CaptureTest, AForkThatDoesNotJoinIsAnError) {
  const CUstream main = stream();
  const CUstream side = stream();
  const CUevent fork = event();
  begin(main);
  EXPECT_OK(cuda().cuEventRecord(fork, main));
  EXPECT_OK(cuda().cuStreamWaitEvent(side, fork, 0));
  EXPECT_OK(launch_fill(memory_, 1, 64, side));
  EXPECT_EQ(failing_end(main), CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
  EXPECT_EQ(status_of(main), CU_STREAM_CAPTURE_STATUS_NONE);
  EXPECT_EQ(status_of(side), CU_STREAM_CAPTURE_STATUS_NONE);
}

TEST_F(CaptureTest, OnlyTheOriginEndsIt) {
  const CUstream main = stream();
  const CUstream side = stream();
  const CUevent fork = event();
  EXPECT_EQ(failing_end(main), CUDA_ERROR_ILLEGAL_STATE);
  begin(main);
  EXPECT_EQ(cuda().cuStreamBeginCapture_v2(main, CU_STREAM_CAPTURE_MODE_GLOBAL),
            CUDA_ERROR_ILLEGAL_STATE);
  EXPECT_OK(cuda().cuEventRecord(fork, main));
  EXPECT_OK(cuda().cuStreamWaitEvent(side, fork, 0));
  EXPECT_EQ(failing_end(side), CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
  EXPECT_EQ(status_of(main), CU_STREAM_CAPTURE_STATUS_INVALIDATED);
  EXPECT_EQ(launch_fill(memory_, 1, 64, main), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  EXPECT_EQ(failing_end(main), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  EXPECT_EQ(cuda().cuStreamBeginCapture_v2(nullptr, CU_STREAM_CAPTURE_MODE_GLOBAL),
            CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  EXPECT_EQ(cuda().cuStreamBeginCapture_v2(main, static_cast<CUstreamCaptureMode>(7)),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_F(CaptureTest, WhatCannotBeCapturedInvalidatesIt) {
  const CUstream s = stream();
  const CUevent before = event();
  EXPECT_OK(cuda().cuEventRecord(before, s));
  const CUevent inside = event();
  CUevent never = event();
  const auto callback = [](CUstream, CUresult, void*) {};
  CUdeviceptr address = 0;
  const CUgraph other = graph();
  add(other, kernel("add", memory_, 1));
  const CUgraphExec exec = instantiate(other);
  const std::pair<std::function<CUresult()>, CUresult> cases[] = {
      {[&] { return cuda().cuStreamSynchronize(s); }, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED},
      {[&] { return cuda().cuStreamQuery(s); }, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED},
      {[&] { return cuda().cuStreamAddCallback(s, callback, nullptr, 0); },
       CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED},
      {[&] { return cuda().cuCtxSynchronize(); }, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED},
      {[&] { return cuda().cuGraphLaunch(exec, s); }, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED},
      {[&] { return cuda().cuMemAlloc_v2(&address, 16); }, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED},
      {[&] { return cuda().cuMemFree_v2(memory_); }, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED},
      {[&] { return cuda().cuEventQuery(inside); }, CUDA_ERROR_CAPTURED_EVENT},
      {[&] { return cuda().cuEventSynchronize(inside); }, CUDA_ERROR_CAPTURED_EVENT},
      {[&] { return cuda().cuStreamWaitEvent(s, before, 0); }, CUDA_ERROR_STREAM_CAPTURE_ISOLATION},
  };
  for (std::size_t i = 0; i < std::size(cases); ++i) {
    begin(s);
    EXPECT_OK(cuda().cuEventRecord(inside, s));
    EXPECT_OK(cuda().cuStreamWaitEvent(s, never, 0));
    EXPECT_EQ(cases[i].first(), cases[i].second) << i;
    EXPECT_EQ(status_of(s), CU_STREAM_CAPTURE_STATUS_INVALIDATED) << i;
    EXPECT_EQ(failing_end(s), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED) << i;
  }
  EXPECT_OK(cuda().cuCtxSynchronize());
}

TEST_F(CaptureTest, TheLegacyStreamWouldWaitForBlockingOnes) {
  const CUstream blocking = stream(CU_STREAM_DEFAULT);
  begin(blocking, CU_STREAM_CAPTURE_MODE_RELAXED);
  // To ask does no harm.
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  EXPECT_EQ(cuda().cuStreamIsCapturing(nullptr, &status), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  EXPECT_EQ(status_of(blocking), CU_STREAM_CAPTURE_STATUS_ACTIVE);
  EXPECT_EQ(launch_fill(memory_, 1, 64, nullptr), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  EXPECT_EQ(status_of(blocking), CU_STREAM_CAPTURE_STATUS_INVALIDATED);
  EXPECT_EQ(failing_end(blocking), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  // It does not wait for others, and so copies and fills that return when they are done are no harm
  // either.
  const CUstream free = stream(CU_STREAM_NON_BLOCKING);
  begin(free);
  EXPECT_OK(launch_fill(memory_, 1, 64, nullptr));
  EXPECT_EQ(words(memory_, 1)[0], 1U);
  EXPECT_OK(cuda().cuMemsetD32_v2(memory_, 0, 1));
  EXPECT_OK(cuda().cuGraphDestroy(end(free)));
}

TEST_F(CaptureTest, TwoCapturesCannotMerge) {
  const CUstream one = stream();
  const CUstream two = stream();
  const CUevent e = event();
  begin(one);
  begin(two);
  EXPECT_OK(cuda().cuEventRecord(e, one));
  EXPECT_EQ(cuda().cuStreamWaitEvent(two, e, 0), CUDA_ERROR_STREAM_CAPTURE_MERGE);
  EXPECT_EQ(failing_end(one), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  EXPECT_EQ(failing_end(two), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
}

TEST_F(CaptureTest, ModesSayWhoMayCallWhat) {
  const CUstream s = stream();
  const auto allocation = [] {
    CUdeviceptr address = 0;
    const CUresult result = cuda().cuMemAlloc_v2(&address, 16);
    if (result == CUDA_SUCCESS) {
      EXPECT_OK(cuda().cuMemFree_v2(address));
    }
    return result;
  };
  const auto in_other_thread = [&](auto call) {
    CUresult result = CUDA_ERROR_UNKNOWN;
    std::thread([&] {
      EXPECT_OK(cuda().cuCtxSetCurrent(context_));
      result = call();
    }).join();
    return result;
  };
  begin(s, CU_STREAM_CAPTURE_MODE_RELAXED);
  EXPECT_OK(allocation());
  EXPECT_OK(in_other_thread(allocation));
  // A relaxed capture may be ended by any thread.
  CUgraph g = nullptr;
  EXPECT_OK(in_other_thread([&] { return cuda().cuStreamEndCapture(s, &g); }));
  EXPECT_OK(cuda().cuGraphDestroy(g));

  begin(s, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
  EXPECT_OK(in_other_thread(allocation));
  // Another thread ends it, but gets no graph.
  EXPECT_EQ(in_other_thread([&] { return failing_end(s); }),
            CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);
  EXPECT_EQ(status_of(s), CU_STREAM_CAPTURE_STATUS_NONE);

  begin(s, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  EXPECT_OK(cuda().cuThreadExchangeStreamCaptureMode(&mode));
  EXPECT_EQ(mode, CU_STREAM_CAPTURE_MODE_GLOBAL);
  EXPECT_OK(allocation());
  EXPECT_OK(cuda().cuThreadExchangeStreamCaptureMode(&mode));
  EXPECT_EQ(mode, CU_STREAM_CAPTURE_MODE_RELAXED);
  EXPECT_EQ(allocation(), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  EXPECT_EQ(failing_end(s), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);

  begin(s, CU_STREAM_CAPTURE_MODE_GLOBAL);
  EXPECT_EQ(in_other_thread(allocation), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  EXPECT_EQ(failing_end(s), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  if (cuda().is_simulated) { // NVIDIA's driver takes any number
    mode = static_cast<CUstreamCaptureMode>(5);
    EXPECT_EQ(cuda().cuThreadExchangeStreamCaptureMode(&mode), CUDA_ERROR_INVALID_VALUE);
  }
}

TEST_F(CaptureTest, SaysWhereItIs) {
  const CUstream s = stream();
  begin(s);
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  std::uint64_t id = 0;
  CUgraph g = nullptr;
  const CUgraphNode* dependencies = nullptr;
  std::size_t count = 9;
  EXPECT_OK(cuda().cuStreamGetCaptureInfo_v2(s, &status, &id, &g, &dependencies, &count));
  EXPECT_EQ(status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
  EXPECT_NE(id, 0U);
  EXPECT_EQ(count, 0U);
  EXPECT_OK(launch_fill(memory_, 1, 64, s));
  const CUgraphEdgeData* data = nullptr;
  EXPECT_OK(cuda().cuStreamGetCaptureInfo_v3(s, &status, &id, &g, &dependencies, &data, &count));
  ASSERT_EQ(count, 1U);
  const CUgraphNode kernel_node = dependencies[0];
  EXPECT_EQ(nodes_of(g), std::vector<CUgraphNode>{kernel_node});
  // A node of the program's own between those that are captured.
  CUgraphNode own =
      add_host(g, [](void* word) { ++*static_cast<int*>(word); }, &called_, {kernel_node});
  EXPECT_OK(
      cuda().cuStreamUpdateCaptureDependencies(s, &own, 1, CU_STREAM_SET_CAPTURE_DEPENDENCIES));
  EXPECT_OK(launch_fill(memory_, 2, 64, s));
  EXPECT_OK(cuda().cuStreamGetCaptureInfo_v2(s, &status, &id, &g, &dependencies, &count));
  CUgraphNode before = nullptr;
  count = 1;
  EXPECT_OK(cuda().cuGraphNodeGetDependencies(dependencies[0], &before, &count));
  EXPECT_EQ(before, own);
  CUgraphNode stranger = add_empty(graph());
  EXPECT_EQ(cuda().cuStreamUpdateCaptureDependencies_v2(s, &stranger, nullptr, 1,
                                                        CU_STREAM_ADD_CAPTURE_DEPENDENCIES),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(end(s), g);
  launch(instantiate(g), s);
  EXPECT_EQ(called_, 1);
  EXPECT_OK(cuda().cuStreamGetCaptureInfo(s, &status, &id));
  EXPECT_EQ(status, CU_STREAM_CAPTURE_STATUS_NONE);
  EXPECT_EQ(cuda().cuStreamUpdateCaptureDependencies(s, &own, 1, 0), CUDA_ERROR_ILLEGAL_STATE);
  EXPECT_OK(cuda().cuGraphDestroy(g));
}

TEST_F(CaptureTest, GoesIntoAGraphThatIsThere) {
  const CUstream s = stream();
  const CUgraph g = graph();
  const CUgraphNode first = add(g, kernel("fill", memory_, 5));
  add_empty(g); // nothing of the capture's, and so need not be joined
  ASSERT_OK(
      cuda().cuStreamBeginCaptureToGraph(s, g, &first, nullptr, 1, CU_STREAM_CAPTURE_MODE_GLOBAL));
  EXPECT_OK(launch_fill(memory_, 1, 64, s, "add"));
  EXPECT_EQ(end(s), g);
  EXPECT_EQ(nodes_of(g).size(), 3U);
  EXPECT_EQ(edges_of(g), 1U);
  launch(instantiate(g), s);
  EXPECT_EQ(words(memory_, 1)[0], 6U);
}

TEST_F(CaptureTest, ExternalEventsAreNodes) {
  const CUstream s = stream();
  const CUevent start = event();
  const CUevent done = event();
  EXPECT_EQ(cuda().cuEventRecordWithFlags(done, s, CU_EVENT_RECORD_EXTERNAL),
            CUDA_ERROR_ILLEGAL_STATE);
  EXPECT_EQ(cuda().cuStreamWaitEvent(s, start, CU_EVENT_WAIT_EXTERNAL), CUDA_ERROR_ILLEGAL_STATE);
  begin(s);
  EXPECT_OK(cuda().cuStreamWaitEvent(s, start, CU_EVENT_WAIT_EXTERNAL));
  EXPECT_OK(launch_fill(memory_, 1, 64, s));
  EXPECT_OK(cuda().cuEventRecordWithFlags(done, s, CU_EVENT_RECORD_EXTERNAL));
  const CUgraph g = end(s);
  const std::vector<CUgraphNode> nodes = nodes_of(g);
  ASSERT_EQ(nodes.size(), 3U);
  EXPECT_EQ(type_of(nodes[0]), CU_GRAPH_NODE_TYPE_WAIT_EVENT);
  EXPECT_EQ(type_of(nodes[2]), CU_GRAPH_NODE_TYPE_EVENT_RECORD);
  launch(instantiate(g), s);
  EXPECT_OK(cuda().cuEventQuery(done));
  EXPECT_OK(cuda().cuGraphDestroy(g));
}

TEST_F(CaptureTest, AllocationsAreCaptured) {
  const CUstream s = stream();
  begin(s);
  CUdeviceptr a = 0;
  EXPECT_OK(cuda().cuMemAllocAsync(&a, 256, s));
  EXPECT_OK(launch_fill(a, 9, 64, s));
  EXPECT_OK(cuda().cuMemcpyDtoDAsync_v2(memory_, a, 256, s));
  EXPECT_OK(cuda().cuMemFreeAsync(a, s));
  const CUgraph g = end(s);
  const std::vector<CUgraphNode> nodes = nodes_of(g);
  ASSERT_EQ(nodes.size(), 4U);
  EXPECT_EQ(type_of(nodes[0]), CU_GRAPH_NODE_TYPE_MEM_ALLOC);
  EXPECT_EQ(type_of(nodes[3]), CU_GRAPH_NODE_TYPE_MEM_FREE);
  const CUgraphExec all = instantiate(g);
  launch(all, s);
  launch(all, s);
  EXPECT_EQ(words(memory_, 1)[0], 9U);
  EXPECT_OK(cuda().cuGraphDestroy(g));
}

TEST_F(CaptureTest, ADestroyedStreamEndsIt) {
  const CUstream s = stream();
  begin(s);
  EXPECT_OK(cuda().cuStreamDestroy_v2(s));
  CUdeviceptr address = 0;
  EXPECT_OK(cuda().cuMemAlloc_v2(&address, 16));
  // And so does the end of the context, which is what this test ends with.
  begin(stream());
}

} // namespace
