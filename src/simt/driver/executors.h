// The driver's own threads, which run what is in streams. They start when the first operation is
// appended and are as many as streams run at once: a stream never waits for a thread, so host
// functions of two streams may wait for each other. A thread that has had nothing to do for long
// ends, except for the last one.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>

namespace gantry::simt::driver {

class Stream;

class Executors {
public:
  /// Lives as long as the process.
  [[nodiscard]] static Executors& instance();

  /// Has the stream's run_queued() called soon. Does not wake a thread where one is awake to see
  /// it.
  void submit(std::shared_ptr<Stream> stream);
  /// A thread waits for what it cannot do itself.
  void hurry();

  Executors(const Executors&) = delete;
  Executors& operator=(const Executors&) = delete;

private:
  Executors() = default;
  void work();
  bool nap(std::unique_lock<std::mutex>& lock);
  bool start_thread();
  [[nodiscard]] std::shared_ptr<Stream> take();

  std::mutex mutex_;
  std::condition_variable wake_;
  std::shared_ptr<Stream> first_; ///< linked by Stream::next_ready_
  Stream* last_ = nullptr;
  std::atomic<std::uint32_t> ready_ = 0; ///< streams in the list
  std::uint32_t spinning_ = 0;
  std::uint32_t napping_ = 0; ///< asleep, but they look by themselves
  std::uint32_t sleeping_ = 0;
  std::uint32_t wakeups_ = 0; ///< sleeping threads that are told to wake and have not yet
};

} // namespace gantry::simt::driver
