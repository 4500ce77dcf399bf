#include "plugins/gpu/queues_of_thread.h"

#include "plugins/gpu/status.h"
#include "plugins/last_error.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace gantry::gpu {

namespace {

/// More are of no use: another thread has its own by the time that it needs one.
constexpr std::size_t kMostSpare = 16;

} // namespace

std::int32_t ThreadQueues::take(gantry_queue*& queue) {
  {
    const std::lock_guard lock(mutex_);
    if (!spare_.empty()) {
      queue = spare_.back();
      spare_.pop_back();
      return GANTRY_SUCCESS;
    }
  }
  GANTRY_STATUS_TRY(functions_.create(device_, &queue));
  const std::lock_guard lock(mutex_);
  all_.push_back(queue);
  return GANTRY_SUCCESS;
}

void ThreadQueues::leave(gantry_queue* queue) {
  const std::shared_lock open(open_);
  if (closed()) {
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    if (spare_.size() < kMostSpare) {
      spare_.push_back(queue);
      return;
    }
    std::erase(all_, queue);
  }
  (void)functions_.destroy(queue);
}

std::int32_t ThreadQueues::close() {
  const std::unique_lock nobody(open_);
  closed_.store(true, std::memory_order_relaxed);
  const std::lock_guard lock(mutex_);
  std::int32_t status = GANTRY_SUCCESS;
  for (gantry_queue* const queue : std::exchange(all_, {})) {
    keep_failure(status, functions_.destroy(queue));
  }
  spare_.clear();
  return status;
}

namespace {

constinit thread_local bool thread_ends = false;

/// The calling thread's queues, one for each device that it has used.
struct QueuesOfThread {
  struct Own {
    std::shared_ptr<ThreadQueues> of;
    gantry_queue* queue; ///< destroyed if `of` is closed
  };
  std::vector<Own> all;
  ~QueuesOfThread() {
    thread_ends = true;
    queue_used_last = {};
    for (const Own& own : all) {
      own.of->leave(own.queue);
    }
  }
};

} // namespace

gantry_queue* QueueOfThread::find(const std::shared_ptr<ThreadQueues>& queues) {
  gantry_queue* queue = nullptr;
  if (thread_ends) {
    // An exit handler, or a destructor that comes later than those of this thread's objects.
    code_ = queues->take(queue);
    borrowed_ = code_ == GANTRY_SUCCESS ? queues.get() : nullptr;
    return queue;
  }
  thread_local QueuesOfThread own;
  queue_used_last = {}; // because the next line may free what it points to
  std::erase_if(own.all, [](const QueuesOfThread::Own& mine) { return mine.of->closed(); });
  const auto found = std::ranges::find(own.all, queues, &QueuesOfThread::Own::of);
  if (found != own.all.end()) {
    queue = found->queue;
  } else {
    code_ = queues->take(queue);
    if (code_ != GANTRY_SUCCESS) {
      return nullptr;
    }
    own.all.push_back({queues, queue});
  }
  queue_used_last = {queues.get(), queue};
  return queue;
}

} // namespace gantry::gpu
