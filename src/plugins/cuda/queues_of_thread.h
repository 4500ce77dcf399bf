// Queues that threads have for themselves, for launches that nothing else has to come before: no
// lock and no other thread's cache line is touched for them.
#pragma once

#include "plugins/cuda/queue.h"

namespace gantry::cuda {

/// The queue of the device that the calling thread used last; null if it has none.
inline constinit thread_local gantry_queue* queue_used_last = nullptr;

/// The calling thread's queue of a device, for as long as this lives. Queues that threads leave
/// behind are used by others.
class QueueOfThread {
public:
  explicit QueueOfThread(std::int32_t device)
      : queue_(queue_used_last != nullptr && queue_used_last->device.index == device
                   ? queue_used_last
                   : find(device)) {}
  QueueOfThread(const QueueOfThread&) = delete;
  QueueOfThread& operator=(const QueueOfThread&) = delete;
  ~QueueOfThread() {
    if (borrowed_) [[unlikely]] {
      give_back();
    }
  }

  /// GANTRY_SUCCESS, or why there is none, kept.
  [[nodiscard]] std::int32_t code() const { return code_; }
  [[nodiscard]] gantry_queue* get() const { return queue_; }
  gantry_queue* operator->() const { return queue_; }

private:
  gantry_queue* find(std::int32_t device);
  void give_back() const;

  std::int32_t code_ = GANTRY_SUCCESS;
  bool borrowed_ = false; ///< by a thread that is ending
  gantry_queue* queue_;
};

} // namespace gantry::cuda
