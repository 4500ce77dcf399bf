#include "simt/driver/graphs/node_work.h"

#include "simt/driver/context.h"
#include "simt/driver/device.h"
#include "simt/driver/event.h"
#include "simt/driver/handles.h"
#include "simt/driver/library.h"
#include "simt/driver/messages.h"
#include "simt/driver/module.h"
#include "simt/driver/stream.h"
#include "simt/driver/thread_state.h"
#include "simt/host/settings.h"

#include <utility>

namespace gantry::simt::driver {

namespace {

/// The context that a handle means, the current one if it is null; null if there is none.
std::shared_ptr<Context> context_of(CUcontext handle) {
  if (handle != nullptr) {
    return handles().contexts.find(handle);
  }
  const auto& contexts = ThreadState::of_caller().contexts;
  return contexts.empty() ? nullptr : contexts.back();
}

/// The function that the parameters name; null if they do not name one.
std::shared_ptr<Function> function_of(const CUDA_KERNEL_NODE_PARAMS& parameters, Context& context) {
  if ((parameters.func == nullptr) == (parameters.kern == nullptr)) {
    return nullptr;
  }
  return function_of(parameters.func != nullptr ? parameters.func
                                                : reinterpret_cast<CUfunction>(parameters.kern),
                     context);
}

template <typename Work>
WorkResult make_event_work(CUevent handle) {
  std::shared_ptr<Event> event = handles().events.find(handle);
  if (event == nullptr) {
    return tl::unexpected(CUDA_ERROR_INVALID_VALUE);
  }
  return Work{std::move(event), handle};
}

struct Enqueue {
  Stream& stream;

  void operator()(const KernelWork& work) const {
    if (settings().mode != Mode::kSkip) [[likely]] {
      enqueue_launch(stream, {work.function, work.shape, ParameterBytes(std::span(work.bytes))});
    }
  }
  void operator()(const CopyWork& work) const {
    if (!work.copy.empty()) {
      enqueue(stream, work.copy);
    }
  }
  void operator()(const FillWork& work) const {
    if (!work.fill.empty()) {
      enqueue(stream, work.fill);
    }
  }
  void operator()(const HostWork& work) const {
    enqueue_host_function(stream, work.function, work.argument);
  }
  void operator()(const RecordWork& work) const { work.event->record(stream); }
  void operator()(const WaitWork& work) const { stream.enqueue_wait(work.event->position()); }
  void operator()(const AllocateWork& work) const {
    stream.enqueue([allocation = work.allocation](CUresult status) noexcept {
      if (status == CUDA_SUCCESS) {
        allocation->begin();
      }
    });
  }
  void operator()(const FreeWork& /*work*/) const {}
  void operator()(const ChildWork& /*work*/) const {}
  void operator()(const EmptyWork& /*work*/) const {}
};

} // namespace

CUgraphNodeType type_of(const NodeWork& work) {
  static constexpr CUgraphNodeType kTypes[] = {
      CU_GRAPH_NODE_TYPE_KERNEL,     CU_GRAPH_NODE_TYPE_MEMCPY,       CU_GRAPH_NODE_TYPE_MEMSET,
      CU_GRAPH_NODE_TYPE_HOST,       CU_GRAPH_NODE_TYPE_GRAPH,        CU_GRAPH_NODE_TYPE_EMPTY,
      CU_GRAPH_NODE_TYPE_WAIT_EVENT, CU_GRAPH_NODE_TYPE_EVENT_RECORD, CU_GRAPH_NODE_TYPE_MEM_ALLOC,
      CU_GRAPH_NODE_TYPE_MEM_FREE};
  static_assert(std::size(kTypes) == std::variant_size_v<NodeWork>);
  return kTypes[work.index()];
}

WorkResult make_work(const CUDA_KERNEL_NODE_PARAMS& parameters) {
  const std::shared_ptr<Context> context = context_of(parameters.ctx);
  if (context == nullptr) {
    return tl::unexpected(parameters.ctx == nullptr ? CUDA_ERROR_INVALID_CONTEXT
                                                    : CUDA_ERROR_INVALID_VALUE);
  }
  LaunchRequest request;
  request.function = function_of(parameters, *context);
  if (request.function == nullptr) {
    return tl::unexpected(CUDA_ERROR_INVALID_HANDLE);
  }
  request.shape = {{parameters.gridDimX, parameters.gridDimY, parameters.gridDimZ},
                   {parameters.blockDimX, parameters.blockDimY, parameters.blockDimZ},
                   parameters.sharedMemBytes,
                   false};
  request.parameters = parameters.kernelParams;
  request.extra = parameters.extra;
  auto launch = check_launch(std::move(request));
  if (!launch) {
    return tl::unexpected(launch.error());
  }
  NodeWork work = make_work(*std::move(launch));
  auto& kernel = std::get<KernelWork>(work);
  kernel.func = parameters.func;
  kernel.kern = parameters.kern;
  kernel.ctx = parameters.ctx;
  return work;
}

WorkResult make_work(const CUDA_KERNEL_NODE_PARAMS_v1& parameters) {
  const CUDA_KERNEL_NODE_PARAMS_v1& p = parameters;
  return make_work(CUDA_KERNEL_NODE_PARAMS{p.func, p.gridDimX, p.gridDimY, p.gridDimZ, p.blockDimX,
                                           p.blockDimY, p.blockDimZ, p.sharedMemBytes,
                                           p.kernelParams, p.extra, nullptr, nullptr});
}

NodeWork make_work(CheckedLaunch launch) {
  KernelWork work;
  const std::uint32_t bytes = launch.function->facts().parameter_bytes;
  work.bytes.assign(launch.bytes.data(), launch.bytes.data() + bytes);
  work.shape = launch.shape;
  work.func = launch.function->handle();
  work.function = std::move(launch.function);
  if (work.shape.cooperative) {
    CUlaunchAttributeValue value = {};
    value.cooperative = 1;
    work.attributes[CU_LAUNCH_ATTRIBUTE_COOPERATIVE] = value;
  }
  return work;
}

WorkResult make_work(const CUDA_MEMCPY3D& parameters, CUcontext context) {
  if (context_of(context) == nullptr) {
    return tl::unexpected(CUDA_ERROR_INVALID_VALUE);
  }
  return copy_of(parameters).and_then([&](const Copy& copy) -> WorkResult {
    if (const CUresult result = check(copy); result != CUDA_SUCCESS) {
      return tl::unexpected(result);
    }
    return CopyWork{copy, parameters, context};
  });
}

WorkResult make_work(const CUDA_MEMSET_NODE_PARAMS& parameters, CUcontext context) {
  const unsigned element = parameters.elementSize;
  const Fill fill = {parameters.dst,   parameters.pitch,
                     parameters.value, static_cast<std::uint8_t>(element),
                     parameters.width, parameters.height};
  if (context_of(context) == nullptr || (element != 1 && element != 2 && element != 4) ||
      fill.empty()) {
    return tl::unexpected(CUDA_ERROR_INVALID_VALUE);
  }
  if (const CUresult result = check(fill); result != CUDA_SUCCESS) {
    return tl::unexpected(result);
  }
  return FillWork{fill, context};
}

WorkResult make_work(const CUDA_HOST_NODE_PARAMS& parameters) {
  if (parameters.fn == nullptr) {
    return tl::unexpected(CUDA_ERROR_INVALID_VALUE);
  }
  return HostWork{parameters.fn, parameters.userData};
}

WorkResult make_record_work(CUevent event) {
  return make_event_work<RecordWork>(event);
}

WorkResult make_wait_work(CUevent event) {
  return make_event_work<WaitWork>(event);
}

WorkResult make_allocate_work(Context& context, std::uint64_t bytes) {
  auto allocation = GraphAllocation::create(context, bytes);
  if (!allocation) {
    return tl::unexpected(allocation.error());
  }
  AllocateWork work = {};
  work.parameters.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  work.parameters.poolProps.location = {CU_MEM_LOCATION_TYPE_DEVICE, context.device().ordinal()};
  work.parameters.bytesize = bytes;
  work.parameters.dptr = (*allocation)->address();
  work.allocation = *std::move(allocation);
  return work;
}

WorkResult make_work(const CUDA_MEM_ALLOC_NODE_PARAMS& parameters) {
  const std::shared_ptr<Context> context = context_of(nullptr);
  const CUmemPoolProps& pool = parameters.poolProps;
  if (context == nullptr) {
    return tl::unexpected(CUDA_ERROR_INVALID_CONTEXT);
  }
  if (parameters.bytesize == 0 || pool.allocType != CU_MEM_ALLOCATION_TYPE_PINNED ||
      (parameters.accessDescCount != 0 && parameters.accessDescs == nullptr)) {
    return tl::unexpected(CUDA_ERROR_INVALID_VALUE);
  }
  if (pool.handleTypes != 0 || pool.location.type != CU_MEM_LOCATION_TYPE_DEVICE ||
      pool.location.id != context->device().ordinal()) {
    return tl::unexpected(
        not_offered("memory of graphs for another device than the context's, or other processes"));
  }
  auto work = make_allocate_work(*context, parameters.bytesize);
  if (work) {
    auto& allocate = std::get<AllocateWork>(*work);
    allocate.access.assign(parameters.accessDescs,
                           parameters.accessDescs + parameters.accessDescCount);
    allocate.parameters.accessDescCount = parameters.accessDescCount;
  }
  return work;
}

WorkResult make_free_work(CUdeviceptr address) {
  std::shared_ptr<GraphAllocation> allocation = GraphAllocation::at(address);
  if (allocation == nullptr) {
    return tl::unexpected(CUDA_ERROR_INVALID_VALUE);
  }
  return FreeWork{std::move(allocation)};
}

WorkResult make_work(const CUgraphNodeParams& parameters) {
  switch (parameters.type) {
  case CU_GRAPH_NODE_TYPE_KERNEL:
    return make_work(parameters.kernel);
  case CU_GRAPH_NODE_TYPE_MEMCPY:
    if (parameters.memcpy.flags != 0) {
      return tl::unexpected(CUDA_ERROR_INVALID_VALUE);
    }
    return make_work(parameters.memcpy.copyParams, parameters.memcpy.copyCtx);
  case CU_GRAPH_NODE_TYPE_MEMSET: {
    const CUDA_MEMSET_NODE_PARAMS_v2& p = parameters.memset;
    return make_work(
        CUDA_MEMSET_NODE_PARAMS{p.dst, p.pitch, p.value, p.elementSize, p.width, p.height}, p.ctx);
  }
  case CU_GRAPH_NODE_TYPE_HOST:
    return make_work(parameters.host);
  case CU_GRAPH_NODE_TYPE_EMPTY:
    return EmptyWork();
  case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
    return make_wait_work(parameters.eventWait.event);
  case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
    return make_record_work(parameters.eventRecord.event);
  case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
    return make_work(parameters.alloc);
  case CU_GRAPH_NODE_TYPE_MEM_FREE:
    return make_free_work(parameters.free.dptr);
  case CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL:
  case CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT:
  case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
  case CU_GRAPH_NODE_TYPE_CONDITIONAL:
    return tl::unexpected(not_offered("a graph's node of that type"));
  default:
    return tl::unexpected(CUDA_ERROR_INVALID_VALUE);
  }
}

void give_parameters(const KernelWork& work, std::vector<void*>& pointers,
                     CUDA_KERNEL_NODE_PARAMS& parameters) {
  const auto& layout = work.function->facts().parameters;
  pointers.clear();
  for (const auto& parameter : layout) {
    pointers.push_back(const_cast<std::byte*>(work.bytes.data()) + parameter.offset);
  }
  const exec::LaunchShape& shape = work.shape;
  parameters = {work.func,
                shape.grid[0],
                shape.grid[1],
                shape.grid[2],
                shape.block[0],
                shape.block[1],
                shape.block[2],
                shape.dynamic_shared,
                layout.empty() ? nullptr : pointers.data(),
                nullptr,
                work.kern,
                work.ctx};
}

CUDA_MEMSET_NODE_PARAMS parameters_of(const Fill& fill) {
  return {fill.address, fill.pitch, fill.value, fill.element, fill.width, fill.height};
}

CUresult set_attribute(KernelWork& work, CUlaunchAttributeID attribute,
                       const CUlaunchAttributeValue& value) {
  LaunchWishes wishes;
  if (const CUresult result = read_attribute(attribute, value, wishes); result != CUDA_SUCCESS) {
    return result;
  }
  if (attribute == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) {
    exec::LaunchShape shape = work.shape;
    shape.cooperative = wishes.cooperative;
    if (const CUresult result = check_shape(*work.function, shape); result != CUDA_SUCCESS) {
      return result;
    }
    work.shape = shape;
  }
  if (attribute == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) {
    exec::LaunchShape shape = work.shape;
    ask_for_cluster(wishes, shape);
    if (const CUresult result = set_cluster(*work.function, shape); result != CUDA_SUCCESS) {
      return result;
    }
    work.shape = shape;
  }
  work.attributes[attribute] = value;
  return CUDA_SUCCESS;
}

CUresult take_attributes(KernelWork& work, const KernelWork& from) {
  exec::LaunchShape shape = work.shape;
  shape.cooperative = from.shape.cooperative;
  shape.in_clusters = from.shape.in_clusters;
  std::ranges::copy(from.shape.cluster, shape.cluster);
  CUresult result = set_cluster(*work.function, shape);
  result = result == CUDA_SUCCESS ? check_shape(*work.function, shape) : result;
  if (result == CUDA_SUCCESS) {
    work.shape = shape;
    work.attributes = from.attributes;
  }
  return result;
}

CUresult keep_attributes(const NodeWork& known, NodeWork& next) {
  const auto* const from = std::get_if<KernelWork>(&known);
  auto* const to = std::get_if<KernelWork>(&next);
  return from != nullptr && to != nullptr ? take_attributes(*to, *from) : CUDA_SUCCESS;
}

void enqueue(Stream& stream, const NodeWork& work) {
  std::visit(Enqueue{stream}, work);
}

} // namespace gantry::simt::driver
