// What the blocks of a launch tell each other by strong writes (release) and strong reads (acquire)
// of global memory: causality order between blocks (PTX ISA 9.0, 8.9).
//
// Vector clocks of all threads of a grid would be too large. Instead, each word that blocks
// synchronise by has a log of the releases there, and who acquires remembers how long it was. What
// a release tells includes all earlier ones of the log: a thread that reads the newest value has
// observed, through a chain of read-modify-writes, all before it. A plain strong store between two
// releases breaks that chain by the letter; here it does not, which can hide a race, and never
// reports a wrong one.
#pragma once

#include "simt/races/cell.h"
#include "simt/races/maxima.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

namespace gantry::simt {

/// Of the threads of one block: until when what they did happens before something.
class BlockClock {
public:
  /// Later than this for the threads of later().
  [[nodiscard]] Stamp all() const { return all_; }
  [[nodiscard]] Stamp of(std::uint32_t thread) const { return std::max(all_, later_.of(thread)); }
  [[nodiscard]] bool is_empty() const { return all_ == 0 && later_.entries().empty(); }

  void raise_all(Stamp to);
  void raise(std::uint32_t thread, Stamp to);
  void merge(const BlockClock& other);
  /// Takes the latest time of a thread for all, if there are more than `most` times.
  void shorten(std::size_t most);

private:
  Stamp all_ = 0;
  Maxima<std::uint32_t, Stamp> later_; ///< by thread
};

class SyncLog;

/// What somebody has acquired: of each log, how much.
class Acquisitions {
public:
  void add(SyncLog* log, std::uint32_t length) { lengths_.raise(log, length); }
  void merge(const Acquisitions& other) { lengths_.merge(other.lengths_); }
  [[nodiscard]] std::uint32_t length_of(const SyncLog* log) const { return lengths_.of(log); }
  [[nodiscard]] const std::vector<std::pair<SyncLog*, std::uint32_t>>& all() const {
    return lengths_.entries();
  }
  /// Stands for all threads of a block.
  static constexpr std::uint32_t kAllThreads = ~std::uint32_t{0};
  /// Whether they tell of a block's thread what it did at a time, directly or through what the
  /// releases had acquired.
  [[nodiscard]] bool cover(Stamp block, std::uint32_t thread, Stamp time) const;

private:
  Maxima<SyncLog*, std::uint32_t> lengths_; ///< by log
};

/// The releases through one word. Any thread.
class SyncLog {
public:
  /// A block, by its first stamp, releases; before the write takes effect.
  void append(Stamp block, const BlockClock& clock, const Acquisitions* acquired);
  [[nodiscard]] std::uint32_t length() const;
  /// Whether the first `length` releases tell of it, as in Acquisitions::cover; if not, adds what
  /// they had acquired to `further`.
  [[nodiscard]] bool covers(std::uint32_t length, Stamp block, std::uint32_t thread, Stamp time,
                            std::vector<std::pair<const SyncLog*, std::uint32_t>>& further) const;

private:
  struct Release {
    std::uint32_t position = 0;
    BlockClock clock; ///< with that of the block's releases before
  };
  /// Above it only the last release of each block is kept, as if it had been the first.
  static constexpr std::size_t kReleasesKept = 1 << 16;

  void shorten();

  mutable std::mutex mutex_;
  std::uint32_t length_ = 0;
  std::size_t kept_ = 0, most_ = kReleasesKept;
  std::unordered_map<Stamp, std::vector<Release>> by_block_;
  /// Of another log, what releases here had acquired: position, length there.
  std::unordered_map<SyncLog*, std::vector<std::pair<std::uint32_t, std::uint32_t>>> through_;
};

/// Logs by address. They live until clear(). Any thread.
class SyncLogs {
public:
  /// Null if nobody has released there.
  [[nodiscard]] SyncLog* find(std::uint64_t address) const;
  [[nodiscard]] SyncLog& at(std::uint64_t address);
  /// While nobody has one.
  void clear();

private:
  struct Shard {
    mutable std::mutex mutex;
    std::unordered_map<std::uint64_t, std::unique_ptr<SyncLog>> logs;
  };
  static constexpr std::size_t kShards = 64;
  [[nodiscard]] static std::size_t shard_of(std::uint64_t address) { return address / 4 % kShards; }
  std::array<Shard, kShards> shards_;
};

} // namespace gantry::simt
