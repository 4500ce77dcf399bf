// What GANTRY_SIMT_CHECK=race, init and sync look at while a block runs: the accesses, barriers and
// warp-level operations of its threads, whichever engine executes them. compute-sanitizer calls
// these checks racecheck, initcheck and synccheck.
//
// Each function that finds something wrong ends the launch with a report, and does not return then;
// they are called on the warp's own stack, before what they are told of takes effect.
#pragma once

#include "simt/exec/access_facts.h"
#include "simt/exec/ordering.h"
#include "simt/exec/race_checker.h"
#include "simt/exec/settings.h"
#include "simt/exec/warp.h"

#include <array>
#include <cstdint>
#include <optional>

namespace gantry::simt::exec {

struct Block;

class BlockChecks {
public:
  explicit BlockChecks(const Checks& checks) : checks_(checks), races_(ordering_) {}
  BlockChecks(const BlockChecks&) = delete;
  BlockChecks& operator=(const BlockChecks&) = delete;

  /// The block begins, with shared memory that nothing has been written to.
  void begin(const Block& block, const Warp& first);
  /// An access that is allowed (lane_memory.h); addresses are generic, or offsets by `space`.
  void access(Warp& warp, LaneMask active, const std::uint64_t* addresses, std::uint32_t size,
              AccessKind kind, AccessSpace space, Site site);
  void fence(const Warp& warp, LaneMask active);
  /// Lanes have come to an operation of a warp, each with its mask.
  void come_together(Warp& warp, LaneMask active, const LaneMask* masks, Site site);
  /// All of `lanes` have, and go on.
  void meet(const Warp& warp, LaneMask lanes, Exchange kind);
  /// Block::arrive.
  void arrive(Warp& warp, LaneMask active, std::uint32_t barrier, bool waits, Site site);
  /// Barrier `barrier` lets those go on that have come.
  void pass(std::uint32_t barrier);
  /// The device's heap has given memory: what others did there is past.
  void heap_given(std::uint64_t address, std::uint64_t size) { races_.forget(address, size); }
  /// The block's last lanes end.
  void end(Warp& warp);

private:
  void check_race(Warp& warp, unsigned lane, std::uint64_t address, std::uint32_t size,
                  const AccessFacts& facts, Site site);

  const Checks checks_;
  /// Without, what synchronises threads looks like any access; it is in global memory.
  bool has_strong_accesses_ = false;
  Ordering ordering_;
  RaceChecker races_;
  AccessFactsTable facts_;

  /// A barrier that has not passed: by warp, where its lanes have come to it.
  struct Arrivals {
    std::array<std::optional<Site>, 32> sites = {};
    Site last = 0;
  };
  std::array<Arrivals, 16> arrivals_;
  bool have_arrived_ = false; ///< some are not as they were when the block began
};

} // namespace gantry::simt::exec
