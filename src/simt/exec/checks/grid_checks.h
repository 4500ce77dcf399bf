// What the checks of a launch's blocks share.
#pragma once

#include "simt/exec/blocks/block_watch.h"
#include "simt/exec/blocks/launch.h"
#include "simt/exec/checks/access_facts.h"
#include "simt/host/settings.h"
#include "simt/races/grid_history.h"

#include <memory>

namespace gantry::simt::exec {

class GridChecks : public GridWatch {
public:
  /// Of a launch that begins, and ends with this.
  GridChecks(const Launch& launch, const Checks& checks);
  ~GridChecks() override;

  [[nodiscard]] std::unique_ptr<BlockWatch> watch_block() override;

  [[nodiscard]] const Checks& checks() const { return checks_; }
  [[nodiscard]] const AccessFactsTable& facts() const { return *facts_; }
  [[nodiscard]] AccessOrder order() const { return order_; }
  /// Null if races are not looked for.
  [[nodiscard]] const std::shared_ptr<const GridRun>& run() const { return run_; }

private:
  Checks checks_;
  std::shared_ptr<const AccessFactsTable> facts_;
  AccessOrder order_ = AccessOrder::kNothing;
  std::shared_ptr<const GridRun> run_;
};

} // namespace gantry::simt::exec
