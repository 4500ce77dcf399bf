// A cluster of blocks on one host thread. Its blocks take turns, and none of their places is used
// for anything else before all have ended, because they access each other's shared memory.
#pragma once

#include "simt/exec/blocks/cluster.h"
#include "simt/exec/engine/scheduler.h"

#include <memory>
#include <vector>

namespace gantry::simt::exec {

/// A block under way.
struct Resident {
  std::unique_ptr<BlockSlot> slot;
  std::unique_ptr<Scheduler> scheduler;
};

class ClusterRun {
public:
  /// By rank; their shared memory lies side by side.
  explicit ClusterRun(std::vector<Resident> blocks);
  ClusterRun(const ClusterRun&) = delete;
  ClusterRun& operator=(const ClusterRun&) = delete;

  [[nodiscard]] const std::vector<Resident>& blocks() const { return blocks_; }
  [[nodiscard]] Cluster& cluster() { return cluster_; }
  /// The blocks begin anew: Block::index and the warps' registers are set.
  void begin(void (*entry)(void*));
  /// Each block that has not ended has a turn. kEnded once all have, or the launch has failed.
  [[nodiscard]] Turn turn();

private:
  void fail_as_dead() const;

  std::vector<Resident> blocks_;
  std::vector<bool> ended_;
  Cluster cluster_;
  Patience patience_;
};

} // namespace gantry::simt::exec
