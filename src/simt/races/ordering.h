// The happens-before relation between a thread of a block and what happened before: causality order
// of the PTX memory model (PTX ISA 9.0, 8.9).
//
// Time is a stamp that all threads of the block share (cell.h): a block is executed by one host
// thread, so its events have an order. A block takes a new stamp after each event that orders
// threads. What every thread of the block did up to floor() happens before whatever any of them
// does now; where full barriers alone order the threads, nothing more is ever known. Otherwise each
// thread has a view: of its own block a clock (BlockClock), of others what it has acquired
// (sync_log.h). Views are merged by barriers, of the block and of a warp's lanes, and by a release
// (or a fence and a strong write after it) that meets an acquire (or a strong read and a fence
// after it) at one address.
//
// A barrier of the block counts as a fence between a strong read and what follows: it makes visible
// to all what one of the threads has seen. It also passes on what fences in front of it have
// released, so that one thread may tell other blocks for all. A thread that has ended is ordered by
// the block's next barrier as if it had arrived there.
//
// Used by one host thread.
#pragma once

#include "simt/races/lanes.h"
#include "simt/races/sync_log.h"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

namespace gantry::simt {

/// Stamps [begin, end).
struct StampRange {
  Stamp begin = 0, end = 0;
  [[nodiscard]] bool contains(Stamp stamp) const { return stamp - begin < end - begin; }
};

/// At whom a strong access or a fence is directed.
enum class Scope : std::uint8_t { kBlock, kDevice };

class Ordering {
public:
  /// Gives a range of at least so many stamps, later than all before.
  using Stamps = std::function<StampRange(std::uint32_t least)>;

  /// A block of so many warps of 32 begins; no event of one thread happens before another's. Of
  /// threads in lockstep so many count as one, because programs rely on it: the lanes of a warp for
  /// targets before sm_70, of a wave of 32 or 64; else 1. `first` is of two stamps or more; the
  /// first one stands for the block. `logs` outlives this.
  void begin(StampRange first, std::uint32_t warps, std::uint32_t in_step, SyncLogs& logs,
             Stamps more);

  [[nodiscard]] Stamp block() const { return block_; }
  [[nodiscard]] Stamp now() const { return now_; }
  [[nodiscard]] Stamp floor() const { return floor_; }
  /// The block's newest stamps, as far as they are used. Earlier ones are in owns() alone.
  [[nodiscard]] StampRange newest() const { return {ranges_.back().begin, now_ + 1}; }
  [[nodiscard]] bool owns(Stamp stamp) const {
    return newest().contains(stamp) || (ranges_.size() > 1 && owned_before(stamp));
  }

  [[nodiscard]] bool same(std::uint32_t a, std::uint32_t b) const { return index(a) == index(b); }
  /// The first thread of those that `thread` stands for.
  [[nodiscard]] std::uint32_t first_of(std::uint32_t thread) const {
    return index(thread) << step_;
  }
  /// Whether what `thread` of this block did at `time` happens before whatever `of` does now.
  [[nodiscard]] bool is_before(std::uint32_t thread, Stamp time, std::uint32_t of) const;
  /// The same for all threads of this block.
  [[nodiscard]] bool all_before(Stamp time) const { return time <= floor_; }
  /// The same for a thread of another block, or for all of them (Acquisitions::kAllThreads).
  [[nodiscard]] bool is_before(Stamp block, std::uint32_t thread, Stamp time,
                               std::uint32_t of) const;

  /// Whether the thread has read strongly at an address, as the last one that it has, or acquired
  /// what was released there. Then it may have observed what others have written there strongly, in
  /// whichever order these were told here: blocks of several host threads tell before they write.
  [[nodiscard]] bool has_observed(std::uint64_t address, std::uint32_t thread) const;

  /// Lanes arrive at a barrier of the block. complete() merges the views of all that have arrived
  /// into those of the lanes that wait. `alive` are the lanes that have not ended, by warp.
  void arrive(std::uint32_t warp, LaneMask lanes, std::uint32_t barrier, bool waits);
  void complete(std::uint32_t barrier, const std::array<LaneMask, kMostWarps>& alive);
  /// Lanes of a warp have executed bar.warp.sync together.
  void synchronise(std::uint32_t warp, LaneMask lanes);
  void fence(std::uint32_t warp, LaneMask lanes, Scope scope);
  /// A strong access; `acquires` and `releases` by itself, without a fence. A read counts from the
  /// next event on, when it has taken place.
  void read_strongly(std::uint32_t thread, std::uint64_t address, bool acquires, Scope scope);
  void write_strongly(std::uint32_t thread, std::uint64_t address, bool releases, Scope scope);
  /// To be called before each event: reads before it have taken place.
  void finish_reads() {
    if (!reading_.empty()) {
      acquire_read();
    }
  }

private:
  struct View {
    BlockClock own;
    Acquisitions others;
    [[nodiscard]] bool is_empty() const { return own.is_empty() && others.all().empty(); }
    void merge(const View& with) {
      own.merge(with.own);
      others.merge(with.others);
    }
  };
  /// Threads that have synchronised share one; null is an empty one.
  using SharedView = std::shared_ptr<const View>;
  /// What a fence has released: the view then, and the thread's own events.
  struct Released {
    SharedView view;
    Stamp own = 0; ///< 0: nothing
  };
  struct Thread {
    SharedView known;
    std::array<Released, 2> released; ///< by Scope: what strong writes behind the fence release
    SharedView acquired;              ///< by strong reads: known from the next fence on
  };
  struct Barrier {
    std::array<LaneMask, kMostWarps> waiting = {};
    View arrived;      ///< what those that have arrived knew
    BlockClock passed; ///< of those that do not wait
  };
  struct StrongRead {
    std::uint32_t thread = 0;
    std::uint64_t address = 0;
    bool acquires = false;
  };

  [[nodiscard]] bool owned_before(Stamp stamp) const;
  void tick();
  void acquire_read();
  static SharedView merged(const SharedView& a, const SharedView& b);
  class Gathering;
  void take_acquired(Thread& thread);
  void release(Thread& thread, Scope scope) const;
  [[nodiscard]] View released_by(const Thread& thread, std::uint32_t number, Scope scope) const;
  [[nodiscard]] View all_released() const;
  void complete_for_all();
  template <typename Body>
  void for_threads(std::uint32_t warp, LaneMask lanes, const Body& body);
  [[nodiscard]] std::uint32_t index(std::uint32_t thread) const { return thread >> step_; }

  unsigned step_ = 0;      ///< binary logarithm of how many threads count as one
  bool has_views_ = false; ///< some thread knows, or has released, more than the block
  Stamp block_ = 0, now_ = 0, floor_ = 0;
  std::vector<StampRange> ranges_;
  Stamps more_;
  SyncLogs* logs_ = nullptr;
  std::vector<Thread> threads_;
  Acquisitions all_acquired_; ///< what all threads have acquired
  View released_for_all_;     ///< by fences before the last full barrier, of device scope
  std::array<Barrier, 16> barriers_;
  std::unordered_map<std::uint64_t, View>
      released_at_; ///< in the block, through strong writes there
  std::vector<StrongRead> reading_;
  std::vector<std::uint64_t> observed_; ///< by thread; empty until there is something
};

} // namespace gantry::simt
