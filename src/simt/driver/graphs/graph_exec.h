// Executable graphs: a graph as it was when it was made, checked and planned, to be launched many
// times. Guarded by graph_mutex(), launches too.
#pragma once

#include "gantry/cuda_driver.h"
#include "simt/driver/graphs/graph.h"
#include "simt/driver/graphs/graph_plan.h"
#include "simt/driver/stream_operation.h"

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include <tl/expected.hpp>

namespace gantry::simt::driver {

class GraphExec : public std::enable_shared_from_this<GraphExec> {
public:
  struct Failure {
    CUresult code = CUDA_ERROR_INVALID_VALUE;
    CUgraphInstantiateResult result = CUDA_GRAPH_INSTANTIATE_ERROR;
    CUgraphNode node = nullptr; ///< of the program's graph, if one is the reason
    std::string reason;
  };
  /// With its handle.
  [[nodiscard]] static tl::expected<std::shared_ptr<GraphExec>, Failure>
  create(Graph& graph, std::uint64_t flags);
  GraphExec(const GraphExec&) = delete;
  GraphExec& operator=(const GraphExec&) = delete;

  [[nodiscard]] CUgraphExec handle() const { return handle_; }
  [[nodiscard]] std::uint64_t flags() const { return flags_; }

  /// Its own node for one of the graph that it was made from, or of that graph's children; null if
  /// there is none.
  [[nodiscard]] GraphNode* find(const GraphNode& node) const;

  /// Gives one of its nodes other work of the same type, for launches from now on.
  [[nodiscard]] CUresult set(GraphNode& node, NodeWork work);
  /// Gives all nodes the work of the nodes of a graph with the same structure. On an error nothing
  /// is changed.
  [[nodiscard]] CUgraphExecUpdateResultInfo update(const Graph& graph);
  /// The same for one of its children.
  [[nodiscard]] CUresult set_child(GraphNode& node, const Graph& child);

  /// Puts its work into the stream, ordered by its edges. It never runs beside itself.
  [[nodiscard]] CUresult launch(Stream& stream);

private:
  explicit GraphExec(std::uint64_t flags) : flags_(flags) {}
  void note_nodes(const Graph& graph);
  [[nodiscard]] CUresult take_memory();
  void open_lanes(const Stream& stream);

  const std::uint64_t flags_;
  CUgraphExec handle_ = nullptr; ///< set before anybody else knows the object
  std::shared_ptr<Graph> graph_;
  GraphPlan plan_;
  std::unordered_map<std::uint64_t, GraphNode*> nodes_; ///< by their originals
  std::vector<std::shared_ptr<GraphAllocation>> allocates_;
  std::vector<std::shared_ptr<GraphAllocation>> frees_;
  bool has_user_objects_ = false;

  std::vector<std::shared_ptr<Stream>> lanes_; ///< but the first
  std::vector<Position> positions_;            ///< of awaited steps of the launch being made
  Position last_;                              ///< the end of the last launch
};

} // namespace gantry::simt::driver
