#include "simt/host/thread_pool.h"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <pthread.h>
#include <sched.h>
#include <system_error>
#include <thread>

namespace gantry::simt {

namespace {

/// A call of run(): work that threads may still begin, and how many are at it.
struct Offer {
  const std::function<void(unsigned)>* work;
  unsigned next;
  unsigned count;
  unsigned running = 0;
  std::exception_ptr thrown = nullptr; ///< the first that the work has thrown
};

std::exception_ptr call(const std::function<void(unsigned)>& work, unsigned index) noexcept {
  try {
    work(index);
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}

} // namespace

struct ThreadPool::State {
  std::mutex mutex;
  std::condition_variable offered;
  std::condition_variable returned;
  std::deque<Offer*> offers;
  unsigned threads = 0;

  void serve() {
    std::unique_lock lock(mutex);
    for (;;) {
      offered.wait(lock, [&] { return !offers.empty(); });
      Offer& offer = *offers.front();
      const unsigned index = offer.next++;
      ++offer.running;
      if (offer.next == offer.count) {
        offers.pop_front();
      }
      lock.unlock();
      std::exception_ptr thrown = call(*offer.work, index);
      lock.lock();
      if (offer.thrown == nullptr) {
        offer.thrown = std::move(thrown);
      }
      if (--offer.running == 0) {
        returned.notify_all();
      }
    }
  }
};

namespace {

// Replaced in a child process, because it does not have its parent's threads.
std::atomic<ThreadPool*> pool = nullptr;
std::mutex pool_mutex;

} // namespace

ThreadPool::ThreadPool() : state_(new State) {}

ThreadPool& ThreadPool::instance() {
  ThreadPool* found = pool.load(std::memory_order_acquire);
  if (found == nullptr) {
    const std::lock_guard lock(pool_mutex);
    found = pool.load(std::memory_order_relaxed);
    if (found == nullptr) {
      static const int registered =
          pthread_atfork(nullptr, nullptr, [] { pool.store(nullptr, std::memory_order_relaxed); });
      (void)registered;
      found = new ThreadPool;
      pool.store(found, std::memory_order_release);
    }
  }
  return *found;
}

unsigned ThreadPool::cores() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) {
    return static_cast<unsigned>(CPU_COUNT(&set));
  }
  return std::max(1U, std::thread::hardware_concurrency());
}

void ThreadPool::run(unsigned count, const std::function<void(unsigned)>& work) {
  if (count <= 1) {
    work(0);
    return;
  }
  Offer offer{&work, 1, count};
  {
    const std::lock_guard lock(state_->mutex);
    try {
      while (state_->threads < count - 1) {
        std::thread([state = state_] { state->serve(); }).detach();
        ++state_->threads;
      }
    } catch (const std::system_error&) {
      count = state_->threads + 1; // no more are to be had (ulimit -u): these do all the work
    }
    state_->offers.push_back(&offer);
  }
  for (unsigned i = 1; i < count; ++i) {
    state_->offered.notify_one();
  }
  const std::exception_ptr own = call(work, 0);
  std::unique_lock lock(state_->mutex);
  std::erase(state_->offers, &offer);
  state_->returned.wait(lock, [&] { return offer.running == 0; });
  lock.unlock();
  if (own != nullptr || offer.thrown != nullptr) {
    std::rethrow_exception(own != nullptr ? own : offer.thrown);
  }
}

} // namespace gantry::simt
