// The threads of a node: the leader looks at the node again and again, and when it runs something
// that takes long, another thread becomes the leader, until it is done.
#pragma once

#include "plugins/mpi/node/node.h"
#include "plugins/mpi/pause.h"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace gantry::mpi {

class Loop final : public Workers {
public:
  Loop() = default;

  /// Works until the program has come to its end, when no thread is left if the node finalises().
  /// Otherwise, and when there is an error, threads may still be at work with the node and this, so
  /// that neither is to be destroyed.
  [[nodiscard]] Status work(Node& node);

  bool run(std::function<void()> work) override;

private:
  /// Who leads: a number that changes with the leader, and what it does.
  struct Lead {
    std::uint32_t term = 0;
    enum Is : std::uint32_t { kAtWork, kRunning, kAsleep } is = kAtWork;
  };
  /// As the leader, until this thread is it no more or all is done.
  void lead();
  /// Waits until this thread is the leader; false: all is done.
  bool follow();
  /// That the program is heard of, and that this process has run since `before`.
  Status look_for_silence(std::uint64_t& before) const;
  void start_follower();
  /// Makes this thread the leader if the leader runs something or sleeps.
  bool takes_over();
  /// Until `pause` says that it is time for the next look. False: another thread leads now.
  bool wait_a_little(Pause& pause);
  void end(Status outcome);

  Node* node_ = nullptr;
  std::atomic<std::uint64_t> told_{0}; ///< when the leader has said that it is there
  std::atomic<Lead> lead_{Lead()};
  std::atomic<int> followers_{0};
  std::atomic<std::uint64_t> usual_{0}; ///< what is run takes so long, in nanoseconds
  std::atomic<bool> is_asleep_{false};  ///< a follower waits to be told
  std::atomic<bool> is_over_{false};
  std::mutex mutex_; ///< of threads that sleep, and the outcome until all is done
  std::condition_variable changed_;
  std::atomic<bool> is_something_done_{false}; ///< by a thread that is the leader no more
  Status outcome_;
  std::vector<std::thread> threads_; ///< of the leader, until all is done
};

} // namespace gantry::mpi
