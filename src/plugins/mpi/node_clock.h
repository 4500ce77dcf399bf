// How far a node's clock is ahead of the program's, by a ping-pong. The node is asked for its time
// some times, and each answer is of a moment between question and answer: that leaves a range for
// the difference, no wider than the shortest round trip, whose middle it is taken to be. Clocks
// drift apart, so that the range grows with time, until the difference is asked for again.
#pragma once

#include <cstdint>
#include <limits>
#include <mutex>

namespace gantry::mpi {

class Job;
class RemoteNode;

/// Any thread.
class NodeClock {
public:
  static constexpr int kRoundTrips = 10;
  /// Nanoseconds after which it is measured again.
  static constexpr std::uint64_t kGoodFor = 250'000'000;
  /// Clocks drift apart by one nanosecond in so many, at most or so.
  static constexpr std::uint64_t kDriftsIn = 10'000;

  /// In nanoseconds; of a node that is lost it is anything.
  [[nodiscard]] std::int64_t ahead(Job& job, RemoteNode& node);

private:
  static constexpr std::int64_t kFar = std::numeric_limits<std::int64_t>::max() / 4;

  void measure(Job& job, RemoteNode& node);

  std::mutex mutex_; ///< held while a thread measures, for which the others wait
  bool is_known_ = false;
  std::uint64_t measured_ = 0; ///< when, by the program's clock
  std::int64_t least_ = -kFar; ///< the range, as it was then
  std::int64_t most_ = kFar;
};

} // namespace gantry::mpi
