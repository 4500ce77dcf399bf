// The job that the program is part of: its nodes, and who takes in what they say.
//
// Threads that wait take turns to receive. A thread of the job's own sends what nobody else does,
// goes on with transfers, and notices nodes that are not heard of any more.
#pragma once

#include "plugins/mpi/images.h"
#include "plugins/mpi/library.h"
#include "plugins/mpi/pause.h"
#include "plugins/mpi/remote_node.h"
#include "plugins/mpi/transport.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace gantry::mpi {

/// Any thread.
class Job {
public:
  /// Starts MPI, meets the nodes and keeps the job, or why there is none, for current(). Once, at
  /// the program's start, by one thread.
  static void start();
  /// Tells the nodes that the program ends, and ends MPI.
  static void end();
  /// The job; the error is a sentence that says what to do.
  [[nodiscard]] static Result<Job*> current();

  /// Makes `job` the process's, or nothing.
  static void adopt(Job* job);

  /// A job of these processes; `patience` as in silence.h. Without a thread, whoever waits does
  /// all: for tests.
  Job(std::unique_ptr<Transport> transport, std::vector<std::unique_ptr<RemoteNode>> nodes,
      std::uint64_t patience, bool with_thread = true);
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;
  ~Job() = default; ///< after leave()

  [[nodiscard]] const std::vector<std::unique_ptr<RemoteNode>>& nodes() const { return nodes_; }

  /// The program's number among the job's processes.
  [[nodiscard]] int self() const { return self_; }
  [[nodiscard]] Images& images() { return images_; }
  /// Numbers for images on devices, and for transfers between nodes.
  [[nodiscard]] std::uint32_t next_image() { return next_image_.fetch_add(1); }
  [[nodiscard]] std::uint32_t next_transfers(const CopyFacts& copy) {
    return next_transfer_.fetch_add(static_cast<std::uint32_t>(copy.pieces()));
  }

  /// Waits until `is_done` says so; false: the node is lost.
  template <typename IsDone>
  bool wait(const RemoteNode& node, IsDone is_done) {
    for (Pause pause(kLongestPause);; pause.once()) {
      const bool has_changed = poll();
      if (is_done()) {
        return true;
      }
      if (node.is_lost()) {
        return false;
      }
      if (has_changed || node.has_transfers()) {
        pause.begin_again(); // transfers go on while the transport is called
      }
    }
  }
  /// Tells the nodes that the program ends; from then on all are lost. False if some were before.
  bool leave();

  /// The answer to a request.
  [[nodiscard]] Answer answer_of(RemoteNode& node, std::uint32_t request);

  /// The program has come to its end: other threads are to begin nothing, for which a node that has
  /// said its last word would be waited for.
  [[nodiscard]] bool is_ending() const { return is_ending_.load(std::memory_order_relaxed); }

  /// How many nodes are lost.
  [[nodiscard]] std::uint64_t lost_nodes() const;

  /// Takes in what has come, unless another thread does; true: there was something.
  bool poll();
  /// The job's thread is to look more often for a while: somebody waits without being here.
  void expect_something();

private:
  static constexpr std::chrono::microseconds kLongestPause{500};

  void work();
  void say_that_it_is_there();
  void look_for_silence(std::uint64_t now, std::uint64_t& looked);
  void lose_all(const Error& error);
  void tell_of_loss(const RemoteNode& lost);

  std::unique_ptr<Transport> transport_;
  std::unique_ptr<Transport> abandoned_; ///< something may be under way in it for ever
  const int self_;
  std::vector<std::unique_ptr<RemoteNode>> nodes_;
  std::vector<RemoteNode*> by_process_;
  Images images_{*this};
  std::atomic<std::uint32_t> next_image_{0};
  std::atomic<std::uint32_t> next_transfer_{0};
  std::mutex receiving_; ///< of whoever receives
  std::atomic<std::uint64_t> polled_{0};
  std::atomic<std::uint64_t> expected_until_{0};
  const std::uint64_t patience_;
  std::atomic<bool> is_ending_{false};
  std::thread thread_;
};

} // namespace gantry::mpi
