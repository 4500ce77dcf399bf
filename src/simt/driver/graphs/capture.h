// Stream capture: operations that a program puts into a stream become nodes of a graph instead.
//
// A capture begins in one stream, its origin. Another stream joins when it waits for an event that
// was recorded in the capture. Each stream in it has a set of nodes that its next operation depends
// on; that operation's node is the set then, and an event keeps the set as it was. What a capture
// cannot express invalidates it: then it takes no more nodes, and its end gives no graph.
//
// Guarded by graph_mutex(), except any(): where nothing is captured, no call takes a lock for it.
#pragma once

#include "gantry/cuda_driver.h"
#include "simt/driver/graphs/graph.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <thread>
#include <vector>

#include <tl/expected.hpp>

namespace gantry::simt::driver {

class Capture : public std::enable_shared_from_this<Capture> {
public:
  using Nodes = std::vector<std::shared_ptr<GraphNode>>;

  [[nodiscard]] std::uint64_t id() const { return id_; }
  [[nodiscard]] bool invalidated() const { return invalidated_; }
  [[nodiscard]] bool ended() const { return ended_; }
  [[nodiscard]] const std::shared_ptr<Graph>& graph() const { return graph_; }

  /// cuStreamBeginCapture, for a graph or, if it is null, a new one; the first operation depends on
  /// `dependencies`.
  [[nodiscard]] static CUresult begin(Stream& stream, CUstreamCaptureMode mode,
                                      std::shared_ptr<Graph> graph, Nodes dependencies);
  /// cuStreamEndCapture; the graph is null after an error. The capture has ended but for
  /// CUDA_ERROR_ILLEGAL_STATE and _UNMATCHED.
  [[nodiscard]] static CUresult end(Stream& stream, std::shared_ptr<Graph>& graph);
  /// The stream ends: what it captures cannot be ended any more.
  static void forget(Stream& stream);

  /// Whether anything is captured anywhere.
  [[nodiscard]] static bool any() { return active.load(std::memory_order_acquire) != 0; }

  /// What an operation that is put into the stream has to do: be captured, or be done. An error if
  /// it may be neither; the captures that are the reason are invalidated.
  enum class Action : std::uint8_t { kRun, kCapture };
  [[nodiscard]] static tl::expected<Action, CUresult> admit(const Stream& stream) {
    return any() ? admit_while_capturing(stream) : tl::expected<Action, CUresult>(Action::kRun);
  }
  /// Adds the work as the stream's next operation.
  [[nodiscard]] static CUresult add(Stream& stream, NodeWork work);

  /// For what asks for the progress of a stream, or cannot be captured.
  [[nodiscard]] static CUresult refuse_captured(const Stream& stream);
  /// For what may wait for streams that are captured, which depends on captures' modes.
  [[nodiscard]] static CUresult refuse_unsafe();
  /// For what waits for all streams of a context.
  [[nodiscard]] static CUresult refuse_in_context(std::uint64_t context_id);

  /// For what asks for the progress of an event: there is none while it is one of a capture's
  /// (CUDA_ERROR_CAPTURED_EVENT), nor afterwards (_INVALID_VALUE) until it is recorded again.
  [[nodiscard]] static CUresult refuse(const Event& event);

  /// An event is recorded in a stream that is captured.
  static void record(Stream& stream, Event& event);
  /// cuStreamWaitEvent, if it is about captures. Action::kRun: it is not.
  [[nodiscard]] static tl::expected<Action, CUresult> wait(Stream& stream, const Event& event,
                                                           bool external);

  /// What cuStreamGetCaptureInfo says. The nodes' handles stay until the stream's next operation.
  struct Info {
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    std::uint64_t id = 0;
    CUgraph graph = nullptr;
    std::span<const CUgraphNode> dependencies;
  };
  [[nodiscard]] static tl::expected<Info, CUresult> info(Stream& stream);
  /// cuStreamUpdateCaptureDependencies
  [[nodiscard]] static CUresult update(Stream& stream, Nodes dependencies, bool replace);

  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

private:
  Capture() = default;
  [[nodiscard]] static tl::expected<Action, CUresult> admit_while_capturing(const Stream& stream);
  /// The legacy default stream would wait for blocking streams that are captured.
  [[nodiscard]] static CUresult refuse_implicit(const Stream& stream, bool invalidates);
  /// Whether any captured stream matches; the captures of all that do are invalidated, if asked
  /// for.
  template <typename Matches>
  static bool captures_any(const Matches& matches, bool invalidates);
  void join(Stream& stream, Nodes dependencies);
  void close();
  [[nodiscard]] bool joined(const Stream& origin) const;

  std::uint64_t id_ = 0;
  CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_GLOBAL;
  std::thread::id thread_;
  const Stream* origin_ = nullptr; ///< compared only
  std::shared_ptr<Graph> graph_;
  bool invalidated_ = false;
  bool ended_ = false;
  std::vector<std::weak_ptr<Stream>> streams_;
  Nodes added_;

  static inline std::atomic<std::uint32_t> active = 0;
};

} // namespace gantry::simt::driver
