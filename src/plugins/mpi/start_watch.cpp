#include "plugins/mpi/start_watch.h"

#include "plugins/mpi/silence.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include <unistd.h>

namespace gantry::mpi {

StartWatch::StartWatch(std::string who, std::string mpi, std::uint64_t patience)
    : who_(std::move(who)), mpi_(std::move(mpi)), patience_(patience_of_start(patience)),
      thread_([this] { wait(); }) {}

StartWatch::~StartWatch() {
  {
    const std::lock_guard lock(mutex_);
    has_started_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void StartWatch::wait() const {
  const std::chrono::nanoseconds patience(patience_);
  std::unique_lock lock(mutex_);
  const auto has_started = [this] { return has_started_; };
  if (patience.count() == 0) {
    changed_.wait(lock, has_started);
    return;
  }
  if (!changed_.wait_for(lock, patience, has_started)) {
    std::fprintf(
        stderr,
        "%s: error: %s has not started for %lld s: a process of the job was ended, or does "
        "not start MPI; a program does with GANTRY_DEVICES=mpi in its environment\n",
        who_.c_str(), mpi_.c_str(),
        static_cast<long long>(std::chrono::duration_cast<std::chrono::seconds>(patience).count()));
    _exit(EXIT_FAILURE);
  }
}

} // namespace gantry::mpi
