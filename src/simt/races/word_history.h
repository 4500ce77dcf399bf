// The history of a word where two cells (cell.h) do not say enough: its bytes are accessed one by
// one, or several threads that are not ordered have read it, in a kernel that orders threads by
// more than full barriers.
#pragma once

#include "simt/races/cell.h"

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace gantry::simt {

/// What has happened to a word, or to a byte.
struct AccessRecord {
  /// Reads kept of each. A write that is not ordered with one of so many readers is hardly ordered
  /// with the ones that are kept.
  static constexpr std::size_t kReadsKept = 64;

  Cell write;
  std::vector<Cell> reads; ///< since; without weak ones that happen before a later weak one
};

struct WordHistory {
  AccessRecord whole;
  std::unique_ptr<std::array<AccessRecord, 4>> bytes; ///< null: all bytes are as `whole` says

  /// From now on each byte has its own.
  void split() {
    if (!bytes) {
      bytes = std::make_unique<std::array<AccessRecord, 4>>();
      bytes->fill(whole);
      whole = {};
    }
  }
};

/// Histories by address. Words of one shard share a lock.
class WordHistories {
public:
  struct Shard {
    std::mutex mutex;
    std::unordered_map<std::uint64_t, WordHistory> words; ///< by address
  };
  [[nodiscard]] Shard& shard_of(std::uint64_t word) { return shards_[word / 4 % shards_.size()]; }
  /// While nobody has one.
  void clear() {
    for (Shard& shard : shards_) {
      shard.words.clear();
    }
  }

private:
  std::array<Shard, 64> shards_;
};

} // namespace gantry::simt
