// Entry points: what the nodes of graphs do.
#include "simt/driver/api_graph.h"

#include <algorithm>
#include <utility>

using namespace gantry::simt::driver;

namespace {

/// Adds a node with the work behind the nodes that it depends on; make() gives the work.
template <typename Make>
CUresult add_node(CUgraphNode* place, CUgraph handle, const CUgraphNode* dependencies,
                  const CUgraphEdgeData* data, std::size_t count, const Make& make) {
  return call_for_graph(handle, [&](Graph& graph) {
    std::vector<std::shared_ptr<GraphNode>> before;
    if (place == nullptr) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    if (const CUresult result = find_nodes(graph, dependencies, count, before);
        result != CUDA_SUCCESS) {
      return result;
    }
    WorkResult work = make();
    if (!work) {
      return work.error();
    }
    if (graph.is_child() && is_memory_work(*work)) {
      return not_offered("memory nodes in child graphs");
    }
    for (std::size_t i = 0; data != nullptr && i < count; ++i) {
      if (!is_edge(before[i]->work, *work, data[i])) {
        return CUDA_ERROR_INVALID_VALUE;
      }
    }
    GraphNode& node = graph.add(*std::move(work));
    for (std::size_t i = 0; i < count; ++i) {
      (void)graph.add_edge(*before[i], node, data != nullptr ? data[i] : CUgraphEdgeData());
    }
    *place = node.handle;
    return CUDA_SUCCESS;
  });
}

/// The same for parameters that the work is made of.
template <typename Parameters, typename... More>
CUresult add_node_of(CUgraphNode* place, CUgraph graph, const CUgraphNode* dependencies,
                     std::size_t count, const Parameters* parameters, More... more) {
  return add_node(place, graph, dependencies, nullptr, count,
                  [&] { return work_of(parameters, more...); });
}

/// A child with a copy of the program's graph.
WorkResult make_child_work(CUgraph handle) {
  const std::shared_ptr<Graph> child = handles().graphs.find(handle);
  if (child == nullptr) {
    return tl::unexpected(CUDA_ERROR_INVALID_VALUE);
  }
  if (child->has_memory_nodes()) {
    return tl::unexpected(not_offered("memory nodes in child graphs"));
  }
  return ChildWork{child->clone(Graph::Named::kYes)};
}

/// The work of any node, and what the driver writes to the parameters.
WorkResult make_any_work(CUgraphNodeParams* parameters) {
  if (parameters == nullptr) {
    return tl::unexpected(CUDA_ERROR_INVALID_VALUE);
  }
  if (parameters->type == CU_GRAPH_NODE_TYPE_GRAPH) {
    if (parameters->graph.ownership != CU_GRAPH_CHILD_GRAPH_OWNERSHIP_CLONE) {
      return tl::unexpected(not_offered("child graphs that are moved"));
    }
    return make_child_work(parameters->graph.graph);
  }
  return make_work(*parameters);
}

CUresult add_any_node(CUgraphNode* place, CUgraph graph, const CUgraphNode* dependencies,
                      const CUgraphEdgeData* data, std::size_t count,
                      CUgraphNodeParams* parameters) {
  return add_node(place, graph, dependencies, data, count, [&] {
    WorkResult work = make_any_work(parameters);
    if (work && std::holds_alternative<AllocateWork>(*work)) {
      parameters->alloc.dptr = std::get<AllocateWork>(*work).allocation->address();
    }
    return work;
  });
}

/// For calls about a node of a type: body(Work&).
template <typename Work, typename Body>
CUresult call_for_work(CUgraphNode handle, const Body& body) {
  return call_for_node(handle, [&](GraphNode& node) {
    auto* const work = std::get_if<Work>(&node.work);
    return work == nullptr ? CUDA_ERROR_INVALID_VALUE : body(*work);
  });
}

/// Gives a node other work of the same type; make() gives it.
template <typename Make>
CUresult set_work(CUgraphNode handle, const Make& make) {
  return call_for_node(handle, [&](GraphNode& node) {
    if (is_memory_work(node.work) || std::holds_alternative<ChildWork>(node.work)) {
      return CUDA_ERROR_INVALID_VALUE; // they are what they were made as
    }
    WorkResult work = make();
    if (!work || work->index() != node.work.index()) {
      return work ? CUDA_ERROR_INVALID_VALUE : work.error();
    }
    if (const CUresult result = keep_attributes(node.work, *work); result != CUDA_SUCCESS) {
      return result;
    }
    node.work = *std::move(work);
    return CUDA_SUCCESS;
  });
}

template <typename Parameters, typename... More>
CUresult set_work_of(CUgraphNode handle, const Parameters* parameters, More... more) {
  return set_work(handle, [&] { return work_of(parameters, more...); });
}

/// The context that a node of copies or fills has, for new parameters that name none.
template <typename Work>
CUcontext context_of_node(CUgraphNode handle) {
  const std::lock_guard lock(graph_mutex());
  const std::shared_ptr<GraphNode> node = handles().graph_nodes.find(handle);
  const auto* const work = node != nullptr ? std::get_if<Work>(&node->work) : nullptr;
  return work != nullptr ? work->context : nullptr;
}

} // namespace

namespace gantry::simt::driver {

CUresult find_nodes(const Graph& graph, const CUgraphNode* named, std::size_t count,
                    std::vector<std::shared_ptr<GraphNode>>& nodes) {
  if (count != 0 && named == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  for (std::size_t i = 0; i < count; ++i) {
    std::shared_ptr<GraphNode> node = handles().graph_nodes.find(named[i]);
    if (node == nullptr || !graph.has(*node) || std::ranges::find(nodes, node) != nodes.end()) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    nodes.push_back(std::move(node));
  }
  return CUDA_SUCCESS;
}

} // namespace gantry::simt::driver

GANTRY_CUDA_API cuGraphAddNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies,
                               size_t count, CUgraphNodeParams* parameters) {
  return add_any_node(node, graph, dependencies, nullptr, count, parameters);
}

GANTRY_CUDA_API cuGraphAddNode_v2(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies,
                                  const CUgraphEdgeData* data, size_t count,
                                  CUgraphNodeParams* parameters) {
  return add_any_node(node, graph, dependencies, data, count, parameters);
}

GANTRY_CUDA_API cuGraphNodeSetParams(CUgraphNode node, CUgraphNodeParams* parameters) {
  return set_work(node, [&] { return make_any_work(parameters); });
}

GANTRY_CUDA_API cuGraphAddKernelNode(CUgraphNode* node, CUgraph graph,
                                     const CUgraphNode* dependencies, size_t count,
                                     const CUDA_KERNEL_NODE_PARAMS_v1* parameters) {
  return add_node_of(node, graph, dependencies, count, parameters);
}

GANTRY_CUDA_API cuGraphAddKernelNode_v2(CUgraphNode* node, CUgraph graph,
                                        const CUgraphNode* dependencies, size_t count,
                                        const CUDA_KERNEL_NODE_PARAMS* parameters) {
  return add_node_of(node, graph, dependencies, count, parameters);
}

GANTRY_CUDA_API cuGraphKernelNodeGetParams_v2(CUgraphNode handle,
                                              CUDA_KERNEL_NODE_PARAMS* parameters) {
  return call_for_node(handle, [&](GraphNode& node) {
    const auto* const work = std::get_if<KernelWork>(&node.work);
    if (work == nullptr || parameters == nullptr) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    give_parameters(*work, node.parameter_pointers, *parameters);
    return CUDA_SUCCESS;
  });
}

GANTRY_CUDA_API cuGraphKernelNodeGetParams(CUgraphNode handle,
                                           CUDA_KERNEL_NODE_PARAMS_v1* parameters) {
  CUDA_KERNEL_NODE_PARAMS p = {};
  const CUresult result =
      parameters == nullptr ? CUDA_ERROR_INVALID_VALUE : cuGraphKernelNodeGetParams_v2(handle, &p);
  if (result == CUDA_SUCCESS) {
    *parameters = {p.func,      p.gridDimX,  p.gridDimY,       p.gridDimZ,     p.blockDimX,
                   p.blockDimY, p.blockDimZ, p.sharedMemBytes, p.kernelParams, p.extra};
  }
  return result;
}

GANTRY_CUDA_API cuGraphKernelNodeSetParams(CUgraphNode node,
                                           const CUDA_KERNEL_NODE_PARAMS_v1* parameters) {
  return set_work_of(node, parameters);
}

GANTRY_CUDA_API cuGraphKernelNodeSetParams_v2(CUgraphNode node,
                                              const CUDA_KERNEL_NODE_PARAMS* parameters) {
  return set_work_of(node, parameters);
}

GANTRY_CUDA_API cuGraphKernelNodeSetAttribute(CUgraphNode handle, CUlaunchAttributeID attribute,
                                              const CUlaunchAttributeValue* value) {
  return call_for_work<KernelWork>(handle, [&](KernelWork& work) {
    return value == nullptr ? CUDA_ERROR_INVALID_VALUE : set_attribute(work, attribute, *value);
  });
}

GANTRY_CUDA_API cuGraphKernelNodeGetAttribute(CUgraphNode handle, CUlaunchAttributeID attribute,
                                              CUlaunchAttributeValue* value) {
  return call_for_work<KernelWork>(handle, [&](const KernelWork& work) {
    LaunchWishes ignored;
    const CUlaunchAttributeValue none = {};
    const CUresult result = read_attribute(attribute, none, ignored);
    const auto known = work.attributes.find(attribute);
    return result != CUDA_SUCCESS
               ? result
               : deliver(value, known != work.attributes.end() ? known->second : none);
  });
}

GANTRY_CUDA_API cuGraphKernelNodeCopyAttributes(CUgraphNode to, CUgraphNode from) {
  return call_for_work<KernelWork>(to, [&](KernelWork& work) {
    const std::shared_ptr<GraphNode> other = handles().graph_nodes.find(from);
    const auto* const source = other != nullptr ? std::get_if<KernelWork>(&other->work) : nullptr;
    const CUresult result =
        source == nullptr ? CUDA_ERROR_INVALID_VALUE : take_attributes(work, *source);
    return result == CUDA_ERROR_INVALID_CLUSTER_SIZE ? CUDA_ERROR_INVALID_VALUE : result;
  });
}

GANTRY_CUDA_API cuGraphAddMemcpyNode(CUgraphNode* node, CUgraph graph,
                                     const CUgraphNode* dependencies, size_t count,
                                     const CUDA_MEMCPY3D* parameters, CUcontext context) {
  return add_node_of(node, graph, dependencies, count, parameters, context);
}

GANTRY_CUDA_PROPERTY(cuGraphMemcpyNodeGetParams, (CUgraphNode handle, CUDA_MEMCPY3D* place),
                     call_for_work<CopyWork>, object.parameters)

GANTRY_CUDA_API cuGraphMemcpyNodeSetParams(CUgraphNode node, const CUDA_MEMCPY3D* parameters) {
  return set_work_of(node, parameters, context_of_node<CopyWork>(node));
}

GANTRY_CUDA_API cuGraphAddMemsetNode(CUgraphNode* node, CUgraph graph,
                                     const CUgraphNode* dependencies, size_t count,
                                     const CUDA_MEMSET_NODE_PARAMS* parameters, CUcontext context) {
  return add_node_of(node, graph, dependencies, count, parameters, context);
}

GANTRY_CUDA_PROPERTY(cuGraphMemsetNodeGetParams,
                     (CUgraphNode handle, CUDA_MEMSET_NODE_PARAMS* place), call_for_work<FillWork>,
                     parameters_of(object.fill))

GANTRY_CUDA_API cuGraphMemsetNodeSetParams(CUgraphNode node,
                                           const CUDA_MEMSET_NODE_PARAMS* parameters) {
  return set_work_of(node, parameters, context_of_node<FillWork>(node));
}

GANTRY_CUDA_API cuGraphAddHostNode(CUgraphNode* node, CUgraph graph,
                                   const CUgraphNode* dependencies, size_t count,
                                   const CUDA_HOST_NODE_PARAMS* parameters) {
  return add_node_of(node, graph, dependencies, count, parameters);
}

GANTRY_CUDA_PROPERTY(cuGraphHostNodeGetParams, (CUgraphNode handle, CUDA_HOST_NODE_PARAMS* place),
                     call_for_work<HostWork>,
                     (CUDA_HOST_NODE_PARAMS{object.function, object.argument}))

GANTRY_CUDA_API cuGraphHostNodeSetParams(CUgraphNode node,
                                         const CUDA_HOST_NODE_PARAMS* parameters) {
  return set_work_of(node, parameters);
}

GANTRY_CUDA_API cuGraphAddChildGraphNode(CUgraphNode* node, CUgraph graph,
                                         const CUgraphNode* dependencies, size_t count,
                                         CUgraph child) {
  return add_node(node, graph, dependencies, nullptr, count,
                  [&] { return make_child_work(child); });
}

GANTRY_CUDA_PROPERTY(cuGraphChildGraphNodeGetGraph, (CUgraphNode handle, CUgraph* place),
                     call_for_work<ChildWork>, object.graph->handle())

GANTRY_CUDA_API cuGraphAddEmptyNode(CUgraphNode* node, CUgraph graph,
                                    const CUgraphNode* dependencies, size_t count) {
  return add_node(node, graph, dependencies, nullptr, count,
                  []() -> WorkResult { return EmptyWork(); });
}

GANTRY_CUDA_API cuGraphAddEventRecordNode(CUgraphNode* node, CUgraph graph,
                                          const CUgraphNode* dependencies, size_t count,
                                          CUevent event) {
  return add_node(node, graph, dependencies, nullptr, count,
                  [&] { return make_record_work(event); });
}

GANTRY_CUDA_PROPERTY(cuGraphEventRecordNodeGetEvent, (CUgraphNode handle, CUevent* place),
                     call_for_work<RecordWork>, object.handle)

GANTRY_CUDA_API cuGraphEventRecordNodeSetEvent(CUgraphNode node, CUevent event) {
  return set_work(node, [&] { return make_record_work(event); });
}

GANTRY_CUDA_API cuGraphAddEventWaitNode(CUgraphNode* node, CUgraph graph,
                                        const CUgraphNode* dependencies, size_t count,
                                        CUevent event) {
  return add_node(node, graph, dependencies, nullptr, count, [&] { return make_wait_work(event); });
}

GANTRY_CUDA_PROPERTY(cuGraphEventWaitNodeGetEvent, (CUgraphNode handle, CUevent* place),
                     call_for_work<WaitWork>, object.handle)

GANTRY_CUDA_API cuGraphEventWaitNodeSetEvent(CUgraphNode node, CUevent event) {
  return set_work(node, [&] { return make_wait_work(event); });
}

GANTRY_CUDA_API cuGraphAddMemAllocNode(CUgraphNode* node, CUgraph graph,
                                       const CUgraphNode* dependencies, size_t count,
                                       CUDA_MEM_ALLOC_NODE_PARAMS* parameters) {
  return add_node(node, graph, dependencies, nullptr, count, [&] {
    WorkResult work = work_of(parameters);
    if (work) {
      parameters->dptr = std::get<AllocateWork>(*work).allocation->address();
    }
    return work;
  });
}

GANTRY_CUDA_API cuGraphMemAllocNodeGetParams(CUgraphNode handle,
                                             CUDA_MEM_ALLOC_NODE_PARAMS* parameters) {
  return call_for_work<AllocateWork>(handle, [&](AllocateWork& work) {
    CUDA_MEM_ALLOC_NODE_PARAMS known = work.parameters;
    known.accessDescs = work.access.data();
    return deliver(parameters, known);
  });
}

GANTRY_CUDA_API cuGraphAddMemFreeNode(CUgraphNode* node, CUgraph graph,
                                      const CUgraphNode* dependencies, size_t count,
                                      CUdeviceptr address) {
  return add_node(node, graph, dependencies, nullptr, count,
                  [&] { return make_free_work(address); });
}

GANTRY_CUDA_PROPERTY(cuGraphMemFreeNodeGetParams, (CUgraphNode handle, CUdeviceptr* place),
                     call_for_work<FreeWork>, object.allocation->address())

GANTRY_CUDA_API cuDeviceGetGraphMemAttribute(CUdevice ordinal, CUgraphMem_attribute attribute,
                                             void* value) {
  return call_for_device(
      ordinal, [&](Device& device) { return graph_memory_attribute(device, attribute, value); });
}

GANTRY_CUDA_API cuDeviceSetGraphMemAttribute(CUdevice ordinal, CUgraphMem_attribute attribute,
                                             void* value) {
  return call_for_device(ordinal, [&](Device& device) {
    return reset_graph_memory_attribute(device, attribute, value);
  });
}

GANTRY_CUDA_API cuDeviceGraphMemTrim(CUdevice ordinal) {
  // Memory of graphs goes back to the device with the last of them that has it.
  return call_for_device(ordinal, [](Device&) { return CUDA_SUCCESS; });
}
