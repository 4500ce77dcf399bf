// The common cases of the race check (race_checker.h) for many words at once: accesses that are
// ordered with what the cells say by a floor, or are by the same thread, or are more reads. They
// are decided, and noted, with a few comparisons of vectors; which lanes need more is the result.
//
// Between looking at cells and writing them nothing keeps other threads of the host away, because
// that would cost more than the rest. A race that is missed if two blocks come to a word within
// some nanoseconds is found with the next word of the row, or in the next launch.
#pragma once

#include "simt/races/cell.h"
#include "simt/races/grid_history.h"
#include "simt/races/lanes.h"
#include "simt/races/ordering.h"

#include <cstdint>

namespace gantry::simt {

/// What decides for a warp, by its block's time, in the form of cells.
struct WarpTime {
  std::uint64_t floor = 0;       ///< all below it is ordered
  std::uint64_t own = 0;         ///< the block's newest stamps begin there: …
  std::uint64_t own_ordered = 0; ///< … so many of them are ordered, …
  std::uint64_t own_all = 0;     ///< … of so many
  /// The stamps of the launch's blocks; none if some of this block's own are neither among them nor
  /// the newest.
  std::uint64_t launch = 0, launch_all = 0;
  std::uint64_t several = 0, several_blocks = 0; ///< what cells of reads become
  std::uint64_t thread_mask = Cell::kThreadMask; ///< of a cell's thread, what tells threads apart
  bool fine = false; ///< reads of several threads do not go into one cell
  /// In shared memory all but the newest stamps are of blocks before, or ordered.
  bool only_newest_count = false;
};

/// Of a block of the run. `in_step` as for Ordering::begin(); `fine`: AccessOrder::kFinely.
[[nodiscard]] WarpTime warp_time(const Ordering& ordering, const GridRun& run, bool fine,
                                 std::uint32_t in_step);

/// A weak access by lanes to consecutive words, or by one lane.
struct RowAccess {
  std::uint64_t* writes = nullptr; ///< the cells of the first word
  std::uint64_t* reads = nullptr;
  std::uint64_t first = 0;     ///< the cell of the first lane
  unsigned words = 1;          ///< of each lane: 1 or 2
  unsigned parts = 1;          ///< lanes of each word: 1, or 2 or 4 of a cell of that kind
  unsigned lanes = 0;          ///< from the first on
  LaneMask active = kAllLanes; ///< bit 0: the first lane
  bool is_store = false;
  bool shared = false; ///< memory of the block alone
};

/// Which of the active lanes have not been decided, and noted.
using RowCheck = LaneMask (*)(const WarpTime&, const RowAccess&);
[[nodiscard]] RowCheck row_check();

/// The same for one word: whether it was decided.
[[nodiscard]] bool check_word(const WarpTime& time, std::uint64_t* write, std::uint64_t* read,
                              std::uint64_t mine, bool is_store, bool shared);

/// The same for a load of one word by several lanes that are not one thread.
[[nodiscard]] bool check_word_of_all(const WarpTime& time, const std::uint64_t* write,
                                     std::uint64_t* read, std::uint64_t mine, bool shared);

} // namespace gantry::simt
