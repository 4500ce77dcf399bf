// The happens-before relation between the threads of one block: causality order of the PTX memory
// model (PTX ISA 9.0, 8.9).
//
// Each thread has a vector clock. Its own entry is its time, which counts its events; the entry of
// another thread is the time up to which that one's events happen before its own. Clocks are merged
// by barriers of the block and of a warp's lanes, and by a release (or a fence and a strong write
// after it) that meets an acquire (or a strong read and a fence after it) at one address.
//
// Used by one host thread, because a block has one.
#pragma once

#include "simt/exec/warp/warp.h"

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace gantry::simt::exec {

/// An event, or all of a thread's up to it.
struct Moment {
  std::uint32_t thread = 0; ///< Ordering::thread()
  std::uint32_t time = 0;   ///< from 1 on; 0: none
};

class Ordering {
public:
  /// A block of so many warps begins; no event of one thread happens before another's. In lockstep
  /// the lanes of a warp count as one thread, because programs for targets before sm_70 rely on it.
  void begin(std::uint32_t warps, bool lockstep);

  [[nodiscard]] std::uint32_t thread(std::uint32_t warp, unsigned lane) const {
    return lockstep_ ? warp : warp * kLanes + lane;
  }
  /// The first lane of those that `thread` stands for, counted through the block.
  [[nodiscard]] std::uint32_t first_lane(std::uint32_t thread) const {
    return lockstep_ ? thread * kLanes : thread;
  }
  [[nodiscard]] Moment now(std::uint32_t thread) const { return {thread, threads_[thread].time}; }
  /// Whether what happened at `earlier` happens before whatever `thread` does now.
  [[nodiscard]] bool is_before(const Moment& earlier, std::uint32_t thread) const {
    const View& known = threads_[thread].known;
    return earlier.thread == thread || (known && (*known)[earlier.thread] >= earlier.time);
  }

  /// Lanes have arrived at a barrier of the block. complete() merges the clocks of all that have
  /// arrived into those of the lanes that wait.
  void arrive(std::uint32_t warp, LaneMask lanes, std::uint32_t barrier, bool waits);
  void complete(std::uint32_t barrier);
  /// Lanes of a warp have executed bar.warp.sync together.
  void synchronise(std::uint32_t warp, LaneMask lanes);
  void fence(std::uint32_t warp, LaneMask lanes);
  /// A strong access; `acquires` and `releases` by itself, without a fence.
  void read_strongly(std::uint32_t thread, std::uint64_t address, bool acquires);
  void write_strongly(std::uint32_t thread, std::uint64_t address, bool releases);

private:
  /// A clock, by thread. Threads that have synchronised share one; null is all zeros.
  using Times = std::vector<std::uint32_t>;
  using View = std::shared_ptr<const Times>;
  struct Thread {
    std::uint32_t time = 1;
    View known;
    View released; ///< by the last fence: what strong writes behind it release
    View acquired; ///< by strong reads: known from the next fence on
  };
  struct Barrier {
    Times arrived;
    std::vector<std::uint32_t> waiting;
  };

  static View merged(const View& a, const View& b);
  static void merge_into(Times& times, const View& view);
  [[nodiscard]] View with_own(const Thread& of, std::uint32_t thread) const;
  void release(Thread& of, std::uint32_t thread);
  template <typename Body>
  void for_threads(std::uint32_t warp, LaneMask lanes, const Body& body);

  bool lockstep_ = false;
  std::vector<Thread> threads_;
  std::array<Barrier, 16> barriers_;
  std::unordered_map<std::uint64_t, View> released_at_; ///< by address, through strong writes there
};

} // namespace gantry::simt::exec
