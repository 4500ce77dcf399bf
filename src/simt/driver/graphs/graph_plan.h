// How a graph is put into streams: its nodes one after the other, those of children in their
// places, in lanes that run at once. The first lane is the stream that the graph is launched in.
#pragma once

#include "simt/driver/graphs/graph.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace gantry::simt::driver {

struct GraphPlan {
  /// Further branches share lanes, in which they run one after the other.
  static constexpr std::uint32_t kMostLanes = 16;

  struct Step {
    const GraphNode* node = nullptr; ///< null: only waits
    std::uint32_t lane = 0;
    std::vector<std::uint32_t> waits; ///< for steps of other lanes, before this one
    bool awaited = false;             ///< by a step of another lane, or by the end
  };
  std::vector<Step> steps; ///< each after all that it has to come after
  std::uint32_t lanes = 1;
  std::vector<std::uint32_t> ends; ///< the last steps of the other lanes, if nobody waits for them
};

/// Nothing if the graph, or a child, has a cycle.
[[nodiscard]] std::optional<GraphPlan> plan_of(const Graph& graph);

} // namespace gantry::simt::driver
