#include "simt/driver/graphs/graph_plan.h"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace gantry::simt::driver {

namespace {

using Steps = std::vector<std::uint32_t>;

class Planner {
public:
  std::optional<GraphPlan> plan(const Graph& graph) {
    if (!add(graph, {})) {
      return std::nullopt;
    }
    plan_.lanes = std::max<std::uint32_t>(1, static_cast<std::uint32_t>(tails_.size()));
    add_ends();
    return std::move(plan_);
  }

private:
  /// How far each lane has come, in steps + 1, when a step has ended.
  using Clock = std::array<std::uint32_t, GraphPlan::kMostLanes>;

  static void merge(Clock& clock, const Clock& other) {
    for (std::size_t lane = 0; lane < clock.size(); ++lane) {
      clock[lane] = std::max(clock[lane], other[lane]);
    }
  }

  /// Adds the graph's nodes behind the steps; the steps that end it, or nothing.
  std::optional<Steps> add(const Graph& graph, const Steps& before) {
    const auto order = graph.in_order();
    if (!order) {
      return std::nullopt;
    }
    std::unordered_map<const GraphNode*, Steps> ended_by;
    Steps ends;
    for (const GraphNode* const node : *order) {
      Steps after = node->dependencies.empty() ? before : Steps();
      for (const GraphEdge& edge : node->dependencies) {
        const Steps& more = ended_by.at(edge.node);
        after.insert(after.end(), more.begin(), more.end());
      }
      auto done = add(*node, after);
      if (!done) {
        return std::nullopt;
      }
      if (node->dependents.empty()) {
        ends.insert(ends.end(), done->begin(), done->end());
      }
      ended_by.emplace(node, *std::move(done));
    }
    return order->empty() ? before : ends;
  }

  std::optional<Steps> add(const GraphNode& node, const Steps& after) {
    if (const auto* const child = std::get_if<ChildWork>(&node.work)) {
      auto ends = add(*child->graph, after);
      // One step that stands for several keeps the number of waits small.
      return ends && ends->size() > 1 ? Steps{add_step(nullptr, *ends)} : std::move(ends);
    }
    if (std::holds_alternative<EmptyWork>(node.work)) {
      return after.size() > 1 ? Steps{add_step(nullptr, after)} : after;
    }
    return Steps{add_step(&node, after)};
  }

  std::uint32_t add_step(const GraphNode* node, const Steps& after) {
    const auto index = static_cast<std::uint32_t>(plan_.steps.size());
    Clock known = {};
    for (const std::uint32_t step : after) {
      merge(known, clocks_[step]);
    }
    GraphPlan::Step step;
    step.node = node;
    step.lane = choose_lane(after, known, index);
    Clock clock = tails_[step.lane] == kNone ? Clock() : clocks_[tails_[step.lane]];
    // The latest first: what one has waited for need not be waited for again.
    Steps latest_first = after;
    std::ranges::sort(latest_first, std::greater<>());
    for (const std::uint32_t other : latest_first) {
      const std::uint32_t lane = plan_.steps[other].lane;
      if (lane != step.lane && clock[lane] <= other) {
        step.waits.push_back(other);
        plan_.steps[other].awaited = true;
        merge(clock, clocks_[other]);
      }
    }
    clock[step.lane] = index + 1;
    tails_[step.lane] = index;
    clocks_.push_back(clock);
    plan_.steps.push_back(std::move(step));
    return index;
  }

  /// The lane of a step that this one comes after, another one whose last step is known to have
  /// ended by then, or a new one.
  std::uint32_t choose_lane(const Steps& after, const Clock& known, std::uint32_t index) {
    for (const std::uint32_t step : after) {
      const std::uint32_t lane = plan_.steps[step].lane;
      if (tails_[lane] == step) {
        return lane;
      }
    }
    for (std::uint32_t lane = 0; lane < tails_.size(); ++lane) {
      if (known[lane] == tails_[lane] + 1) {
        return lane;
      }
    }
    if (tails_.size() < GraphPlan::kMostLanes) {
      tails_.push_back(kNone);
      return static_cast<std::uint32_t>(tails_.size() - 1);
    }
    return index % GraphPlan::kMostLanes;
  }

  /// What the launch's stream has to wait for when all steps are in.
  void add_ends() {
    Clock clock = tails_.empty() ? Clock() : clocks_[tails_[0]];
    Steps tails(tails_.begin() + (tails_.empty() ? 0 : 1), tails_.end());
    std::ranges::sort(tails, std::greater<>());
    for (const std::uint32_t tail : tails) {
      if (clock[plan_.steps[tail].lane] <= tail) {
        plan_.ends.push_back(tail);
        plan_.steps[tail].awaited = true;
        merge(clock, clocks_[tail]);
      }
    }
  }

  static constexpr std::uint32_t kNone = UINT32_MAX;
  GraphPlan plan_;
  std::vector<Clock> clocks_; ///< of the steps
  Steps tails_;               ///< the last step of each lane
};

} // namespace

std::optional<GraphPlan> plan_of(const Graph& graph) {
  return Planner().plan(graph);
}

} // namespace gantry::simt::driver
