// Entry points: graphs, their edges, what they keep.
#include "simt/driver/api_graph.h"

#include <algorithm>
#include <cstdio>
#include <ranges>
#include <string>

#include <fmt/format.h>

using namespace gantry::simt::driver;

namespace {

/// Fills a list of the program's with what there is, or says only how much that is: write(i, there)
/// fills place i, with nothing unless there is so much.
template <typename Write>
CUresult give_list(std::size_t available, std::size_t* count, bool counts_only,
                   const Write& write) {
  if (count == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (counts_only) {
    *count = available;
    return CUDA_SUCCESS;
  }
  for (std::size_t i = 0; i < *count; ++i) {
    write(i, i < available);
  }
  *count = std::min(*count, available);
  return CUDA_SUCCESS;
}

template <typename Nodes>
CUresult give_nodes(const Nodes& nodes, CUgraphNode* places, std::size_t* count) {
  return give_list(nodes.size(), count, places == nullptr, [&](std::size_t i, bool there) {
    places[i] = there ? nodes[i]->handle : nullptr;
  });
}

bool is_ordinary(const CUgraphEdgeData& data) {
  return same(data, {});
}

/// Whether edges would be listed without their data, which is not ordinary.
bool is_lossy(bool ordinary, const CUgraphNode* places, const CUgraphEdgeData* data) {
  return !ordinary && places != nullptr && data == nullptr;
}

/// The other ends of a node's edges, which are its dependencies or its dependents.
CUresult give_edges(CUgraphNode handle, std::vector<GraphEdge> GraphNode::* which,
                    CUgraphNode* places, CUgraphEdgeData* data, std::size_t* count) {
  return call_for_node(handle, [&](GraphNode& node) {
    const std::vector<GraphEdge>& edges = node.*which;
    if (is_lossy(std::ranges::all_of(edges, is_ordinary, &GraphEdge::data), places, data)) {
      return CUDA_ERROR_LOSSY_QUERY;
    }
    return give_list(edges.size(), count, places == nullptr, [&](std::size_t i, bool there) {
      places[i] = there ? edges[i].node->handle : nullptr;
      if (data != nullptr) {
        data[i] = there ? edges[i].data : CUgraphEdgeData();
      }
    });
  });
}

CUresult give_all_edges(CUgraph handle, CUgraphNode* from, CUgraphNode* to, CUgraphEdgeData* data,
                        std::size_t* count) {
  return call_for_graph(handle, [&](Graph& graph) {
    if ((from == nullptr) != (to == nullptr)) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    struct Edge {
      CUgraphNode from, to;
      CUgraphEdgeData data;
    };
    std::vector<Edge> edges;
    bool ordinary = true;
    for (const auto& node : graph.nodes()) {
      for (const GraphEdge& edge : node->dependencies) {
        edges.push_back({edge.node->handle, node->handle, edge.data});
        ordinary = ordinary && is_ordinary(edge.data);
      }
    }
    if (is_lossy(ordinary, from, data)) {
      return CUDA_ERROR_LOSSY_QUERY;
    }
    return give_list(edges.size(), count, from == nullptr, [&](std::size_t i, bool there) {
      const Edge edge = there ? edges[i] : Edge();
      from[i] = edge.from;
      to[i] = edge.to;
      if (data != nullptr) {
        data[i] = edge.data;
      }
    });
  });
}

enum class Change : std::uint8_t { kAdd, kRemove };

/// Adds or removes edges, up to one that cannot be.
CUresult change_edges(CUgraph handle, const CUgraphNode* from, const CUgraphNode* to,
                      const CUgraphEdgeData* data, std::size_t count, Change change) {
  return call_for_graph(handle, [&](Graph& graph) {
    if (count != 0 && (from == nullptr || to == nullptr)) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    for (std::size_t i = 0; i < count; ++i) {
      const std::shared_ptr<GraphNode> first = handles().graph_nodes.find(from[i]);
      const std::shared_ptr<GraphNode> second = handles().graph_nodes.find(to[i]);
      if (first == nullptr || second == nullptr || !graph.has(*first) || !graph.has(*second)) {
        return CUDA_ERROR_INVALID_VALUE;
      }
      const CUgraphEdgeData* const of_edge = data != nullptr ? &data[i] : nullptr;
      const bool done =
          change == Change::kRemove
              ? graph.remove_edge(*first, *second, of_edge)
              : (of_edge == nullptr || is_edge(first->work, second->work, *of_edge)) &&
                    graph.add_edge(*first, *second,
                                   of_edge != nullptr ? *of_edge : CUgraphEdgeData());
      if (!done) {
        return CUDA_ERROR_INVALID_VALUE;
      }
    }
    return CUDA_SUCCESS;
  });
}

std::string label_of(const GraphNode& node) {
  static constexpr const char* kNames[] = {"kernel",   "memcpy", "memset",         "host",
                                           "graph",    "empty",  "wait for event", "record event",
                                           "allocate", "free"};
  static_assert(std::size(kNames) == std::variant_size_v<NodeWork>);
  const char* const name = kNames[node.work.index()];
  if (const auto* const kernel = std::get_if<KernelWork>(&node.work)) {
    return fmt::format("{} {}", name, kernel->function->name());
  }
  return name;
}

void write_nodes(std::FILE* file, const Graph& graph, unsigned indent) {
  for (const auto& node : graph.nodes()) {
    fmt::print(file, "{:{}}n{} [label=\"{}\"];\n", "", indent, node->id, label_of(*node));
    for (const GraphEdge& edge : node->dependents) {
      fmt::print(file, "{:{}}n{} -> n{};\n", "", indent, node->id, edge.node->id);
    }
    if (const auto* const child = std::get_if<ChildWork>(&node->work)) {
      fmt::print(file, "{:{}}subgraph cluster_{} {{\n", "", indent, node->id);
      write_nodes(file, *child->graph, indent + 2);
      fmt::print(file, "{:{}}}}\n", "", indent);
    }
  }
}

} // namespace

GANTRY_CUDA_API cuGraphCreate(CUgraph* graph, unsigned int flags) {
  return call_for_graphs([&] {
    if (graph == nullptr || flags != 0) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    *graph = Graph::create(Graph::Named::kYes)->handle();
    return CUDA_SUCCESS;
  });
}

GANTRY_CUDA_API cuGraphDestroy(CUgraph handle) {
  return call_for_graph(handle, [](Graph& graph) {
    if (graph.is_child()) {
      return CUDA_ERROR_INVALID_VALUE; // it is its node's
    }
    graph.end_handles();
    return CUDA_SUCCESS;
  });
}

GANTRY_CUDA_API cuGraphClone(CUgraph* clone, CUgraph original) {
  return call_for_graph(original, [&](Graph& graph) {
    if (clone == nullptr) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    if (graph.has_memory_nodes()) {
      return not_offered("cuGraphClone of a graph that allocates or frees memory");
    }
    *clone = graph.clone(Graph::Named::kYes)->handle();
    return CUDA_SUCCESS;
  });
}

GANTRY_CUDA_API cuGraphNodeFindInClone(CUgraphNode* node, CUgraphNode original, CUgraph clone) {
  return call_for_node(original, [&](GraphNode& first) {
    const std::shared_ptr<Graph> graph = handles().graphs.find(clone);
    if (node == nullptr || graph == nullptr) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    const auto found = std::ranges::find(graph->nodes(), first.id,
                                         [](const auto& candidate) { return candidate->original; });
    if (found == graph->nodes().end()) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    *node = (*found)->handle;
    return CUDA_SUCCESS;
  });
}

GANTRY_CUDA_API cuGraphGetNodes(CUgraph handle, CUgraphNode* nodes, size_t* count) {
  return call_for_graph(handle,
                        [&](Graph& graph) { return give_nodes(graph.nodes(), nodes, count); });
}

GANTRY_CUDA_API cuGraphGetRootNodes(CUgraph handle, CUgraphNode* nodes, size_t* count) {
  return call_for_graph(handle, [&](Graph& graph) {
    std::vector<GraphNode*> roots;
    for (const auto& node : graph.nodes()) {
      if (node->dependencies.empty()) {
        roots.push_back(node.get());
      }
    }
    return give_nodes(roots, nodes, count);
  });
}

GANTRY_CUDA_API cuGraphGetEdges(CUgraph graph, CUgraphNode* from, CUgraphNode* to, size_t* count) {
  return give_all_edges(graph, from, to, nullptr, count);
}

GANTRY_CUDA_API cuGraphGetEdges_v2(CUgraph graph, CUgraphNode* from, CUgraphNode* to,
                                   CUgraphEdgeData* data, size_t* count) {
  return give_all_edges(graph, from, to, data, count);
}

GANTRY_CUDA_API cuGraphNodeGetDependencies(CUgraphNode handle, CUgraphNode* dependencies,
                                           size_t* count) {
  return give_edges(handle, &GraphNode::dependencies, dependencies, nullptr, count);
}

GANTRY_CUDA_API cuGraphNodeGetDependencies_v2(CUgraphNode handle, CUgraphNode* dependencies,
                                              CUgraphEdgeData* data, size_t* count) {
  return give_edges(handle, &GraphNode::dependencies, dependencies, data, count);
}

GANTRY_CUDA_API cuGraphNodeGetDependentNodes(CUgraphNode handle, CUgraphNode* dependents,
                                             size_t* count) {
  return give_edges(handle, &GraphNode::dependents, dependents, nullptr, count);
}

GANTRY_CUDA_API cuGraphNodeGetDependentNodes_v2(CUgraphNode handle, CUgraphNode* dependents,
                                                CUgraphEdgeData* data, size_t* count) {
  return give_edges(handle, &GraphNode::dependents, dependents, data, count);
}

GANTRY_CUDA_API cuGraphAddDependencies(CUgraph graph, const CUgraphNode* from,
                                       const CUgraphNode* to, size_t count) {
  return change_edges(graph, from, to, nullptr, count, Change::kAdd);
}

GANTRY_CUDA_API cuGraphAddDependencies_v2(CUgraph graph, const CUgraphNode* from,
                                          const CUgraphNode* to, const CUgraphEdgeData* data,
                                          size_t count) {
  return change_edges(graph, from, to, data, count, Change::kAdd);
}

GANTRY_CUDA_API cuGraphRemoveDependencies(CUgraph graph, const CUgraphNode* from,
                                          const CUgraphNode* to, size_t count) {
  return change_edges(graph, from, to, nullptr, count, Change::kRemove);
}

GANTRY_CUDA_API cuGraphRemoveDependencies_v2(CUgraph graph, const CUgraphNode* from,
                                             const CUgraphNode* to, const CUgraphEdgeData* data,
                                             size_t count) {
  return change_edges(graph, from, to, data, count, Change::kRemove);
}

GANTRY_CUDA_API cuGraphDestroyNode(CUgraphNode handle) {
  return call_for_node(handle, [](GraphNode& node) {
    if (is_memory_work(node.work)) {
      return CUDA_ERROR_NOT_SUPPORTED;
    }
    node.graph->remove(node);
    return CUDA_SUCCESS;
  });
}

GANTRY_CUDA_PROPERTY(cuGraphNodeGetType, (CUgraphNode handle, CUgraphNodeType* place),
                     call_for_node, type_of(object.work))

GANTRY_CUDA_API cuGraphDebugDotPrint(CUgraph handle, const char* path, unsigned int /*flags*/) {
  return call_for_graph(handle, [&](Graph& graph) {
    std::FILE* const file = path != nullptr ? std::fopen(path, "we") : nullptr;
    if (file == nullptr) {
      return path == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_OPERATING_SYSTEM;
    }
    fmt::print(file, "digraph {{\n");
    write_nodes(file, graph, 2);
    fmt::print(file, "}}\n");
    const bool failed = std::ferror(file) != 0;
    return std::fclose(file) != 0 || failed ? CUDA_ERROR_OPERATING_SYSTEM : CUDA_SUCCESS;
  });
}

GANTRY_CUDA_API cuUserObjectCreate(CUuserObject* object, void* data, CUhostFn destroy,
                                   unsigned int count, unsigned int flags) {
  return call_for_graphs([&] {
    if (object == nullptr || destroy == nullptr || count == 0 || count > INT32_MAX ||
        flags != CU_USER_OBJECT_NO_DESTRUCTOR_SYNC) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    *object = UserObject::create(data, destroy, count)->handle();
    return CUDA_SUCCESS;
  });
}

GANTRY_CUDA_API cuUserObjectRetain(CUuserObject handle, unsigned int count) {
  return call_for_user_object(handle, count, [&](const std::shared_ptr<UserObject>& object) {
    object->retain(count);
    return CUDA_SUCCESS;
  });
}

GANTRY_CUDA_API cuUserObjectRelease(CUuserObject handle, unsigned int count) {
  return call_for_user_object(handle, count, [&](const std::shared_ptr<UserObject>& object) {
    return object->release(count) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  });
}

GANTRY_CUDA_API cuGraphRetainUserObject(CUgraph graph_handle, CUuserObject handle,
                                        unsigned int count, unsigned int flags) {
  return call_for_user_object(handle, count, [&](const std::shared_ptr<UserObject>& object) {
    const std::shared_ptr<Graph> graph = handles().graphs.find(graph_handle);
    if (graph == nullptr || flags > CU_GRAPH_USER_OBJECT_MOVE) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    if (flags != CU_GRAPH_USER_OBJECT_MOVE) {
      object->retain(count);
    }
    graph->own(object, count);
    return CUDA_SUCCESS;
  });
}

GANTRY_CUDA_API cuGraphReleaseUserObject(CUgraph graph_handle, CUuserObject handle,
                                         unsigned int count) {
  return call_for_user_object(handle, count, [&](const std::shared_ptr<UserObject>& object) {
    const std::shared_ptr<Graph> graph = handles().graphs.find(graph_handle);
    return graph != nullptr && graph->release(object, count) ? CUDA_SUCCESS
                                                             : CUDA_ERROR_INVALID_VALUE;
  });
}
