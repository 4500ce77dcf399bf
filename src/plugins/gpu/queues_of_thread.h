// Queues that threads have for themselves, for launches that nothing else has to come before: no
// lock and no other thread's cache line is touched for them.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <vector>

#include <gantry/plugin.h>

namespace gantry::gpu {

/// The queues of one device that threads have for themselves, and those that threads left behind,
/// which others use. The threads own it together with the device, because either may end first. Any
/// thread.
class ThreadQueues {
public:
  /// How queues are made and destroyed.
  struct Functions {
    gantry_status (*create)(gantry_device* device, gantry_queue** queue) noexcept;
    gantry_status (*destroy)(gantry_queue* queue) noexcept;
  };

  ThreadQueues(gantry_device* device, const Functions& functions)
      : device_(device), functions_(functions) {}
  ThreadQueues(const ThreadQueues&) = delete;
  ThreadQueues& operator=(const ThreadQueues&) = delete;

  /// A queue that no thread has, or a new one, while the device is open. GANTRY_SUCCESS or an
  /// error, kept.
  std::int32_t take(gantry_queue*& queue);
  /// Gives back a queue that take() gave, in which nothing is left to be done. After close() it
  /// does nothing.
  void leave(gantry_queue* queue);

  /// Destroys all queues, also those that threads have, because the device is about to end.
  /// GANTRY_SUCCESS or an error, kept.
  std::int32_t close();
  [[nodiscard]] bool closed() const { return closed_.load(std::memory_order_relaxed); }

private:
  gantry_device* device_; ///< until this is closed
  Functions functions_;
  std::shared_mutex open_;           ///< shared by threads during whose work nobody may close
  std::atomic<bool> closed_ = false; ///< changed with `open_` held

  std::mutex mutex_; ///< for all below
  std::vector<gantry_queue*> all_;
  std::vector<gantry_queue*> spare_; ///< that no thread has
};

/// The queue that the calling thread used last; null if it has none. `of` may be closed already,
/// but the thread still owns it, so no other ThreadQueues has its address.
struct QueueUsedLast {
  const ThreadQueues* of = nullptr;
  gantry_queue* queue = nullptr;
};
inline constinit thread_local QueueUsedLast queue_used_last;

/// The calling thread's queue of an open device, for as long as this lives.
class QueueOfThread {
public:
  explicit QueueOfThread(const std::shared_ptr<ThreadQueues>& queues)
      : queue_(queue_used_last.of == queues.get() ? queue_used_last.queue : find(queues)) {}
  QueueOfThread(const QueueOfThread&) = delete;
  QueueOfThread& operator=(const QueueOfThread&) = delete;
  ~QueueOfThread() {
    if (borrowed_ != nullptr) [[unlikely]] {
      borrowed_->leave(queue_);
    }
  }

  /// GANTRY_SUCCESS, or why there is none, kept.
  [[nodiscard]] std::int32_t code() const { return code_; }
  [[nodiscard]] gantry_queue* get() const { return queue_; }

private:
  gantry_queue* find(const std::shared_ptr<ThreadQueues>& queues);

  std::int32_t code_ = GANTRY_SUCCESS;
  ThreadQueues* borrowed_ = nullptr; ///< from these, by a thread that is ending
  gantry_queue* queue_;
};

} // namespace gantry::gpu
