// Finds data races of a block's threads, with each other and with those of other blocks and
// launches: two accesses to the same bytes, one of them a write, of which neither happens before
// the other (ordering.h) and not both are strong (PTX ISA 9.0, 8.7). Within a block the result does
// not depend on the order in which the warps ran, as long as they execute the same instructions.
//
// For each word there is a cell of the last write and one of the reads since (cell.h). Mostly they
// decide with a comparison: all that happened is ordered by the launch's or the block's floor, or
// by the same thread. That is done for whole warps at once (warp_cells.h); here is the whole rule,
// for a word. What two cells cannot say goes into the word's history (word_history.h).
//
// Blocks on several host threads access a word's cells at once. Each looks for what conflicts,
// notes its own access, and looks again: of two accesses at the same time at least one sees the
// other.
//
// Writes of a warp's lanes by one instruction do not race with each other: one of them wins. Of
// strong writes only the last one is known. Global memory of programs for targets before sm_70 is
// left to the caller to leave out, because they do not mark strong accesses.
#pragma once

#include "simt/memory/access_cells.h"
#include "simt/races/access.h"
#include "simt/races/cell.h"
#include "simt/races/grid_history.h"
#include "simt/races/ordering.h"
#include "simt/races/word_history.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

namespace gantry::simt {

/// The access that another one races with.
struct Race {
  Cell other;
  bool wrote = false;
};

/// An access by a thread; its number in the block.
struct ThreadAccess {
  std::uint32_t thread = 0;
  std::uint64_t address = 0;
  std::uint32_t size = 0;
  AccessFacts facts;
  std::uint32_t site = 0; ///< the number that the kernel's RacingKernel knows
};

class RaceChecker {
public:
  /// All outlive this.
  RaceChecker(const Ordering& ordering, GridHistory& history, AccessCells& cells)
      : ordering_(&ordering), history_(&history), cells_(&cells) {}

  /// A block of the launch begins, whose shared memory is [shared, shared + size): nothing there
  /// has been accessed. `order` is what orders the threads of the kernel.
  void begin(std::shared_ptr<const GridRun> run, AccessOrder order, std::uint64_t shared,
             std::uint64_t shared_size);
  /// Forgets all accesses to [address, address + size).
  void forget(std::uint64_t address, std::uint64_t size);

  /// Returns the first access found that it races with.
  [[nodiscard]] std::optional<Race> access(const ThreadAccess& access);
  /// A load of one address by several threads, of which two are given.
  [[nodiscard]] std::optional<Race> access_by_several(const ThreadAccess& access,
                                                      std::uint32_t other_thread);

  /// The last write to a byte, if one is known.
  [[nodiscard]] Cell last_write(std::uint64_t address);

  [[nodiscard]] const GridRun& run() const { return *run_; }
  [[nodiscard]] bool is_shared(std::uint64_t address) const {
    return address - shared_ < shared_size_;
  }
  [[nodiscard]] bool is_fine() const { return fine_; }

private:
  /// What happens to a word.
  struct WordAccess {
    std::uint32_t thread = 0;
    std::uint32_t also = 0; ///< another thread that accesses it at once
    AccessFacts facts;
    Cell cell; ///< that it leaves
    bool shared = false;
    std::uint64_t address = 0;
  };

  [[nodiscard]] CellKind kind_of(const AccessFacts& facts) const;
  [[nodiscard]] std::optional<Race> access_words(const ThreadAccess& access, CellKind kind,
                                                 std::uint32_t also);
  [[nodiscard]] std::optional<Race> access_word(std::uint64_t word, std::uint32_t bytes,
                                                const WordAccess& access);
  [[nodiscard]] bool is_before(Cell cell, const WordAccess& access) const;
  [[nodiscard]] bool of_block(Cell cell) const { return ordering_->owns(cell.stamp()); }
  [[nodiscard]] bool is_stale(Cell cell, bool shared) const;
  [[nodiscard]] bool is_of_parts(Cell cell, const WordAccess& access) const;
  [[nodiscard]] bool conflicts(Cell cell, const WordAccess& access) const;
  [[nodiscard]] std::optional<Cell> after_read(Cell reads, const WordAccess& access) const;
  [[nodiscard]] bool is_current_list(Cell cell, bool shared) const;
  [[nodiscard]] Cell list_cell(bool shared) const;
  [[nodiscard]] bool is_known_read(std::uint64_t word, std::uint32_t bytes,
                                   const WordAccess& access);
  [[nodiscard]] std::optional<Race> access_history(std::uint64_t word, std::uint32_t bytes,
                                                   const WordAccess& access, bool has_cells);
  void move_cells(std::uint64_t word, WordHistory& history, const WordAccess& access);
  [[nodiscard]] std::optional<Race> access_record(AccessRecord& record, const WordAccess& access);
  void add_read(AccessRecord& record, const WordAccess& access) const;
  [[nodiscard]] WordHistories::Shard& shard_of(std::uint64_t word, bool shared) {
    return shared ? in_shared_ : history_->words().shard_of(word);
  }

  const Ordering* ordering_;
  GridHistory* history_;
  AccessCells* cells_;
  std::shared_ptr<const GridRun> run_;
  bool fine_ = false;
  std::uint64_t shared_ = 0, shared_size_ = 0;
  WordHistories::Shard in_shared_; ///< of the block's shared memory

  /// Weak reads that are in their word's history: another one by the thread at the same time adds
  /// nothing, unless the thread has written there in between.
  struct KnownRead {
    std::uint64_t word = 0;
    std::uint64_t time_and_thread = 0;
    friend bool operator==(const KnownRead&, const KnownRead&) = default;
  };
  std::array<KnownRead, 1024> known_reads_;
};

} // namespace gantry::simt
