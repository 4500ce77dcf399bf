#include "plugins/cpu/initial_threads.h"

#include "plugins/last_error.h"

#include <condition_variable>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <gantry/plugin.h>
#include <unistd.h>

namespace gantry::cpu {

namespace {

/// Never freed, as its thread does not end before the process.
class InitialThread {
public:
  /// Throws std::system_error if there is no thread.
  InitialThread() {
    std::thread([this] { serve(); }).detach();
  }

  std::int32_t run(const std::function<std::int32_t()>& work) {
    std::unique_lock lock(mutex_);
    work_ = &work;
    changed_.notify_all();
    changed_.wait(lock, [&] { return work_ == nullptr; });
    return code_ == GANTRY_SUCCESS ? code_ : plugins::set_error(code_, message_);
  }

private:
  [[noreturn]] void serve() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return work_ != nullptr; });
      lock.unlock();
      const std::int32_t code = (*work_)();
      lock.lock();
      code_ = code;
      message_ = plugins::last_error();
      work_ = nullptr;
      changed_.notify_all();
    }
  }

  std::mutex mutex_; ///< for all below
  std::condition_variable changed_;
  const std::function<std::int32_t()>* work_ = nullptr; ///< null: idle, or done
  std::int32_t code_ = GANTRY_SUCCESS;
  std::string message_;
};

struct Idle {
  std::mutex mutex;
  std::vector<InitialThread*> threads;
  pid_t process = 0; ///< that they are in
};

Idle& idle() {
  static auto* const all = new Idle; // kernels may run while the process ends
  return *all;
}

InitialThread* take() {
  Idle& all = idle();
  const std::lock_guard lock(all.mutex);
  if (const pid_t process = getpid(); process != all.process) {
    all.process = process;
    all.threads.clear(); // of the process that this one was forked from
  }
  if (all.threads.empty()) {
    return nullptr;
  }
  InitialThread* const last = all.threads.back();
  all.threads.pop_back();
  return last;
}

} // namespace

std::int32_t run_apart(const std::function<std::int32_t()>& work) {
  InitialThread* thread = take();
  try {
    thread = thread != nullptr ? thread : new InitialThread;
  } catch (const std::system_error& error) {
    return plugins::report(GANTRY_FAILURE, "no thread can be had for the kernel: {}", error.what());
  }
  const std::int32_t code = thread->run(work);
  Idle& all = idle();
  const std::lock_guard lock(all.mutex);
  all.threads.push_back(thread);
  return code;
}

} // namespace gantry::cpu
