#include "simt/exec/code/improver.h"

#include "simt/exec/code/compiler_library.h"

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <fmt/format.h>
#include <mutex>
#include <pthread.h>
#include <set>
#include <string>
#include <tuple>
#include <unistd.h>

namespace gantry::simt::exec {

namespace {

/// How long the end of a process waits for code, which further processes then find in the cache.
constexpr auto kLong = std::chrono::seconds(2);

struct Job {
  std::shared_ptr<ProgramCode> program;
  std::uint32_t function;
  Geometry geometry;
};
using JobName = std::tuple<const ProgramCode*, std::uint32_t, Geometry>;

JobName name_of(const Job& job) {
  return {job.program.get(), job.function, job.geometry};
}

} // namespace

struct Improver::State {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Job> jobs;
  std::set<JobName> known; ///< waiting, or under way
  bool busy = false;
  std::string current; ///< the function, while busy
  bool stopped = false;
  bool given_up = false; ///< the job under way
  bool started = false;

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
      current = job.program->name(job.function);
      lock.unlock();
      job.program->improve(job.function, job.geometry, &end_if_given_up);
      const JobName name = name_of(job);
      job.program.reset();
      lock.lock();
      known.erase(name);
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
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, kCompilerStack);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_t thread = {};
    const int failed = pthread_create(
        &thread, &attributes,
        [](void* state) -> void* {
          static_cast<State*>(state)->work();
          return nullptr;
        },
        this);
    pthread_attr_destroy(&attributes);
    return failed == 0;
  }
};

Improver::Improver() : state_(new State) {}

// Never destroyed: its thread may outlive everything else.
Improver& Improver::instance() {
  static std::mutex mutex;
  static Improver* improver = nullptr;
  static pid_t process = 0;
  const std::lock_guard lock(mutex);
  if (improver == nullptr || process != getpid()) {
    improver = new Improver;
    process = getpid();
  }
  return *improver;
}

void Improver::improve(std::shared_ptr<ProgramCode> program, std::uint32_t function,
                       Geometry geometry) {
  Job job{std::move(program), function, geometry};
  const std::lock_guard lock(state_->mutex);
  if (state_->stopped || !state_->known.insert(name_of(job)).second) {
    return;
  }
  if (!state_->started) {
    if (!state_->start()) {
      state_->stopped = true; // there is no thread for it: what is quick stays
      return;
    }
    state_->started = true;
  }
  state_->jobs.push_back(std::move(job));
  state_->changed.notify_all();
}

void Improver::stop() {
  std::deque<Job> dropped;
  std::unique_lock lock(state_->mutex);
  state_->stopped = true;
  dropped.swap(state_->jobs);
  state_->changed.notify_all();
  const auto is_idle = [&] { return !state_->busy; };
  if (state_->changed.wait_for(lock, kLong, is_idle)) {
    return;
  }
  fmt::print(stderr,
             "gantry: info: the process ends before there is optimised code of '{}'; "
             "GANTRY_SIMT_CODE=optimised makes it first\n",
             state_->current);
  state_->given_up = true;
  state_->changed.wait(lock, is_idle);
}

} // namespace gantry::simt::exec
