// Entry points: executable graphs.
#include "simt/driver/api_graph.h"
#include "simt/driver/graphs/capture.h"
#include "simt/driver/graphs/graph_exec.h"

#include <algorithm>
#include <cstring>
#include <utility>

using namespace gantry::simt::driver;

namespace {

using Failure = GraphExec::Failure;

/// body(GraphExec&)
template <typename Body>
CUresult call_for_exec(CUgraphExec handle, const Body& body) {
  return call_for_graphs(
      [&] { return with_object(handles().graph_execs, handle, body, CUDA_ERROR_INVALID_VALUE); });
}

/// body(GraphExec&, GraphNode&) with the executable graph's node that a node of the program's
/// means.
template <typename Body>
CUresult call_for_exec_node(CUgraphExec handle, CUgraphNode node_handle, const Body& body) {
  return call_for_exec(handle, [&](GraphExec& exec) {
    return with_object(
        handles().graph_nodes, node_handle,
        [&](GraphNode& node) {
          GraphNode* const own = exec.find(node);
          return own == nullptr ? CUDA_ERROR_INVALID_VALUE : body(exec, *own);
        },
        CUDA_ERROR_INVALID_VALUE);
  });
}

CUresult instantiate(CUgraphExec* place, CUgraph handle, std::uint64_t flags, Failure& failure) {
  return call_for_graph(handle, [&](Graph& graph) {
    if (place == nullptr) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    auto exec = GraphExec::create(graph, flags);
    if (!exec) {
      failure = std::move(exec.error());
      return failure.code;
    }
    *place = (*exec)->handle();
    failure.result = CUDA_GRAPH_INSTANTIATE_SUCCESS;
    return CUDA_SUCCESS;
  });
}

/// Gives a node other work of the same type; make() gives it.
template <typename Make>
CUresult set_work(CUgraphExec exec, CUgraphNode node, const Make& make) {
  return call_for_exec_node(exec, node, [&](GraphExec& graph, GraphNode& own) {
    WorkResult work = make();
    return work ? graph.set(own, *std::move(work)) : work.error();
  });
}

template <typename Parameters, typename... More>
CUresult set_work_of(CUgraphExec exec, CUgraphNode node, const Parameters* parameters,
                     More... more) {
  return set_work(exec, node, [&] { return work_of(parameters, more...); });
}

CUresult set_child(GraphExec& exec, GraphNode& own, CUgraph handle) {
  return with_object(
      handles().graphs, handle, [&](Graph& child) { return exec.set_child(own, child); },
      CUDA_ERROR_INVALID_VALUE);
}

bool can_be_disabled(const GraphNode& node) {
  return std::holds_alternative<KernelWork>(node.work) ||
         std::holds_alternative<CopyWork>(node.work) || std::holds_alternative<FillWork>(node.work);
}

} // namespace

GANTRY_CUDA_API cuGraphInstantiate_v2(CUgraphExec* exec, CUgraph graph, CUgraphNode* error_node,
                                      char* log, size_t log_size) {
  Failure failure;
  const CUresult result = instantiate(exec, graph, 0, failure);
  give(error_node, failure.node);
  if (log != nullptr && log_size != 0) {
    const std::size_t length = std::min(failure.reason.size(), log_size - 1);
    std::memcpy(log, failure.reason.data(), length);
    log[length] = '\0';
  }
  return result;
}

GANTRY_CUDA_API cuGraphInstantiate(CUgraphExec* exec, CUgraph graph, CUgraphNode* error_node,
                                   char* log, size_t log_size) {
  return cuGraphInstantiate_v2(exec, graph, error_node, log, log_size);
}

GANTRY_CUDA_API cuGraphInstantiateWithFlags(CUgraphExec* exec, CUgraph graph,
                                            unsigned long long flags) {
  Failure failure;
  return instantiate(exec, graph, flags, failure);
}

GANTRY_CUDA_API cuGraphInstantiateWithParams(CUgraphExec* exec, CUgraph graph,
                                             CUDA_GRAPH_INSTANTIATE_PARAMS* parameters) {
  if (parameters == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  Failure failure;
  const CUresult result = instantiate(exec, graph, parameters->flags, failure);
  parameters->hErrNode_out = failure.node;
  parameters->result_out = failure.result;
  return result;
}

GANTRY_CUDA_PROPERTY(cuGraphExecGetFlags, (CUgraphExec handle, std::uint64_t* place), call_for_exec,
                     object.flags())

GANTRY_CUDA_API cuGraphExecDestroy(CUgraphExec handle) {
  // Its launches still end.
  return call_for_graphs([&] {
    return handles().graph_execs.erase(handle) != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  });
}

GANTRY_CUDA_API cuGraphUpload(CUgraphExec handle, CUstream stream_handle) {
  // There is nothing to bring to the device.
  return call_for_stream(stream_handle, [&](Stream& stream) {
    const CUresult refused = Capture::refuse_captured(stream);
    return refused != CUDA_SUCCESS ? refused
                                   : call_for_exec(handle, [](GraphExec&) { return CUDA_SUCCESS; });
  });
}

GANTRY_CUDA_API cuGraphLaunch(CUgraphExec handle, CUstream stream_handle) {
  return call_for_stream(stream_handle, [&](Stream& stream) {
    const CUresult refused = Capture::refuse_captured(stream);
    return refused != CUDA_SUCCESS
               ? refused
               : call_for_exec(handle, [&](GraphExec& exec) { return exec.launch(stream); });
  });
}

GANTRY_CUDA_API cuGraphExecUpdate_v2(CUgraphExec handle, CUgraph graph_handle,
                                     CUgraphExecUpdateResultInfo* info) {
  return call_for_exec(handle, [&](GraphExec& exec) {
    const std::shared_ptr<Graph> graph = handles().graphs.find(graph_handle);
    if (graph == nullptr || info == nullptr) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    *info = exec.update(*graph);
    return info->result == CU_GRAPH_EXEC_UPDATE_SUCCESS ? CUDA_SUCCESS
                                                        : CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
  });
}

GANTRY_CUDA_API cuGraphExecUpdate(CUgraphExec exec, CUgraph graph, CUgraphNode* error_node,
                                  CUgraphExecUpdateResult* result) {
  CUgraphExecUpdateResultInfo info = {};
  const CUresult updated = cuGraphExecUpdate_v2(exec, graph, &info);
  give(error_node, info.errorNode);
  give(result, info.result);
  return updated;
}

GANTRY_CUDA_API cuGraphExecNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                         CUgraphNodeParams* parameters) {
  if (parameters == nullptr || parameters->type != CU_GRAPH_NODE_TYPE_GRAPH) {
    return set_work_of(exec, node, parameters);
  }
  return call_for_exec_node(exec, node, [&](GraphExec& graph, GraphNode& own) {
    return set_child(graph, own, parameters->graph.graph);
  });
}

GANTRY_CUDA_API cuGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                               const CUDA_KERNEL_NODE_PARAMS_v1* parameters) {
  return set_work_of(exec, node, parameters);
}

GANTRY_CUDA_API cuGraphExecKernelNodeSetParams_v2(CUgraphExec exec, CUgraphNode node,
                                                  const CUDA_KERNEL_NODE_PARAMS* parameters) {
  return set_work_of(exec, node, parameters);
}

GANTRY_CUDA_API cuGraphExecMemcpyNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                               const CUDA_MEMCPY3D* parameters, CUcontext context) {
  return set_work_of(exec, node, parameters, context);
}

GANTRY_CUDA_API cuGraphExecMemsetNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                               const CUDA_MEMSET_NODE_PARAMS* parameters,
                                               CUcontext context) {
  return set_work_of(exec, node, parameters, context);
}

GANTRY_CUDA_API cuGraphExecHostNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                             const CUDA_HOST_NODE_PARAMS* parameters) {
  return set_work_of(exec, node, parameters);
}

GANTRY_CUDA_API cuGraphExecChildGraphNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                                   CUgraph child) {
  return call_for_exec_node(
      exec, node, [&](GraphExec& graph, GraphNode& own) { return set_child(graph, own, child); });
}

GANTRY_CUDA_API cuGraphExecEventRecordNodeSetEvent(CUgraphExec exec, CUgraphNode node,
                                                   CUevent event) {
  return set_work(exec, node, [&] { return make_record_work(event); });
}

GANTRY_CUDA_API cuGraphExecEventWaitNodeSetEvent(CUgraphExec exec, CUgraphNode node,
                                                 CUevent event) {
  return set_work(exec, node, [&] { return make_wait_work(event); });
}

GANTRY_CUDA_API cuGraphNodeSetEnabled(CUgraphExec exec, CUgraphNode node, unsigned int enabled) {
  return call_for_exec_node(exec, node, [&](GraphExec& /*graph*/, GraphNode& own) {
    if (!can_be_disabled(own)) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    own.enabled = enabled != 0;
    return CUDA_SUCCESS;
  });
}

GANTRY_CUDA_API cuGraphNodeGetEnabled(CUgraphExec exec, CUgraphNode node, unsigned int* enabled) {
  return call_for_exec_node(exec, node, [&](GraphExec& /*graph*/, GraphNode& own) {
    return can_be_disabled(own) ? deliver(enabled, own.enabled ? 1U : 0U)
                                : CUDA_ERROR_INVALID_VALUE;
  });
}
