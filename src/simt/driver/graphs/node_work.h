// What the nodes of graphs do. A work is checked when it is made; enqueue() puts it into a stream.
#pragma once

#include "gantry/cuda_driver.h"
#include "simt/driver/copy.h"
#include "simt/driver/graphs/graph_memory.h"
#include "simt/driver/launch.h"

#include <cstddef>
#include <map>
#include <memory>
#include <variant>
#include <vector>

#include <tl/expected.hpp>

namespace gantry::simt::driver {

class Context;
class Event;
class Graph;

using LaunchAttributes = std::map<CUlaunchAttributeID, CUlaunchAttributeValue>;

struct KernelWork {
  std::shared_ptr<Function> function;
  exec::LaunchShape shape;
  std::vector<std::byte> bytes; ///< of the parameters
  LaunchAttributes attributes;  ///< kept for those who ask for them; `shape` says what counts
  // As the program named the kernel.
  CUfunction func = nullptr;
  CUkernel kern = nullptr;
  CUcontext ctx = nullptr;
};
struct CopyWork {
  Copy copy;
  CUDA_MEMCPY3D parameters;
  CUcontext context = nullptr;
};
struct FillWork {
  Fill fill;
  CUcontext context = nullptr;
};
struct HostWork {
  CUhostFn function = nullptr;
  void* argument = nullptr;
};
struct ChildWork {
  std::shared_ptr<Graph> graph; ///< the node's own
};
struct EmptyWork {};
struct RecordWork {
  std::shared_ptr<Event> event;
  CUevent handle = nullptr;
};
struct WaitWork {
  std::shared_ptr<Event> event;
  CUevent handle = nullptr;
};
struct AllocateWork {
  std::shared_ptr<GraphAllocation> allocation;
  CUDA_MEM_ALLOC_NODE_PARAMS parameters; ///< without accessDescs
  std::vector<CUmemAccessDesc> access;
};
struct FreeWork {
  std::shared_ptr<GraphAllocation> allocation;
};

using NodeWork = std::variant<KernelWork, CopyWork, FillWork, HostWork, ChildWork, EmptyWork,
                              WaitWork, RecordWork, AllocateWork, FreeWork>;

[[nodiscard]] CUgraphNodeType type_of(const NodeWork& work);
/// Whether it allocates or frees memory.
[[nodiscard]] inline bool is_memory_work(const NodeWork& work) {
  return std::holds_alternative<AllocateWork>(work) || std::holds_alternative<FreeWork>(work);
}

using WorkResult = tl::expected<NodeWork, CUresult>;
// The work that the program's parameters describe. A node that needs a context and names none is of
// the calling thread's current one.
[[nodiscard]] WorkResult make_work(const CUDA_KERNEL_NODE_PARAMS& parameters);
[[nodiscard]] WorkResult make_work(const CUDA_KERNEL_NODE_PARAMS_v1& parameters);
[[nodiscard]] WorkResult make_work(const CUDA_MEMCPY3D& parameters, CUcontext context);
[[nodiscard]] WorkResult make_work(const CUDA_MEMSET_NODE_PARAMS& parameters, CUcontext context);
[[nodiscard]] WorkResult make_work(const CUDA_HOST_NODE_PARAMS& parameters);
[[nodiscard]] WorkResult make_record_work(CUevent event);
[[nodiscard]] WorkResult make_wait_work(CUevent event);
/// Takes the memory that the node is to allocate.
[[nodiscard]] WorkResult make_allocate_work(Context& context, std::uint64_t bytes);
[[nodiscard]] WorkResult make_work(const CUDA_MEM_ALLOC_NODE_PARAMS& parameters);
[[nodiscard]] WorkResult make_free_work(CUdeviceptr address);
/// Of any type but that of a child.
[[nodiscard]] WorkResult make_work(const CUgraphNodeParams& parameters);
/// Of a launch that a stream is given.
[[nodiscard]] NodeWork make_work(CheckedLaunch launch);

// The program's parameters of a work.
void give_parameters(const KernelWork& work, std::vector<void*>& pointers,
                     CUDA_KERNEL_NODE_PARAMS& parameters);
[[nodiscard]] CUDA_MEMSET_NODE_PARAMS parameters_of(const Fill& fill);

/// CUDA_ERROR_INVALID_VALUE if the value cannot be that of the attribute, _NOT_SUPPORTED if it is
/// not offered.
[[nodiscard]] CUresult set_attribute(KernelWork& work, CUlaunchAttributeID attribute,
                                     const CUlaunchAttributeValue& value);
/// Gives the kernel all attributes of another one; an error if it cannot be launched with them.
[[nodiscard]] CUresult take_attributes(KernelWork& work, const KernelWork& from);
/// For a node that gets other parameters, which do not say a kernel's attributes: it keeps them.
[[nodiscard]] CUresult keep_attributes(const NodeWork& known, NodeWork& next);

/// Puts the work into the stream. Children are not work for a stream (GraphExec unfolds them).
void enqueue(Stream& stream, const NodeWork& work);

} // namespace gantry::simt::driver
