// Entry points: stream capture.
#include "simt/driver/api_graph.h"
#include "simt/driver/graphs/capture.h"

#include <utility>

using namespace gantry::simt::driver;

namespace {

bool is_mode(CUstreamCaptureMode mode) {
  return mode >= CU_STREAM_CAPTURE_MODE_GLOBAL && mode <= CU_STREAM_CAPTURE_MODE_RELAXED;
}

/// body(Stream&) with graph_mutex()
template <typename Body>
CUresult call_for_capture(CUstream handle, const Body& body) {
  return call_for_stream(
      handle, [&](Stream& stream) { return call_for_graphs([&] { return body(stream); }); });
}

CUresult give_info(CUstream handle, CUstreamCaptureStatus* status, std::uint64_t* id,
                   CUgraph* graph, const CUgraphNode** dependencies, const CUgraphEdgeData** data,
                   std::size_t* count) {
  return call_for_capture(handle, [&](Stream& stream) {
    if (status == nullptr) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    const auto info = Capture::info(stream);
    if (!info) {
      return info.error();
    }
    *status = info->status;
    if (info->status == CU_STREAM_CAPTURE_STATUS_ACTIVE) {
      give(id, info->id);
      give(graph, info->graph);
      give(dependencies, info->dependencies.data());
      give<const CUgraphEdgeData*>(data, nullptr); // all are ordinary
      give(count, info->dependencies.size());
    }
    return CUDA_SUCCESS;
  });
}

CUresult update(CUstream handle, const CUgraphNode* dependencies, std::size_t count,
                unsigned flags) {
  return call_for_capture(handle, [&](Stream& stream) {
    if (flags > CU_STREAM_SET_CAPTURE_DEPENDENCIES || (count != 0 && dependencies == nullptr)) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    Capture::Nodes nodes;
    for (std::size_t i = 0; i < count; ++i) {
      std::shared_ptr<GraphNode> node = handles().graph_nodes.find(dependencies[i]);
      if (node == nullptr) {
        return CUDA_ERROR_INVALID_VALUE;
      }
      nodes.push_back(std::move(node));
    }
    return Capture::update(stream, std::move(nodes), flags == CU_STREAM_SET_CAPTURE_DEPENDENCIES);
  });
}

} // namespace

GANTRY_CUDA_API cuStreamBeginCapture_v2(CUstream handle, CUstreamCaptureMode mode) {
  return call_for_capture(handle, [&](Stream& stream) {
    return is_mode(mode) ? Capture::begin(stream, mode, nullptr, {}) : CUDA_ERROR_INVALID_VALUE;
  });
}

GANTRY_CUDA_API cuStreamBeginCapture(CUstream stream) {
  return cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
}

GANTRY_CUDA_API cuStreamBeginCaptureToGraph(CUstream handle, CUgraph graph_handle,
                                            const CUgraphNode* dependencies,
                                            const CUgraphEdgeData* /*data*/, size_t count,
                                            CUstreamCaptureMode mode) {
  return call_for_capture(handle, [&](Stream& stream) {
    std::shared_ptr<Graph> graph = handles().graphs.find(graph_handle);
    Capture::Nodes nodes;
    if (graph == nullptr || !is_mode(mode)) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    if (const CUresult result = find_nodes(*graph, dependencies, count, nodes);
        result != CUDA_SUCCESS) {
      return result;
    }
    return Capture::begin(stream, mode, std::move(graph), std::move(nodes));
  });
}

GANTRY_CUDA_API cuStreamEndCapture(CUstream handle, CUgraph* place) {
  return call_for_capture(handle, [&](Stream& stream) {
    if (place == nullptr) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    std::shared_ptr<Graph> graph;
    const CUresult result = Capture::end(stream, graph);
    *place = graph != nullptr ? graph->handle() : nullptr;
    return result;
  });
}

GANTRY_CUDA_API cuStreamIsCapturing(CUstream handle, CUstreamCaptureStatus* status) {
  return give_info(handle, status, nullptr, nullptr, nullptr, nullptr, nullptr);
}

GANTRY_CUDA_API cuStreamGetCaptureInfo(CUstream handle, CUstreamCaptureStatus* status,
                                       std::uint64_t* id) {
  return give_info(handle, status, id, nullptr, nullptr, nullptr, nullptr);
}

GANTRY_CUDA_API cuStreamGetCaptureInfo_v2(CUstream handle, CUstreamCaptureStatus* status,
                                          std::uint64_t* id, CUgraph* graph,
                                          const CUgraphNode** dependencies, size_t* count) {
  return give_info(handle, status, id, graph, dependencies, nullptr, count);
}

GANTRY_CUDA_API cuStreamGetCaptureInfo_v3(CUstream handle, CUstreamCaptureStatus* status,
                                          std::uint64_t* id, CUgraph* graph,
                                          const CUgraphNode** dependencies,
                                          const CUgraphEdgeData** data, size_t* count) {
  return give_info(handle, status, id, graph, dependencies, data, count);
}

GANTRY_CUDA_API cuStreamUpdateCaptureDependencies(CUstream stream, CUgraphNode* dependencies,
                                                  size_t count, unsigned int flags) {
  return update(stream, dependencies, count, flags);
}

GANTRY_CUDA_API cuStreamUpdateCaptureDependencies_v2(CUstream stream, CUgraphNode* dependencies,
                                                     const CUgraphEdgeData* /*data*/, size_t count,
                                                     unsigned int flags) {
  return update(stream, dependencies, count, flags);
}

GANTRY_CUDA_API cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode) {
  return call([&] {
    if (mode == nullptr || !is_mode(*mode)) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    std::swap(*mode, ThreadState::of_caller().capture_mode);
    return CUDA_SUCCESS;
  });
}
