// Which launch and which block a stamp is of, and which launches happen before which: what the race
// check has of the launches of the process.
//
// A launch takes stamps for all its blocks when it begins, in the order of the blocks, and one that
// stands for the launch; a block that orders its threads more often than that takes more. While no
// launch is under way nothing need be remembered, because all launches before happen before all later
// ones.
#pragma once

#include "simt/exec/checks/access_facts.h"
#include "simt/exec/checks/cell.h"
#include "simt/exec/checks/ordering.h"
#include "simt/exec/checks/sync_log.h"
#include "simt/exec/checks/word_history.h"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

namespace gantry::simt::exec {

/// What a launch is, for the reports of others that race with it.
struct GridShape {
  std::uint32_t kernel = 0; ///< in Program::functions
  std::array<std::uint32_t, 3> blocks = {1, 1, 1};
  std::array<std::uint32_t, 3> threads = {1, 1, 1};
  std::shared_ptr<const AccessFactsTable> facts;
};

/// A launch with stamps. Constant while it is under way.
struct GridRun {
  GridShape shape;
  std::uint64_t number = 0; ///< in order of their beginnings
  StampRange stamps;        ///< of all its blocks at first, and of itself
  std::uint32_t stride = 0; ///< stamps of a block
  /// Stands for the launch, and for no time of a block.
  [[nodiscard]] Stamp own_stamp() const { return stamps.end - 1; }
  [[nodiscard]] StampRange of_block(std::uint64_t block) const {
    const Stamp begin = stamps.begin + static_cast<Stamp>(block) * stride;
    return {begin, begin + stride};
  }
  /// All accesses with stamps below it happen before this launch.
  Stamp floor = 0;
  /// Of launches that began before, those that do not happen before it.
  std::set<std::uint64_t> beside;
};

class GridHistory {
public:
  /// The process's.
  [[nodiscard]] static GridHistory& instance();

  /// A launch begins. Null if the numbers are used up by launches that have not ended: then it is not
  /// checked.
  [[nodiscard]] std::shared_ptr<const GridRun> begin(GridShape shape);
  void end(const GridRun& run);
  /// At least so many stamps for a block, by the first one that it has.
  [[nodiscard]] StampRange more(const GridRun& run, Stamp block, std::uint32_t least);

  struct Owner {
    std::shared_ptr<const GridRun> run;
    Stamp block = 0;         ///< the block's first stamp; the launch's own one stands for no block
    std::uint64_t index = 0; ///< of the block in its grid
  };
  /// Nothing if all launches of that time are over.
  [[nodiscard]] std::optional<Owner> owner_of(Stamp stamp) const;
  [[nodiscard]] static bool is_before(const GridRun& earlier, const GridRun& later) {
    return earlier.number < later.number && !later.beside.contains(earlier.number);
  }

  [[nodiscard]] SyncLogs& logs() { return logs_; }
  [[nodiscard]] WordHistories& words() { return words_; }

private:
  struct Range {
    Stamp end = 0;
    std::shared_ptr<const GridRun> run;
    std::optional<Stamp> block; ///< nothing: the launch's blocks
  };
  [[nodiscard]] std::optional<StampRange> take(std::uint64_t count);
  void forget_all();

  mutable std::mutex mutex_;
  std::uint64_t next_ = 1;  ///< stamp
  std::uint64_t runs_ = 0;
  std::map<std::uint64_t, std::shared_ptr<const GridRun>> running_; ///< by number
  std::map<Stamp, Range> ranges_;                                   ///< by first stamp
  SyncLogs logs_;
  WordHistories words_;
};

} // namespace gantry::simt::exec
