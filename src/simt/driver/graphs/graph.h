// Graphs: nodes that do something, and edges that say what has to have ended before.
//
// A graph belongs to its handle, to the node whose child it is, or to the executable graph that was
// made from it; the nodes belong to the graph. All members of Graph and GraphNode are guarded by
// graph_mutex(), which entry points take and which is never held while functions of the program
// run.
#pragma once

#include "gantry/cuda_driver.h"
#include "simt/driver/graphs/node_work.h"
#include "simt/driver/graphs/user_object.h"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace gantry::simt::driver {

class Graph;
class GraphExec;
struct GraphNode;

[[nodiscard]] std::mutex& graph_mutex();

[[nodiscard]] inline bool same(const CUgraphEdgeData& one, const CUgraphEdgeData& other) {
  return one.from_port == other.from_port && one.to_port == other.to_port && one.type == other.type;
}

struct GraphEdge {
  GraphNode* node = nullptr; ///< the other one
  CUgraphEdgeData data = {};
};

struct GraphNode {
  Graph* graph = nullptr;       ///< null when the node has been removed
  std::uint64_t id = 0;         ///< of no other node of the process
  std::uint64_t original = 0;   ///< id of the node that this one was cloned from; 0: of none
  CUgraphNode handle = nullptr; ///< null in executable graphs
  NodeWork work;
  std::vector<GraphEdge> dependencies;
  std::vector<GraphEdge> dependents;
  std::vector<void*> parameter_pointers; ///< that cuGraphKernelNodeGetParams gave
  bool enabled = true;                   ///< changed in executable graphs only
};

class Graph : public std::enable_shared_from_this<Graph> {
public:
  /// Whether the program can name the graph and its nodes: those of executable graphs it cannot.
  enum class Named : std::uint8_t { kNo, kYes };

  [[nodiscard]] static std::shared_ptr<Graph> create(Named named);
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  /// A copy of its nodes, edges, children and references to user objects.
  [[nodiscard]] std::shared_ptr<Graph> clone(Named named) const;

  [[nodiscard]] CUgraph handle() const { return handle_; }
  [[nodiscard]] bool is_child() const { return is_child_; } ///< a node's
  [[nodiscard]] const std::vector<std::shared_ptr<GraphNode>>& nodes() const { return nodes_; }
  [[nodiscard]] bool has(const GraphNode& node) const { return node.graph == this; }

  /// Adds a node; the child of a ChildWork is the node's from now on.
  GraphNode& add(NodeWork work);
  /// Removes the node with its edges; ends its handle.
  void remove(GraphNode& node);

  /// False if there is such an edge already, or both are the same node.
  [[nodiscard]] bool add_edge(GraphNode& from, GraphNode& to, const CUgraphEdgeData& data = {});
  /// False if there is no such edge, or none with `data` where that is not null.
  [[nodiscard]] bool remove_edge(GraphNode& from, GraphNode& to, const CUgraphEdgeData* data);

  /// The nodes so that each comes after its dependencies; nothing if there is a cycle.
  [[nodiscard]] std::optional<std::vector<GraphNode*>> in_order() const;

  /// Whether it, or a child, allocates or frees memory.
  [[nodiscard]] bool has_memory_nodes() const;
  /// The executable graph that was made from it last: with memory nodes there is one at a time.
  std::weak_ptr<const GraphExec> executable;

  /// Takes over references to the object.
  void own(const std::shared_ptr<UserObject>& object, std::uint64_t count);
  /// False if it does not have so many references to the object.
  [[nodiscard]] bool release(const std::shared_ptr<UserObject>& object, std::uint64_t count);
  /// Whether it, or a child, has references to such objects.
  [[nodiscard]] bool has_user_objects() const;

  /// Ends the handles of the graph, its nodes and children.
  void end_handles();

private:
  explicit Graph(Named named) : named_(named) {}

  const Named named_;
  bool is_child_ = false;
  CUgraph handle_ = nullptr; ///< set before anybody else knows the graph
  std::vector<std::shared_ptr<GraphNode>> nodes_;
  std::map<std::shared_ptr<UserObject>, std::uint64_t> user_objects_;
};

} // namespace gantry::simt::driver
