#include "plugins/mpi/node_clock.h"

#include "plugins/mpi/job.h"

#include <algorithm>

namespace gantry::mpi {

std::int64_t NodeClock::ahead(Job& job, RemoteNode& node) {
  const std::lock_guard lock(mutex_);
  if (!node.is_lost() && (!is_known_ || node.now() - measured_ > kGoodFor)) {
    measure(job, node);
  }
  return least_ + (most_ - least_) / 2;
}

void NodeClock::measure(Job& job, RemoteNode& node) {
  std::int64_t least = -kFar;
  std::int64_t most = kFar;
  for (int i = 0; i < kRoundTrips; ++i) {
    const std::uint64_t before = node.now();
    const std::uint32_t request = node.ask(Kind::kGetClock, 0, [](Record&) {});
    const Answer answer = job.answer_of(node, request);
    const std::uint64_t after = node.now();
    if (node.is_lost()) {
      return;
    }
    Reader values(answer.values);
    const auto there = values.get<std::uint64_t>();
    if (!values.is_at_end() || there > kLastTime) {
      node.lose("what it has told of its clock is damaged");
      return;
    }
    least = std::max(least, static_cast<std::int64_t>(there - after));
    most = std::min(most, static_cast<std::int64_t>(there - before));
  }
  // Where processors are busy, all round trips may be slow ones: then the old range is the better.
  const std::uint64_t now = node.now();
  const auto drift = static_cast<std::int64_t>((now - measured_) / kDriftsIn);
  if (is_known_ && least_ - drift <= most && least <= most_ + drift) {
    least = std::max(least, least_ - drift);
    most = std::min(most, most_ + drift);
  }
  least_ = least;
  most_ = most;
  measured_ = now;
  is_known_ = true;
}

} // namespace gantry::mpi
