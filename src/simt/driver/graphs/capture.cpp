#include "simt/driver/graphs/capture.h"

#include "simt/driver/event.h"
#include "simt/driver/stream.h"
#include "simt/driver/thread_state.h"

#include <algorithm>
#include <utility>

namespace gantry::simt::driver {

namespace {

/// Those that have begun and not ended.
std::vector<std::shared_ptr<Capture>>& captures() {
  static auto* const all = new std::vector<std::shared_ptr<Capture>>;
  return *all;
}

void add_new(Capture::Nodes& nodes, const Capture::Nodes& more) {
  for (const auto& node : more) {
    if (node->graph != nullptr && std::ranges::find(nodes, node) == nodes.end()) {
      nodes.push_back(node);
    }
  }
}

} // namespace

CUresult Capture::begin(Stream& stream, CUstreamCaptureMode mode, std::shared_ptr<Graph> graph,
                        Nodes dependencies) {
  if (stream.kind() == Stream::Kind::kLegacy) {
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  }
  if (stream.capture.of != nullptr) {
    return CUDA_ERROR_ILLEGAL_STATE;
  }
  static std::uint64_t ids = 0;
  std::shared_ptr<Capture> capture(new Capture);
  capture->id_ = ++ids;
  capture->mode_ = mode;
  capture->thread_ = std::this_thread::get_id();
  capture->origin_ = &stream;
  capture->graph_ = graph != nullptr ? std::move(graph) : Graph::create(Graph::Named::kYes);
  captures().push_back(capture);
  active.fetch_add(1, std::memory_order_release);
  capture->join(stream, std::move(dependencies));
  return CUDA_SUCCESS;
}

void Capture::join(Stream& stream, Nodes dependencies) {
  stream.capture.of = shared_from_this();
  stream.capture.dependencies = std::move(dependencies);
  streams_.push_back(stream.weak_from_this());
}

void Capture::close() {
  for (const auto& weak : streams_) {
    if (const std::shared_ptr<Stream> stream = weak.lock();
        stream != nullptr && stream->capture.of.get() == this) {
      stream->capture = {};
    }
  }
  ended_ = true;
  added_.clear();
  graph_ = nullptr;
  active.fetch_sub(1, std::memory_order_release);
  std::erase(captures(), shared_from_this());
}

/// Whether all that was captured comes before what the origin's next operation would be.
bool Capture::joined(const Stream& origin) const {
  return std::ranges::all_of(added_, [&](const std::shared_ptr<GraphNode>& node) {
    return node->graph == nullptr || !node->dependents.empty() ||
           std::ranges::find(origin.capture.dependencies, node) !=
               origin.capture.dependencies.end();
  });
}

CUresult Capture::end(Stream& stream, std::shared_ptr<Graph>& graph) {
  const std::shared_ptr<Capture> capture = stream.capture.of;
  if (capture == nullptr) {
    return CUDA_ERROR_ILLEGAL_STATE;
  }
  if (capture->origin_ != &stream) {
    capture->invalidated_ = true;
    return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
  }
  const bool wrong_thread = capture->mode_ != CU_STREAM_CAPTURE_MODE_RELAXED &&
                            capture->thread_ != std::this_thread::get_id();
  const CUresult result = wrong_thread               ? CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD
                          : capture->invalidated_    ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED
                          : !capture->joined(stream) ? CUDA_ERROR_STREAM_CAPTURE_UNJOINED
                                                     : CUDA_SUCCESS;
  if (result == CUDA_SUCCESS) {
    graph = capture->graph_;
  }
  capture->close();
  return result;
}

void Capture::forget(Stream& stream) {
  const std::shared_ptr<Capture> capture = stream.capture.of;
  if (capture == nullptr) {
    return;
  }
  capture->invalidated_ = true;
  stream.capture = {};
  if (capture->origin_ == &stream) {
    capture->close();
  }
}

template <typename Matches>
bool Capture::captures_any(const Matches& matches, bool invalidates) {
  bool any = false;
  for (const auto& capture : captures()) {
    for (const auto& weak : capture->streams_) {
      const std::shared_ptr<Stream> stream = weak.lock();
      if (stream != nullptr && matches(*stream)) {
        capture->invalidated_ |= invalidates;
        any = true;
      }
    }
  }
  return any;
}

CUresult Capture::refuse_implicit(const Stream& stream, bool invalidates) {
  const auto would_be_awaited = [&](const Stream& other) {
    return other.kind() == Stream::Kind::kBlocking && &other.group() == &stream.group();
  };
  return stream.kind() == Stream::Kind::kLegacy && captures_any(would_be_awaited, invalidates)
             ? CUDA_ERROR_STREAM_CAPTURE_IMPLICIT
             : CUDA_SUCCESS;
}

tl::expected<Capture::Action, CUresult> Capture::admit_while_capturing(const Stream& stream) {
  const std::lock_guard lock(graph_mutex());
  if (const CUresult result = refuse_implicit(stream, true); result != CUDA_SUCCESS) {
    return tl::unexpected(result);
  }
  if (stream.capture.of == nullptr) {
    return Action::kRun;
  }
  if (stream.capture.of->invalidated()) {
    return tl::unexpected(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  }
  return Action::kCapture;
}

CUresult Capture::add(Stream& stream, NodeWork work) {
  const std::lock_guard lock(graph_mutex());
  Capture* const capture = stream.capture.of.get();
  if (capture == nullptr) { // ended by another thread meanwhile
    return CUDA_ERROR_ILLEGAL_STATE;
  }
  if (capture->invalidated_) {
    return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  }
  GraphNode& node = capture->graph_->add(std::move(work));
  for (const auto& dependency : stream.capture.dependencies) {
    if (capture->graph_->has(*dependency)) {
      (void)capture->graph_->add_edge(*dependency, node);
    }
  }
  stream.capture.dependencies = {capture->graph_->nodes().back()};
  capture->added_.push_back(capture->graph_->nodes().back());
  return CUDA_SUCCESS;
}

CUresult Capture::refuse_captured(const Stream& stream) {
  if (!any()) {
    return CUDA_SUCCESS;
  }
  const std::lock_guard lock(graph_mutex());
  if (stream.capture.of != nullptr) {
    stream.capture.of->invalidated_ = true;
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  }
  return refuse_implicit(stream, true);
}

CUresult Capture::refuse(const Event& event) {
  if (!event.captured()) {
    return CUDA_SUCCESS;
  }
  const std::lock_guard lock(graph_mutex());
  const StreamCapture recorded = event.capture();
  if (recorded.of == nullptr || recorded.of->ended()) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  recorded.of->invalidated_ = true;
  return CUDA_ERROR_CAPTURED_EVENT;
}

CUresult Capture::refuse_unsafe() {
  if (!any()) {
    return CUDA_SUCCESS;
  }
  const CUstreamCaptureMode mode = ThreadState::of_caller().capture_mode;
  if (mode == CU_STREAM_CAPTURE_MODE_RELAXED) {
    return CUDA_SUCCESS;
  }
  const std::lock_guard lock(graph_mutex());
  CUresult result = CUDA_SUCCESS;
  for (const auto& capture : captures()) {
    const bool own = capture->thread_ == std::this_thread::get_id();
    const bool forbids = own ? capture->mode_ != CU_STREAM_CAPTURE_MODE_RELAXED
                             : mode == CU_STREAM_CAPTURE_MODE_GLOBAL &&
                                   capture->mode_ == CU_STREAM_CAPTURE_MODE_GLOBAL;
    if (forbids) {
      capture->invalidated_ = true;
      result = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
  }
  return result;
}

CUresult Capture::refuse_in_context(std::uint64_t context_id) {
  if (!any()) {
    return CUDA_SUCCESS;
  }
  const std::lock_guard lock(graph_mutex());
  const auto is_there = [&](const Stream& stream) {
    return stream.group().context_id() == context_id;
  };
  return captures_any(is_there, true) ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED : CUDA_SUCCESS;
}

void Capture::record(Stream& stream, Event& event) {
  const std::lock_guard lock(graph_mutex());
  event.set_capture(stream.capture);
}

tl::expected<Capture::Action, CUresult> Capture::wait(Stream& stream, const Event& event,
                                                      bool external) {
  if (!any() && !event.captured()) {
    return Action::kRun;
  }
  const std::lock_guard lock(graph_mutex());
  const std::shared_ptr<Capture> own = stream.capture.of;
  const StreamCapture recorded = event.capture();
  if (own == nullptr && recorded.of == nullptr) {
    return Action::kRun;
  }
  if (own == nullptr) {
    if (recorded.of->ended()) {
      return tl::unexpected(CUDA_ERROR_INVALID_VALUE);
    }
    if (recorded.of->invalidated()) {
      return tl::unexpected(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    }
    if (stream.kind() == Stream::Kind::kLegacy) {
      recorded.of->invalidated_ = true;
      return tl::unexpected(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
    }
    recorded.of->join(stream, recorded.dependencies);
    return Action::kCapture;
  }
  if (own->invalidated()) {
    return tl::unexpected(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  }
  if (external) {
    return Action::kCapture;
  }
  if (recorded.of == own) {
    add_new(stream.capture.dependencies, recorded.dependencies);
    return Action::kCapture;
  }
  if (recorded.of != nullptr && !recorded.of->ended()) {
    own->invalidated_ = recorded.of->invalidated_ = true;
    return tl::unexpected(CUDA_ERROR_STREAM_CAPTURE_MERGE);
  }
  if (recorded.of == nullptr && event.position().stream == nullptr) {
    return Action::kCapture; // never recorded: nothing to wait for
  }
  own->invalidated_ = true;
  return tl::unexpected(CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
}

tl::expected<Capture::Info, CUresult> Capture::info(Stream& stream) {
  Info info;
  if (const CUresult result = refuse_implicit(stream, false); result != CUDA_SUCCESS) {
    return tl::unexpected(result);
  }
  StreamCapture& captured = stream.capture;
  if (captured.of == nullptr) {
    return info;
  }
  info.status = captured.of->invalidated() ? CU_STREAM_CAPTURE_STATUS_INVALIDATED
                                           : CU_STREAM_CAPTURE_STATUS_ACTIVE;
  if (captured.of->invalidated()) {
    return info;
  }
  info.id = captured.of->id();
  info.graph = captured.of->graph()->handle();
  captured.handles.clear();
  for (const auto& node : captured.dependencies) {
    captured.handles.push_back(node->handle);
  }
  info.dependencies = captured.handles;
  return info;
}

CUresult Capture::update(Stream& stream, Nodes dependencies, bool replace) {
  Capture* const capture = stream.capture.of.get();
  if (capture == nullptr) {
    return CUDA_ERROR_ILLEGAL_STATE;
  }
  if (capture->invalidated_) {
    return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  }
  if (!std::ranges::all_of(dependencies,
                           [&](const auto& node) { return capture->graph_->has(*node); })) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (replace) {
    stream.capture.dependencies.clear();
  }
  add_new(stream.capture.dependencies, dependencies);
  return CUDA_SUCCESS;
}

} // namespace gantry::simt::driver
