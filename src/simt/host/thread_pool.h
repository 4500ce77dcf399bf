// The host threads that run blocks, shared by all launches under way.
#pragma once

#include <functional>
#include <memory>

namespace gantry::simt {

class ThreadPool {
public:
  /// The process's pool. Its threads start at the first run() that needs them and are never joined:
  /// a process may end while they wait. After fork() the child has none and gets new ones.
  [[nodiscard]] static ThreadPool& instance();
  [[nodiscard]] static unsigned cores();

  /// Calls work(0) on this thread and offers work(1) … work(count - 1) to the pool's threads. When
  /// work(0) has returned, withdraws the calls that no thread has begun and waits for the others.
  /// Then throws the first exception of a call, if there was one. Any thread; calls do not nest.
  void run(unsigned count, const std::function<void(unsigned)>& work);

private:
  ThreadPool();
  struct State;
  State* state_;
};

} // namespace gantry::simt
