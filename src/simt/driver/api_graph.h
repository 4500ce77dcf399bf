// What the entry points of graphs share.
#pragma once

#include "simt/driver/api.h"
#include "simt/driver/graphs/graph.h"
#include "simt/driver/messages.h"

#include <memory>
#include <mutex>
#include <vector>

namespace gantry::simt::driver {

/// For calls about graphs: body() with graph_mutex(); what it lets go of may end user objects.
template <typename Body>
CUresult call_for_graphs(Body&& body) noexcept {
  return call([&] {
    CUresult result = CUDA_SUCCESS;
    {
      const std::lock_guard lock(graph_mutex());
      result = body();
    }
    UserObject::call_due();
    return result;
  });
}

/// For calls about a graph: body(Graph&).
template <typename Body>
CUresult call_for_graph(CUgraph handle, Body&& body) noexcept {
  return call_for_graphs(
      [&] { return with_object(handles().graphs, handle, body, CUDA_ERROR_INVALID_VALUE); });
}

/// For calls about a node that is in a graph: body(GraphNode&).
template <typename Body>
CUresult call_for_node(CUgraphNode handle, Body&& body) noexcept {
  return call_for_graphs(
      [&] { return with_object(handles().graph_nodes, handle, body, CUDA_ERROR_INVALID_VALUE); });
}

/// For calls about references to a user object: body(object).
template <typename Body>
CUresult call_for_user_object(CUuserObject handle, unsigned count, Body&& body) noexcept {
  return call_for_graphs([&] {
    const std::shared_ptr<UserObject> object = handles().user_objects.find(handle);
    return object == nullptr || count == 0 || count > INT32_MAX ? CUDA_ERROR_INVALID_VALUE
                                                                : body(object);
  });
}

/// Whether an edge between nodes with these works can have the data: kernels alone can begin what
/// comes after them before they end (which is no earlier here).
[[nodiscard]] inline bool is_edge(const NodeWork& from, const NodeWork& to,
                                  const CUgraphEdgeData& data) {
  const bool from_kernel = std::holds_alternative<KernelWork>(from);
  switch (data.type) {
  case CU_GRAPH_DEPENDENCY_TYPE_DEFAULT:
    return data.from_port <= (from_kernel ? CU_GRAPH_KERNEL_NODE_PORT_LAUNCH_ORDER
                                          : CU_GRAPH_KERNEL_NODE_PORT_DEFAULT) &&
           data.to_port == 0;
  case CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC:
    return from_kernel && std::holds_alternative<KernelWork>(to) &&
           data.from_port != CU_GRAPH_KERNEL_NODE_PORT_DEFAULT &&
           data.from_port <= CU_GRAPH_KERNEL_NODE_PORT_LAUNCH_ORDER && data.to_port == 0;
  default:
    return false;
  }
}

/// The work that the program's parameters, which may be null, mean.
template <typename Parameters, typename... More>
WorkResult work_of(const Parameters* parameters, More... more) {
  return parameters == nullptr ? tl::unexpected(CUDA_ERROR_INVALID_VALUE)
                               : make_work(*parameters, more...);
}

/// The nodes of the graph that the handles mean; CUDA_ERROR_INVALID_VALUE if one is none, or is
/// named twice.
[[nodiscard]] CUresult find_nodes(const Graph& graph, const CUgraphNode* named, std::size_t count,
                                  std::vector<std::shared_ptr<GraphNode>>& nodes);

} // namespace gantry::simt::driver
