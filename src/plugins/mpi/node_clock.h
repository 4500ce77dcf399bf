// How far a node's clock is ahead of the program's, by a ping-pong. The node is asked for its time
// some times, and each answer is of a moment between question and answer: that leaves a range for
// the difference, as wide as the shortest round trip or less, whose middle it is taken to be.
// Clocks drift apart, by 50 millionths at most or so: the difference is measured again when it is
// asked for and the last answer is old.
#pragma once

#include <cstdint>
#include <mutex>

namespace gantry::mpi {

class Job;
class RemoteNode;

/// Any thread.
class NodeClock {
public:
  /// What is good for so long, in nanoseconds, is up to 12 microseconds off at its end.
  static constexpr std::uint64_t kGoodFor = 250'000'000;
  static constexpr int kRoundTrips = 10;

  /// In nanoseconds; measured by the caller if it is not known, or was measured too long ago. Of a
  /// node that is lost it is what it was.
  [[nodiscard]] std::int64_t ahead(Job& job, RemoteNode& node);

private:
  void measure(Job& job, RemoteNode& node);

  std::mutex mutex_; ///< held while a thread measures, for which the others wait
  bool is_known_ = false;
  std::uint64_t measured_ = 0; ///< when, by the program's clock
  std::int64_t ahead_ = 0;
};

} // namespace gantry::mpi
