#include "simt/driver/graphs/graph_exec.h"

#include "simt/driver/context.h"
#include "simt/driver/handles.h"
#include "simt/driver/module.h"
#include "simt/driver/stream.h"

#include <algorithm>
#include <ranges>
#include <utility>

namespace gantry::simt::driver {

namespace {

/// Holds an executable graph whose user objects a launch may use.
class KeptUntilDone {
public:
  explicit KeptUntilDone(std::shared_ptr<GraphExec> graph) : graph_(std::move(graph)) {}
  KeptUntilDone(KeptUntilDone&&) noexcept = default;
  KeptUntilDone(const KeptUntilDone&) = delete;
  KeptUntilDone& operator=(const KeptUntilDone&) = delete;
  ~KeptUntilDone() {
    if (graph_ != nullptr) {
      graph_ = nullptr;
      UserObject::call_due();
    }
  }
  void operator()(CUresult /*status*/) const noexcept {}

private:
  std::shared_ptr<GraphExec> graph_;
};

/// Whether the program can still launch it.
bool has_handle(const std::shared_ptr<const GraphExec>& graph) {
  return graph != nullptr && handles().graph_execs.find(graph->handle()) == graph;
}

/// Makes the kernels of a graph and its children ready; the node that cannot be, with the error.
std::pair<const GraphNode*, CUresult> prepare(const Graph& graph) {
  for (const auto& node : graph.nodes()) {
    if (const auto* const kernel = std::get_if<KernelWork>(&node->work)) {
      const CUresult result = kernel->function->prepare(kernel->shape);
      if (result != CUDA_SUCCESS) {
        return {node.get(), result};
      }
    } else if (const auto* const child = std::get_if<ChildWork>(&node->work)) {
      if (const auto failed = prepare(*child->graph); failed.first != nullptr) {
        return failed;
      }
    }
  }
  return {nullptr, CUDA_SUCCESS};
}

std::unordered_map<const GraphNode*, std::size_t> numbers_of(const Graph& graph) {
  std::unordered_map<const GraphNode*, std::size_t> numbers;
  for (std::size_t i = 0; i < graph.nodes().size(); ++i) {
    numbers.emplace(graph.nodes()[i].get(), i);
  }
  return numbers;
}

CUgraphExecUpdateResult compare(const Graph& own, const Graph& other,
                                CUgraphExecUpdateResultInfo& info);

/// Whether the work of a node can become the other one.
CUgraphExecUpdateResult compare(const NodeWork& own, const NodeWork& other,
                                CUgraphExecUpdateResultInfo& info) {
  if (own.index() != other.index()) {
    return CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED;
  }
  if (const auto* const kernel = std::get_if<KernelWork>(&own)) {
    const auto& next = std::get<KernelWork>(other);
    if (kernel->function->module().context_id() != next.function->module().context_id()) {
      return CU_GRAPH_EXEC_UPDATE_ERROR_UNSUPPORTED_FUNCTION_CHANGE;
    }
    if (kernel->shape.cooperative != next.shape.cooperative) {
      return CU_GRAPH_EXEC_UPDATE_ERROR_ATTRIBUTES_CHANGED;
    }
    return next.function->prepare(next.shape) == CUDA_SUCCESS ? CU_GRAPH_EXEC_UPDATE_SUCCESS
                                                              : CU_GRAPH_EXEC_UPDATE_ERROR;
  }
  if (const auto* const child = std::get_if<ChildWork>(&own)) {
    return compare(*child->graph, *std::get<ChildWork>(other).graph, info);
  }
  if (const auto* const allocate = std::get_if<AllocateWork>(&own)) {
    return allocate->allocation == std::get<AllocateWork>(other).allocation
               ? CU_GRAPH_EXEC_UPDATE_SUCCESS
               : CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED;
  }
  if (const auto* const free = std::get_if<FreeWork>(&own)) {
    return free->allocation == std::get<FreeWork>(other).allocation
               ? CU_GRAPH_EXEC_UPDATE_SUCCESS
               : CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED;
  }
  return CU_GRAPH_EXEC_UPDATE_SUCCESS;
}

/// The first end of `other` that is none of `own`, if it has more of them; both have as many nodes.
const GraphNode* further_end(const Graph& own, const Graph& other) {
  std::ptrdiff_t more = 0;
  const GraphNode* further = nullptr;
  for (std::size_t i = 0; i < own.nodes().size(); ++i) {
    const bool was = own.nodes()[i]->dependents.empty();
    const bool is = other.nodes()[i]->dependents.empty();
    more += (is ? 1 : 0) - (was ? 1 : 0);
    if (is && !was && further == nullptr) {
      further = other.nodes()[i].get();
    }
  }
  return more > 0 ? further : nullptr;
}

/// Whether the graphs have the same nodes and edges, in the order in which they were made.
CUgraphExecUpdateResult compare(const Graph& own, const Graph& other,
                                CUgraphExecUpdateResultInfo& info) {
  if (own.nodes().size() != other.nodes().size()) {
    return CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
  }
  if (const GraphNode* const end = further_end(own, other)) {
    info.errorNode = end->handle;
    return CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
  }
  const auto own_numbers = numbers_of(own);
  const auto other_numbers = numbers_of(other);
  for (std::size_t i = 0; i < own.nodes().size(); ++i) {
    const GraphNode& mine = *own.nodes()[i];
    const GraphNode& theirs = *other.nodes()[i];
    info.errorNode = theirs.handle;
    if (mine.dependencies.size() != theirs.dependencies.size()) {
      return CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
    }
    for (const GraphEdge& edge : theirs.dependencies) {
      const bool has = std::ranges::any_of(mine.dependencies, [&](const GraphEdge& known) {
        return own_numbers.at(known.node) == other_numbers.at(edge.node) &&
               same(known.data, edge.data);
      });
      if (!has) {
        info.errorFromNode = edge.node->handle;
        return CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
      }
    }
    if (const auto result = compare(mine.work, theirs.work, info);
        result != CU_GRAPH_EXEC_UPDATE_SUCCESS) {
      return result;
    }
  }
  info.errorNode = nullptr;
  return CU_GRAPH_EXEC_UPDATE_SUCCESS;
}

/// Takes over the work of the nodes of a graph that compares equal.
void take_work(const Graph& own, const Graph& other) {
  for (std::size_t i = 0; i < own.nodes().size(); ++i) {
    const NodeWork& work = other.nodes()[i]->work;
    if (const auto* const child = std::get_if<ChildWork>(&work)) {
      take_work(*std::get<ChildWork>(own.nodes()[i]->work).graph, *child->graph);
    } else {
      own.nodes()[i]->work = work;
    }
  }
}

} // namespace

tl::expected<std::shared_ptr<GraphExec>, GraphExec::Failure>
GraphExec::create(Graph& graph, std::uint64_t flags) {
  constexpr std::uint64_t kKnown =
      CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH | CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD |
      CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH | CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY;
  Failure failure;
  if ((flags & ~kKnown) != 0) {
    failure.reason = "unknown flags";
    return tl::unexpected(failure);
  }
  if ((flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH) != 0) {
    failure.code = CUDA_ERROR_NOT_SUPPORTED;
    failure.result = CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED;
    failure.reason = "graphs that the device launches are not offered";
    return tl::unexpected(failure);
  }
  if (graph.has_memory_nodes() && has_handle(graph.executable.lock())) {
    failure.code = CUDA_ERROR_NOT_SUPPORTED;
    failure.reason = "the graph allocates or frees memory, and has an executable graph";
    return tl::unexpected(failure);
  }
  std::shared_ptr<GraphExec> exec(new GraphExec(flags));
  exec->graph_ = graph.clone(Graph::Named::kNo);
  auto plan = plan_of(*exec->graph_);
  if (!plan) {
    failure.result = CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE;
    failure.reason = "the graph has a cycle";
    return tl::unexpected(failure);
  }
  exec->plan_ = *std::move(plan);
  if (const auto [node, code] = prepare(graph); node != nullptr) {
    failure.code = code;
    failure.node = node->handle;
    failure.reason = "a kernel cannot be executed";
    return tl::unexpected(failure);
  }
  exec->positions_.resize(exec->plan_.steps.size());
  exec->note_nodes(*exec->graph_);
  exec->has_user_objects_ = exec->graph_->has_user_objects();
  exec->handle_ = handles().graph_execs.insert(exec);
  graph.executable = exec;
  return exec;
}

void GraphExec::note_nodes(const Graph& graph) {
  for (const auto& node : graph.nodes()) {
    nodes_.emplace(node->original, node.get());
    if (const auto* const child = std::get_if<ChildWork>(&node->work)) {
      note_nodes(*child->graph);
    } else if (const auto* const allocate = std::get_if<AllocateWork>(&node->work)) {
      allocates_.push_back(allocate->allocation);
    } else if (const auto* const free = std::get_if<FreeWork>(&node->work)) {
      frees_.push_back(free->allocation);
    }
  }
}

GraphNode* GraphExec::find(const GraphNode& node) const {
  const auto found = nodes_.find(node.id);
  return found == nodes_.end() ? nullptr : found->second;
}

CUresult GraphExec::set(GraphNode& node, NodeWork work) {
  if (const CUresult result = keep_attributes(node.work, work); result != CUDA_SUCCESS) {
    return result;
  }
  CUgraphExecUpdateResultInfo info = {};
  if (compare(node.work, work, info) != CU_GRAPH_EXEC_UPDATE_SUCCESS) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  node.work = std::move(work);
  return CUDA_SUCCESS;
}

CUgraphExecUpdateResultInfo GraphExec::update(const Graph& graph) {
  CUgraphExecUpdateResultInfo info = {};
  info.result = compare(*graph_, graph, info);
  if (info.result == CU_GRAPH_EXEC_UPDATE_SUCCESS) {
    take_work(*graph_, graph);
  }
  return info;
}

CUresult GraphExec::set_child(GraphNode& node, const Graph& child) {
  auto* const own = std::get_if<ChildWork>(&node.work);
  CUgraphExecUpdateResultInfo info = {};
  if (own == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (compare(*own->graph, child, info) != CU_GRAPH_EXEC_UPDATE_SUCCESS) {
    return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
  }
  take_work(*own->graph, child);
  return CUDA_SUCCESS;
}

CUresult GraphExec::take_memory() {
  const bool frees_before = (flags_ & CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH) != 0;
  for (const auto& allocation : allocates_) {
    if (allocation->allocated() && !frees_before) {
      return CUDA_ERROR_INVALID_VALUE;
    }
  }
  for (const auto& allocation : frees_) {
    if (!allocation->allocated() && std::ranges::find(allocates_, allocation) == allocates_.end()) {
      return CUDA_ERROR_INVALID_VALUE;
    }
  }
  for (const auto& allocation : allocates_) {
    allocation->set_allocated(true);
  }
  for (const auto& allocation : frees_) {
    allocation->set_allocated(false);
  }
  return CUDA_SUCCESS;
}

void GraphExec::open_lanes(const Stream& stream) {
  if (!lanes_.empty() && &lanes_.front()->group() != &stream.group()) {
    lanes_.clear(); // it was launched in another context before
  }
  while (lanes_.size() + 1 < plan_.lanes) {
    lanes_.push_back(Stream::create(stream.shared_group(), Stream::Kind::kNonBlocking, 0));
  }
}

CUresult GraphExec::launch(Stream& stream) {
  if (const CUresult result = take_memory(); result != CUDA_SUCCESS) {
    return result;
  }
  if (last_.stream != nullptr && last_.stream.get() != &stream) {
    stream.enqueue_wait(last_);
  }
  if (plan_.lanes > 1) {
    open_lanes(stream);
    const Position start = stream.mark();
    for (const std::shared_ptr<Stream>& lane : lanes_) {
      lane->enqueue_wait(start);
    }
  }
  for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
    const GraphPlan::Step& step = plan_.steps[i];
    Stream& lane = step.lane == 0 ? stream : *lanes_[step.lane - 1];
    for (const std::uint32_t other : step.waits) {
      lane.enqueue_wait(positions_[other]);
    }
    if (step.node != nullptr && step.node->enabled) {
      enqueue(lane, step.node->work);
    }
    if (step.awaited) {
      positions_[i] = lane.end();
    }
  }
  for (const std::uint32_t step : plan_.ends) {
    stream.enqueue_wait(positions_[step]);
  }
  std::ranges::fill(positions_, Position());
  if (has_user_objects_) {
    stream.enqueue(KeptUntilDone(shared_from_this()));
  }
  last_ = stream.end();
  return CUDA_SUCCESS;
}

} // namespace gantry::simt::driver
