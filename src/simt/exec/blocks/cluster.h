// A cluster of blocks under way, all on one host thread: its barrier, and whose shared memory is
// where. No locks are needed, because the blocks take turns (run/cluster_run.h).
#pragma once

#include "simt/exec/blocks/block.h"
#include "simt/exec/warp/warp.h"

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace gantry::simt::exec {

struct Cluster {
  std::vector<Block*> blocks; ///< by rank; their shared memory lies kSharedStride apart
  std::uint32_t phase = 0;    ///< of the barrier

  /// The block with [address, address + size) in its shared memory; null if that is none's, or the
  /// block has ended.
  [[nodiscard]] Block* owner_of(std::uint64_t address, std::uint64_t size) const;
  /// The block whose window the address is in, ended or not; null if that is none's.
  [[nodiscard]] Block* neighbour_at(std::uint64_t address) const;

  /// Lanes arrive at the barrier. What is wrong with that, and then nothing has changed; empty if
  /// nothing is.
  [[nodiscard]] std::string_view arrive(const Block& block, std::uint32_t warp, LaneMask lanes);
  /// Whether the phase that the lanes have arrived in is over; if so they may arrive again.
  [[nodiscard]] bool take(const Block& block, std::uint32_t warp, LaneMask lanes);
  /// Whether all of the lanes have arrived since they last waited.
  [[nodiscard]] bool have_arrived(const Block& block, std::uint32_t warp, LaneMask lanes) const {
    return (lanes & ~pledged_[block.rank][warp]) == 0;
  }
  /// Ends the phase if an arrival or an exit has completed it.
  void settle();
  /// Where the race check has what the current phase's arrivals, or the last one's, have released:
  /// an address that nothing else has.
  [[nodiscard]] std::uint64_t token(bool current) const;
  /// The blocks, and none has arrived.
  void begin(std::vector<Block*> all);

private:
  using Masks = std::vector<std::array<LaneMask, kMostWarps>>;
  Masks arrived_; ///< by rank and warp: in the current phase
  Masks pledged_; ///< and have not waited since
};

} // namespace gantry::simt::exec
