// What the driver knows of a thread of the program: its stack of contexts, its default streams.
#pragma once

#include "simt/driver/handles.h"
#include "simt/driver/stream_operation.h"

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace gantry::simt::driver {

class Context;

struct ThreadState {
  /// The calling thread's; made at its first call. May be called at any time, also while the thread
  /// or the process ends.
  [[nodiscard]] static ThreadState& of_caller();

  /// Whether the thread's own objects have been destroyed: it is in an exit handler, or a
  /// destructor of a library. Nothing that keeps such objects may run there, kernels for one.
  [[nodiscard]] static bool is_ending();

  std::vector<std::shared_ptr<Context>> contexts; ///< the current one last
  /// This thread's default stream in each context, by the context's id.
  std::vector<std::pair<std::uint64_t, std::shared_ptr<Stream>>> default_streams;

  /// How far captures of other threads, or its own, forbid it calls (capture.h).
  CUstreamCaptureMode capture_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;

  /// The stream that calls were about last.
  decltype(Handles::streams)::FoundLast last_stream;

  // Memory that calls use again (stream.cpp).
  std::vector<Position> waits;
  std::vector<std::shared_ptr<Stream>> streams;
};

/// Says of a thread that something is so while one exists on it. None exists inside another.
template <typename What>
class ThreadScope {
public:
  ThreadScope() { inside = true; }
  ~ThreadScope() { inside = false; }
  ThreadScope(const ThreadScope&) = delete;
  ThreadScope& operator=(const ThreadScope&) = delete;
  [[nodiscard]] static bool active() { return inside; }

private:
  static inline constinit thread_local bool inside = false;
};

/// A host function of a stream runs on the thread: it may not call the driver.
using HostFunctionScope = ThreadScope<struct HostFunction>;
/// The null stream means the thread's own default stream: the call is one of those named _ptsz and
/// _ptds.
using PerThreadDefault = ThreadScope<struct PerThreadDefaultStream>;

} // namespace gantry::simt::driver
