#include "simt/driver/graphs/graph.h"

#include "simt/driver/handles.h"

#include <algorithm>
#include <atomic>
#include <unordered_map>
#include <utility>

namespace gantry::simt::driver {

namespace {

std::uint64_t next_node_id() {
  static std::atomic<std::uint64_t> next = 1;
  return next.fetch_add(1, std::memory_order_relaxed);
}

auto edge_to(std::vector<GraphEdge>& edges, const GraphNode& node) {
  return std::ranges::find(edges, &node, &GraphEdge::node);
}

} // namespace

std::mutex& graph_mutex() {
  static auto* const mutex = new std::mutex;
  return *mutex;
}

std::shared_ptr<Graph> Graph::create(Named named) {
  std::shared_ptr<Graph> graph(new Graph(named));
  if (named == Named::kYes) {
    graph->handle_ = handles().graphs.insert(graph);
  }
  return graph;
}

Graph::~Graph() {
  for (const auto& node : nodes_) {
    node->graph = nullptr; // an event of a capture may still have it
    node->dependencies.clear();
    node->dependents.clear();
  }
  for (const auto& [object, count] : user_objects_) {
    (void)object->release(count);
  }
}

std::shared_ptr<Graph> Graph::clone(Named named) const {
  std::shared_ptr<Graph> copy = create(named);
  std::unordered_map<const GraphNode*, GraphNode*> clones;
  for (const auto& node : nodes_) {
    NodeWork work = node->work;
    if (auto* const child = std::get_if<ChildWork>(&work)) {
      child->graph = child->graph->clone(named);
    }
    GraphNode& clone = copy->add(std::move(work));
    clone.original = node->id;
    clone.enabled = node->enabled;
    clones.emplace(node.get(), &clone);
  }
  for (const auto& node : nodes_) {
    for (const GraphEdge& edge : node->dependencies) {
      (void)copy->add_edge(*clones.at(edge.node), *clones.at(node.get()), edge.data);
    }
  }
  for (const auto& [object, count] : user_objects_) {
    object->retain(count);
    copy->own(object, count);
  }
  return copy;
}

GraphNode& Graph::add(NodeWork work) {
  auto node = std::make_shared<GraphNode>();
  node->graph = this;
  node->id = next_node_id();
  node->work = std::move(work);
  if (auto* const child = std::get_if<ChildWork>(&node->work)) {
    child->graph->is_child_ = true;
  }
  if (named_ == Named::kYes) {
    node->handle = handles().graph_nodes.insert(node);
  }
  return *nodes_.emplace_back(std::move(node));
}

void Graph::remove(GraphNode& node) {
  for (const GraphEdge& edge : node.dependencies) {
    edge.node->dependents.erase(edge_to(edge.node->dependents, node));
  }
  for (const GraphEdge& edge : node.dependents) {
    edge.node->dependencies.erase(edge_to(edge.node->dependencies, node));
  }
  node.dependencies.clear();
  node.dependents.clear();
  node.graph = nullptr;
  handles().graph_nodes.erase(node.handle);
  if (auto* const child = std::get_if<ChildWork>(&node.work)) {
    child->graph->end_handles();
  }
  nodes_.erase(std::ranges::find(nodes_, &node, &std::shared_ptr<GraphNode>::get));
}

bool Graph::add_edge(GraphNode& from, GraphNode& to, const CUgraphEdgeData& data) {
  if (&from == &to || edge_to(to.dependencies, from) != to.dependencies.end()) {
    return false;
  }
  to.dependencies.push_back({&from, data});
  from.dependents.push_back({&to, data});
  return true;
}

bool Graph::remove_edge(GraphNode& from, GraphNode& to, const CUgraphEdgeData* data) {
  const auto found = edge_to(to.dependencies, from);
  if (found == to.dependencies.end() || (data != nullptr && !same(found->data, *data))) {
    return false;
  }
  to.dependencies.erase(found);
  from.dependents.erase(edge_to(from.dependents, to));
  return true;
}

std::optional<std::vector<GraphNode*>> Graph::in_order() const {
  std::unordered_map<const GraphNode*, std::size_t> missing;
  std::vector<GraphNode*> order;
  order.reserve(nodes_.size());
  for (const auto& node : nodes_) {
    missing.emplace(node.get(), node->dependencies.size());
    if (node->dependencies.empty()) {
      order.push_back(node.get());
    }
  }
  for (std::size_t next = 0; next < order.size(); ++next) {
    for (const GraphEdge& edge : order[next]->dependents) {
      if (--missing.at(edge.node) == 0) {
        order.push_back(edge.node);
      }
    }
  }
  return order.size() == nodes_.size() ? std::optional(std::move(order)) : std::nullopt;
}

bool Graph::has_memory_nodes() const {
  return std::ranges::any_of(nodes_, [](const auto& node) {
    const auto* const child = std::get_if<ChildWork>(&node->work);
    return is_memory_work(node->work) || (child != nullptr && child->graph->has_memory_nodes());
  });
}

void Graph::own(const std::shared_ptr<UserObject>& object, std::uint64_t count) {
  user_objects_[object] += count;
}

bool Graph::release(const std::shared_ptr<UserObject>& object, std::uint64_t count) {
  const auto found = user_objects_.find(object);
  if (found == user_objects_.end() || found->second < count) {
    return false;
  }
  found->second -= count;
  if (found->second == 0) {
    user_objects_.erase(found);
  }
  return object->release(count);
}

bool Graph::has_user_objects() const {
  return !user_objects_.empty() || std::ranges::any_of(nodes_, [](const auto& node) {
    const auto* const child = std::get_if<ChildWork>(&node->work);
    return child != nullptr && child->graph->has_user_objects();
  });
}

void Graph::end_handles() {
  handles().graphs.erase(handle_);
  for (const auto& node : nodes_) {
    handles().graph_nodes.erase(node->handle);
    if (auto* const child = std::get_if<ChildWork>(&node->work)) {
      child->graph->end_handles();
    }
  }
}

} // namespace gantry::simt::driver
