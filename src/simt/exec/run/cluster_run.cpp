#include "simt/exec/run/cluster_run.h"

#include <utility>

namespace gantry::simt::exec {

ClusterRun::ClusterRun(std::vector<Resident> blocks) : blocks_(std::move(blocks)) {}

void ClusterRun::begin(void (*entry)(void*)) {
  std::vector<Block*> all;
  for (const Resident& resident : blocks_) {
    Block& block = resident.slot->block;
    block.cluster = &cluster_;
    block.rank = static_cast<std::uint32_t>(all.size());
    block.scheduler = resident.scheduler.get();
    all.push_back(&block);
  }
  cluster_.begin(std::move(all));
  ended_.assign(blocks_.size(), false);
  patience_ = {};
  for (const Resident& resident : blocks_) {
    resident.scheduler->begin(*resident.slot, entry);
  }
}

Turn ClusterRun::turn() {
  const auto progress = [&] {
    std::uint64_t sum = 0;
    for (const Resident& resident : blocks_) {
      sum += resident.slot->block.progress;
    }
    return sum;
  };
  const std::uint64_t before = progress();
  bool all_ended = true;
  bool all_wait = true; // for each other
  bool in_vain = true;  // or ask for barriers
  for (std::size_t rank = 0; rank < blocks_.size(); ++rank) {
    if (ended_[rank]) {
      continue;
    }
    Scheduler& scheduler = *blocks_[rank].scheduler;
    const Turn turn = scheduler.turn();
    if (blocks_[rank].slot->block.launch->failed.load(std::memory_order_relaxed)) {
      return Turn::kEnded;
    }
    ended_[rank] = turn == Turn::kEnded;
    all_ended = all_ended && turn == Turn::kEnded;
    all_wait = all_wait && (turn == Turn::kWaiting || turn == Turn::kEnded);
    in_vain = in_vain && scheduler.all_wait();
  }
  if (all_ended) {
    return Turn::kEnded;
  }
  const bool advances = progress() != before;
  if (!advances && all_wait) {
    fail_as_dead();
    return Turn::kEnded;
  }
  if (patience_.is_over(!advances && in_vain)) {
    fail_as_dead();
    return Turn::kEnded;
  }
  return advances ? Turn::kProgress : Turn::kIdle;
}

void ClusterRun::fail_as_dead() const {
  std::vector<WaitingWarp> waiting;
  for (std::size_t rank = 0; rank < blocks_.size(); ++rank) {
    if (!ended_[rank]) {
      blocks_[rank].scheduler->list_waiting(waiting);
    }
  }
  blocks_.front().slot->block.launch->fail(deadlock_fault(waiting));
}

} // namespace gantry::simt::exec
