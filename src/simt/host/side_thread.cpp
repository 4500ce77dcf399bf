#include "simt/host/side_thread.h"

#include "simt/host/thread_with_stack.h"

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <fmt/format.h>
#include <mutex>
#include <pthread.h>
#include <unistd.h>
#include <utility>

namespace gantry::simt {

namespace {

/// How long the end of a process waits for code.
constexpr auto kLong = std::chrono::seconds(2);

/// Of the process's first thread, whose exit() destroys this before it runs any handler.
struct StopWithThread {
  const char* hint;
  explicit StopWithThread(const char* hint) : hint(hint) {}
  ~StopWithThread() {
    if (gettid() == getpid()) {
      SideThread::instance().stop(hint);
    }
  }
  StopWithThread(const StopWithThread&) = delete;
  StopWithThread& operator=(const StopWithThread&) = delete;
};

} // namespace

struct SideThread::State {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Job> jobs;
  bool busy = false;
  std::string current; ///< the job's name, while busy
  bool stopped = false;
  bool given_up = false; ///< the job under way
  bool started = false;
  const std::function<void()> body = [this] { work(); }; ///< of the thread

  void work() {
    std::unique_lock lock(mutex);
    for (;;) {
      changed.wait(lock, [&] { return stopped || !jobs.empty(); });
      if (stopped) {
        return;
      }
      Job job = std::move(jobs.front());
      jobs.pop_front();
      busy = true;
      current = job.name;
      lock.unlock();
      job.work(&end_if_given_up);
      job.work = nullptr; // what it refers to may end with it
      lock.lock();
      busy = false;
      changed.notify_all();
    }
  }

  /// Keeps a job that has been given up, and with it this thread, where it stands between two
  /// passes: LLVM cannot be left otherwise without losing what it has allocated.
  static void end_if_given_up() {
    State& state = *instance().state_;
    std::unique_lock lock(state.mutex);
    if (state.given_up) {
      state.busy = false;
      state.changed.notify_all();
      state.changed.wait(lock, [] { return false; });
    }
  }

  bool start() {
    pthread_t thread = {};
    return start_thread(kCompilerStack, body, thread) == 0 && pthread_detach(thread) == 0;
  }
};

SideThread::SideThread() : state_(new State) {}

// Never destroyed: its thread may outlive everything else.
SideThread& SideThread::instance() {
  static std::mutex mutex;
  static SideThread* thread = nullptr;
  static pid_t process = 0;
  const std::lock_guard lock(mutex);
  if (thread == nullptr || process != getpid()) {
    thread = new SideThread;
    process = getpid();
  }
  return *thread;
}

bool SideThread::put(Job job) {
  const std::lock_guard lock(state_->mutex);
  if (state_->stopped) {
    return false;
  }
  if (!state_->started) {
    if (!state_->start()) {
      state_->stopped = true; // there is no thread for it: code stays as it is
      return false;
    }
    state_->started = true;
  }
  state_->jobs.push_back(std::move(job));
  state_->changed.notify_all();
  return true;
}

void SideThread::stop(const char* hint) {
  std::deque<Job> dropped;
  std::unique_lock lock(state_->mutex);
  state_->stopped = true;
  dropped.swap(state_->jobs);
  state_->changed.notify_all();
  const auto is_idle = [&] { return !state_->busy; };
  if (hint != nullptr) {
    if (state_->changed.wait_for(lock, kLong, is_idle)) {
      return;
    }
    fmt::print(stderr, "gantry: info: the process ends before there is optimised code of '{}'{}\n",
               state_->current, hint);
  }
  state_->given_up = true;
  state_->changed.wait(lock, is_idle);
}

void SideThread::stop_with_this_thread(const char* hint) {
  static thread_local const StopWithThread guard(hint);
  (void)guard;
}

} // namespace gantry::simt
