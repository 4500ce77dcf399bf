// The interface of checks that follow a whole block, not single accesses. The engines call it only
// if GANTRY_SIMT_CHECK asks for more than memory checks.
#pragma once

#include "simt/exec/warp/fault.h"
#include "simt/exec/warp/warp.h"

#include <cstdint>
#include <memory>
#include <optional>

namespace gantry::simt::exec {

struct Arrival;
struct Block;

/// Each event is reported before it takes effect. A function that returns a fault has found
/// something wrong, and its caller ends the launch.
class BlockWatch {
public:
  BlockWatch() = default;
  virtual ~BlockWatch() = default;
  BlockWatch(const BlockWatch&) = delete;
  BlockWatch& operator=(const BlockWatch&) = delete;

  /// The block begins, with shared memory that nothing has been written to.
  virtual void begin(const Block& block, const Warp& first) = 0;
  /// An access that is allowed (lane_memory.h); addresses are generic, or offsets by `space`.
  [[nodiscard]] virtual std::optional<Fault> access(const Warp& warp, LaneMask active,
                                                    const std::uint64_t* addresses,
                                                    std::uint32_t size, AccessKind kind,
                                                    AccessSpace space, Site site) = 0;
  /// The same for lanes whose addresses grow from lane 0 on by `stride`: 0 or `size`.
  [[nodiscard]] virtual std::optional<Fault> access_row(const Warp& warp, LaneMask active,
                                                        std::uint64_t first, std::uint32_t stride,
                                                        std::uint32_t size, AccessKind kind,
                                                        AccessSpace space, Site site) = 0;
  /// A lane arrives at a barrier in shared memory, or finds a phase of one over: what was done
  /// before the arrivals happens before what comes now.
  /// A relaxed arrival passes on only what fences in front of it have released.
  virtual void release(const Warp& warp, unsigned lane, std::uint64_t barrier, bool relaxed) = 0;
  virtual void acquire(const Warp& warp, unsigned lane, std::uint64_t barrier) = 0;
  /// A fence, for threads of the block alone or of others too.
  virtual void fence(const Warp& warp, LaneMask active, bool beyond_block) = 0;
  /// Lanes arrive at an operation of a warp, each with its mask.
  [[nodiscard]] virtual std::optional<Fault> arrive_in_warp(const Warp& warp, LaneMask active,
                                                            const LaneMask* masks, Site site) = 0;
  /// All of `lanes` have arrived, and go on.
  virtual void complete_in_warp(const Warp& warp, LaneMask lanes, Exchange kind) = 0;
  /// Lanes arrive at a barrier of the block.
  [[nodiscard]] virtual std::optional<Fault> arrive(const Warp& warp, const Arrival& arrival) = 0;
  /// Barrier `barrier` lets those go on that have arrived.
  virtual void complete(std::uint32_t barrier) = 0;
  /// The device's heap has allocated memory: earlier accesses to it no longer count.
  virtual void heap_given(std::uint64_t address, std::uint64_t size) = 0;
  /// The block's last lanes, of this warp, have ended.
  [[nodiscard]] virtual std::optional<Fault> end(const Warp& warp) = 0;
};

/// What the watches of a launch's blocks share. Begins and ends with the launch. Any thread.
class GridWatch {
public:
  GridWatch() = default;
  virtual ~GridWatch() = default;
  GridWatch(const GridWatch&) = delete;
  GridWatch& operator=(const GridWatch&) = delete;

  /// For a place that blocks of this launch, and of later ones, are executed in, one after the
  /// other.
  [[nodiscard]] virtual std::unique_ptr<BlockWatch> watch_block() = 0;
};

} // namespace gantry::simt::exec
