// Copies of a device memory routine that are under way on a device with queues while the caller
// does something else: those of one rectangle, say, which the host waits for once.
#pragma once

#include "base/result.h"
#include "runtime/core/constructs/memory.h"
#include "runtime/core/queues/queue.h"

namespace gantry::core {

/// One thread at a time. Those that are under way are waited for at the latest when the object is
/// destroyed.
class QueuedCopies {
public:
  /// `like`: a copy that takes() is true of. `routine` outlives the object.
  QueuedCopies(const Copy& like, const Construct& routine);

  /// Whether such a copy can be put into a queue. While operations are told it is not: each of a
  /// routine's begins and ends before the next.
  [[nodiscard]] static bool takes(const Copy& copy);

  /// Puts in a copy, of what check() passed and takes() is true of, between the same two places.
  /// The host's side of it stays as it is until wait().
  [[nodiscard]] Status put(const Copy& copy);

  /// True if wait() would not wait.
  [[nodiscard]] bool done() { return queue_.done(); }
  [[nodiscard]] Status wait();

private:
  Device* const to_;
  Device* const from_;
  Queue queue_;
};

} // namespace gantry::core
