// All handles of the process, by kind.
#pragma once

#include "gantry/cuda_driver.h"
#include "simt/driver/handle_table.h"

namespace gantry::simt::driver {

class Context;
class Module;
class Function;
class Stream;
class Event;
class LinkState;
class Library;
class Kernel;
class MemoryPool;
class Graph;
struct GraphNode;
class GraphExec;
class UserObject;

struct Handles {
  HandleTable<Context, HandleKind::kContext, CUcontext> contexts;
  HandleTable<Module, HandleKind::kModule, CUmodule> modules;
  HandleTable<Function, HandleKind::kFunction, CUfunction> functions;
  HandleTable<Stream, HandleKind::kStream, CUstream> streams;
  HandleTable<Event, HandleKind::kEvent, CUevent> events;
  HandleTable<LinkState, HandleKind::kLinkState, CUlinkState> link_states;
  HandleTable<Library, HandleKind::kLibrary, CUlibrary> libraries;
  HandleTable<Kernel, HandleKind::kKernel, CUkernel> kernels;
  HandleTable<MemoryPool, HandleKind::kMemoryPool, CUmemoryPool> memory_pools;
  HandleTable<Graph, HandleKind::kGraph, CUgraph> graphs;
  HandleTable<GraphNode, HandleKind::kGraphNode, CUgraphNode> graph_nodes;
  HandleTable<GraphExec, HandleKind::kGraphExec, CUgraphExec> graph_execs;
  HandleTable<UserObject, HandleKind::kUserObject, CUuserObject> user_objects;
};

/// Lives as long as the process.
[[nodiscard]] inline Handles& handles() {
  static Handles* const all = new Handles;
  return *all;
}

} // namespace gantry::simt::driver
