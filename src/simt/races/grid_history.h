// Which launch and which block a stamp is of, and which launches happen before which: what the race
// check has of the launches of the process.
//
// A launch takes stamps for all its blocks when it begins, in the order of the blocks, and one that
// stands for the launch; a block that orders its threads more often than that takes more.
//
// A launch happens before a later one if it had ended when the later one was asked for, whatever
// the program waited for, or if their queues order them. Both are known when the later one is asked
// for (announced). So what is reported is no accident of when the launches ran, and a program that
// waits by some means that is not seen here is never blamed. Launches that have ended are
// remembered as long as one is announced that they do not happen before.
#pragma once

#include "simt/races/access.h"
#include "simt/races/cell.h"
#include "simt/races/ordering.h"
#include "simt/races/sync_log.h"
#include "simt/races/word_history.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace gantry::simt {

/// A kernel, for the reports of others that race with it. Any thread.
class RacingKernel {
public:
  RacingKernel() = default;
  virtual ~RacingKernel() = default;
  RacingKernel(const RacingKernel&) = delete;
  RacingKernel& operator=(const RacingKernel&) = delete;

  [[nodiscard]] virtual std::string name() const = 0;
  /// Of an instruction, by the number that cells have: "sum.cu:9", or what else is short.
  [[nodiscard]] virtual std::string source(std::uint32_t site) const = 0;
  /// Likewise with all that is known: "sum.cu:9, PTX line 33 of a.ptx: st.shared.u32 [%r1], %r2;".
  [[nodiscard]] virtual std::string position(std::uint32_t site) const = 0;
};

/// What a launch is.
struct GridShape {
  std::array<std::uint32_t, 3> blocks = {1, 1, 1};
  std::array<std::uint32_t, 3> threads = {1, 1, 1};
  AccessOrder order = AccessOrder::kNothing;
  std::shared_ptr<const RacingKernel> kernel;
};

/// A launch with stamps. Constant once it has begun.
struct GridRun {
  GridShape shape;
  std::uint64_t number = 0; ///< in the order in which launches were asked for
  StampRange stamps;        ///< of all its blocks at first, and of itself
  std::uint32_t stride = 0; ///< stamps of a block
  /// Stands for the launch, and for no time of a block.
  [[nodiscard]] Stamp own_stamp() const { return stamps.end - 1; }
  [[nodiscard]] StampRange of_block(std::uint64_t block) const {
    const Stamp begin = stamps.begin + static_cast<Stamp>(block) * stride;
    return {begin, begin + stride};
  }
  /// The block that one of these stamps is of, unless it is the launch's own.
  [[nodiscard]] std::uint64_t block_at(Stamp stamp) const {
    return (stamp - stamps.begin) / stride;
  }
  /// All accesses with stamps below it happen before this launch.
  Stamp floor = 0;
  /// Of launches that were asked for before, those that do not happen before it.
  std::set<std::uint64_t> beside;

  [[nodiscard]] bool is_before(const GridRun& later) const {
    return number < later.number && !later.beside.contains(number);
  }
};

/// Where a launch stands in the queue that executes it.
struct LaunchPlace {
  std::uint64_t queue = 0;
  std::uint64_t sequence = 0;
};

class GridHistory {
public:
  /// The process's.
  [[nodiscard]] static GridHistory& instance();

  /// A launch is asked for; a number for begin() or withdraw(). `is_after` says whether what is put
  /// into its queue now happens after a place of another queue.
  using IsAfter = std::function<bool(const LaunchPlace&)>;
  [[nodiscard]] std::uint64_t announce(const LaunchPlace& place, const IsAfter& is_after);
  /// It will not begin, unless it has.
  void withdraw(std::uint64_t number);
  /// Counts the launches that were asked for.
  [[nodiscard]] std::uint64_t announced() const {
    return announced_.load(std::memory_order_relaxed);
  }

  /// A launch begins. With the number 0 it is asked for only now, and its queue is not known: it is
  /// taken for ordered with all but those of that kind that are under way. Null if the stamps are
  /// used up by launches that have not ended: then it is not checked.
  [[nodiscard]] std::shared_ptr<const GridRun> begin(GridShape shape, std::uint64_t number = 0);
  void end(const GridRun& run);
  /// At least so many stamps for a block, by the first one that it has.
  [[nodiscard]] StampRange more(const GridRun& run, Stamp block, std::uint32_t least);

  struct Owner {
    std::shared_ptr<const GridRun> run;
    Stamp block = 0;         ///< the block's first stamp; the launch's own one stands for no block
    std::uint64_t index = 0; ///< of the block in its grid
  };
  /// Nothing if all launches of that time happen before those that have not ended.
  [[nodiscard]] std::optional<Owner> owner_of(Stamp stamp) const;

  [[nodiscard]] SyncLogs& logs() { return logs_; }
  [[nodiscard]] WordHistories& words() { return words_; }

private:
  struct Range {
    Stamp end = 0;
    std::shared_ptr<const GridRun> run;
    std::optional<Stamp> block; ///< nothing: the launch's blocks
  };
  struct Launch {
    std::shared_ptr<GridRun> run;
    std::optional<LaunchPlace> place;
    bool has_begun = false, has_ended = false;
  };
  [[nodiscard]] static bool are_ordered(const GridRun& a, const GridRun& b) {
    return a.is_before(b) || b.is_before(a);
  }
  Launch& add(const std::optional<LaunchPlace>& place, const IsAfter& is_after);
  [[nodiscard]] std::optional<StampRange> take(std::uint64_t count);
  void forget_ended();
  void forget_all();

  mutable std::mutex mutex_;
  std::uint64_t next_ = 1; ///< stamp
  std::atomic<std::uint64_t> announced_ = 0;
  std::map<std::uint64_t, Launch> launches_; ///< by number
  std::map<Stamp, Range> ranges_;            ///< by first stamp
  SyncLogs logs_;
  WordHistories words_;
};

} // namespace gantry::simt
