#include "plugins/cuda/queues_of_thread.h"

#include <algorithm>
#include <mutex>
#include <vector>

namespace gantry::cuda {

namespace {

/// The queues that no thread has. Never freed: kernels may run while the process ends.
struct Spare {
  std::mutex mutex;
  std::vector<gantry_queue*> queues;
};

Spare& spare() {
  static auto* const all = new Spare;
  return *all;
}

/// More are of no use: another thread has its own by the time that it needs one.
constexpr std::size_t kMostSpare = 16;

/// Nothing is left to be done in the queue.
void leave(gantry_queue* queue) {
  {
    Spare& all = spare();
    const std::lock_guard lock(all.mutex);
    if (all.queues.size() < kMostSpare) {
      all.queues.push_back(queue);
      return;
    }
  }
  __tgt_rtl_destroy_queue(queue);
}

/// A queue of the device that no thread has, or a new one.
std::int32_t take(std::int32_t device, gantry_queue*& queue) {
  {
    Spare& all = spare();
    const std::lock_guard lock(all.mutex);
    const auto found = std::ranges::find_if(
        all.queues, [&](const gantry_queue* other) { return other->device.index == device; });
    if (found != all.queues.end()) {
      queue = *found;
      all.queues.erase(found);
      return GANTRY_SUCCESS;
    }
  }
  return __tgt_rtl_create_queue(device, &queue);
}

constinit thread_local bool thread_ends = false;

/// The calling thread's queues, one for each device that it has used.
struct QueuesOfThread {
  std::vector<gantry_queue*> all;
  ~QueuesOfThread() {
    thread_ends = true;
    queue_used_last = nullptr;
    std::ranges::for_each(all, leave);
  }
};

} // namespace

gantry_queue* QueueOfThread::find(std::int32_t device) {
  gantry_queue* queue = nullptr;
  if (thread_ends) {
    // An exit handler, or a destructor that comes later than those of this thread's objects.
    code_ = take(device, queue);
    borrowed_ = code_ == GANTRY_SUCCESS;
    return queue;
  }
  thread_local QueuesOfThread own;
  const auto found = std::ranges::find_if(
      own.all, [&](const gantry_queue* mine) { return mine->device.index == device; });
  if (found != own.all.end()) {
    queue = *found;
  } else {
    code_ = take(device, queue);
    if (code_ != GANTRY_SUCCESS) {
      return nullptr;
    }
    own.all.push_back(queue);
  }
  queue_used_last = queue;
  return queue;
}

void QueueOfThread::give_back() const {
  leave(queue_);
}

} // namespace gantry::cuda
