// What the tests of graphs share.
#pragma once

#include "driver_test.h"

#include <deque>

class GraphTest : public DriverTest {
protected:
  void TearDown() override {
    for (const CUgraph graph : graphs_) {
      EXPECT_OK(cuda().cuGraphDestroy(graph));
    }
    DriverTest::TearDown();
  }

  CUgraph graph() {
    CUgraph result = nullptr;
    EXPECT_OK(cuda().cuGraphCreate(&result, 0));
    graphs_.push_back(result);
    return result;
  }
  CUstream stream(unsigned flags = CU_STREAM_NON_BLOCKING) {
    CUstream result = nullptr;
    EXPECT_OK(cuda().cuStreamCreate(&result, flags));
    return result;
  }
  CUevent event() {
    CUevent result = nullptr;
    EXPECT_OK(cuda().cuEventCreate(&result, CU_EVENT_DISABLE_TIMING));
    return result;
  }

  /// Parameters of a launch of `kernel` (fill or add) that live as long as the test.
  CUDA_KERNEL_NODE_PARAMS kernel(const char* name, CUdeviceptr out, std::uint32_t value,
                                 std::uint32_t count = 64) {
    Arguments& arguments = arguments_.emplace_back();
    arguments.out = out;
    arguments.value = value;
    arguments.count = count;
    arguments.pointers[0] = &arguments.out;
    arguments.pointers[1] = &arguments.value;
    arguments.pointers[2] = &arguments.count;
    CUDA_KERNEL_NODE_PARAMS result = {};
    result.func = function(name);
    result.gridDimX = (count + 63) / 64;
    result.gridDimY = result.gridDimZ = 1;
    result.blockDimX = 64;
    result.blockDimY = result.blockDimZ = 1;
    result.kernelParams = arguments.pointers;
    return result;
  }
  CUgraphNode add(CUgraph graph, const CUDA_KERNEL_NODE_PARAMS& parameters,
                  const std::vector<CUgraphNode>& after = {}) {
    CUgraphNode node = nullptr;
    EXPECT_OK(
        cuda().cuGraphAddKernelNode_v2(&node, graph, after.data(), after.size(), &parameters));
    return node;
  }
  CUgraphNode add_empty(CUgraph graph, const std::vector<CUgraphNode>& after = {}) {
    CUgraphNode node = nullptr;
    EXPECT_OK(cuda().cuGraphAddEmptyNode(&node, graph, after.data(), after.size()));
    return node;
  }
  CUgraphNode add_host(CUgraph graph, CUhostFn function, void* argument,
                       const std::vector<CUgraphNode>& after = {}) {
    const CUDA_HOST_NODE_PARAMS parameters = {function, argument};
    CUgraphNode node = nullptr;
    EXPECT_OK(cuda().cuGraphAddHostNode(&node, graph, after.data(), after.size(), &parameters));
    return node;
  }
  CUgraphExec instantiate(CUgraph graph, unsigned long long flags = 0) {
    CUgraphExec result = nullptr;
    EXPECT_OK(cuda().cuGraphInstantiateWithFlags(&result, graph, flags));
    return result;
  }
  void launch(CUgraphExec exec, CUstream stream = nullptr) {
    EXPECT_OK(cuda().cuGraphLaunch(exec, stream));
    EXPECT_OK(cuda().cuStreamSynchronize(stream));
  }
  static std::vector<CUgraphNode> nodes_of(CUgraph graph) {
    std::size_t count = 0;
    EXPECT_OK(cuda().cuGraphGetNodes(graph, nullptr, &count));
    std::vector<CUgraphNode> nodes(count);
    EXPECT_OK(cuda().cuGraphGetNodes(graph, nodes.data(), &count));
    return nodes;
  }
  static std::size_t edges_of(CUgraph graph) {
    std::size_t count = 0;
    EXPECT_OK(cuda().cuGraphGetEdges(graph, nullptr, nullptr, &count));
    return count;
  }
  static CUgraphNodeType type_of(CUgraphNode node) {
    auto type = static_cast<CUgraphNodeType>(-1);
    EXPECT_OK(cuda().cuGraphNodeGetType(node, &type));
    return type;
  }
  static CUDA_MEMCPY3D copy(CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {
    CUDA_MEMCPY3D result = {};
    result.srcMemoryType = result.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
    result.srcDevice = from;
    result.dstDevice = to;
    result.WidthInBytes = bytes;
    result.Height = result.Depth = 1;
    return result;
  }

private:
  struct Arguments {
    CUdeviceptr out;
    std::uint32_t value;
    std::uint32_t count;
    void* pointers[3];
  };
  std::deque<Arguments> arguments_;
  std::vector<CUgraph> graphs_;
};
