#include "simt/exec/checks/grid_checks.h"

#include "simt/exec/checks/block_checks.h"
#include "simt/exec/checks/check_report.h"

#include <algorithm>
#include <cstdio>
#include <mutex>

namespace gantry::simt::exec {

namespace {

/// Made at the first launch of one of the program's kernels.
std::shared_ptr<const AccessFactsTable> facts_of(ProgramState& program) {
  const std::lock_guard lock(program.kernels_mutex);
  if (!program.watched) {
    program.watched = std::make_shared<AccessFactsTable>(program.program);
  }
  return std::static_pointer_cast<const AccessFactsTable>(program.watched);
}

} // namespace

GridChecks::GridChecks(const Launch& launch, const Checks& checks)
    : checks_(checks), facts_(facts_of(*launch.program)) {
  if (!checks.race) {
    return;
  }
  order_ = facts_->order(launch.kernel);
  GridShape shape;
  std::copy_n(launch.shape.grid, 3, shape.blocks.begin());
  std::copy_n(launch.shape.block, 3, shape.threads.begin());
  shape.order = order_;
  shape.kernel = racing_kernel(facts_, launch.kernel);
  run_ = GridHistory::instance().begin(std::move(shape), launch.announced);
  if (run_ == nullptr) {
    checks_.race = false;
    std::fprintf(stderr, "gantry: warning: a launch has too many blocks to be checked for races\n");
  }
}

GridChecks::~GridChecks() {
  if (run_ != nullptr) {
    GridHistory::instance().end(*run_);
  }
}

std::unique_ptr<BlockWatch> GridChecks::watch_block() {
  return std::make_unique<BlockChecks>();
}

} // namespace gantry::simt::exec
