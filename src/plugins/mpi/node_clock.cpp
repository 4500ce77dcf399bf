#include "plugins/mpi/node_clock.h"

#include "plugins/mpi/job.h"

#include <algorithm>
#include <limits>

namespace gantry::mpi {

std::int64_t NodeClock::ahead(Job& job, RemoteNode& node) {
  const std::lock_guard lock(mutex_);
  if (!is_known_ || node.now() - measured_ > kGoodFor) {
    measure(job, node);
  }
  return ahead_;
}

void NodeClock::measure(Job& job, RemoteNode& node) {
  std::int64_t least = std::numeric_limits<std::int64_t>::min();
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
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
    measured_ = after;
  }
  ahead_ = least + (most - least) / 2;
  is_known_ = true;
}

} // namespace gantry::mpi
