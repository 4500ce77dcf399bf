// GANTRY_SIMT_CHECK=race, init and sync: the watch that finds races, loads of uninitialised memory
// and misused barriers. compute-sanitizer calls these checks racecheck, initcheck and synccheck.
#pragma once

#include "simt/exec/blocks/block_watch.h"
#include "simt/exec/checks/access_facts.h"
#include "simt/exec/checks/grid_checks.h"
#include "simt/memory/access_cells.h"
#include "simt/races/ordering.h"
#include "simt/races/race_checker.h"
#include "simt/races/warp_cells.h"

#include <array>
#include <cstdint>
#include <optional>

namespace gantry::simt::exec {

class BlockChecks : public BlockWatch {
public:
  void begin(const Block& block, const Warp& first) override;
  [[nodiscard]] std::optional<Fault> access(const Warp& warp, LaneMask active,
                                            const std::uint64_t* addresses, std::uint32_t size,
                                            AccessKind kind, AccessSpace space, Site site) override;
  [[nodiscard]] std::optional<Fault> access_row(const Warp& warp, LaneMask active,
                                                std::uint64_t first, std::uint32_t stride,
                                                std::uint32_t size, AccessKind kind,
                                                AccessSpace space, Site site) override;
  void release(const Warp& warp, unsigned lane, std::uint64_t barrier, bool relaxed) override;
  void acquire(const Warp& warp, unsigned lane, std::uint64_t barrier) override;
  void fence(const Warp& warp, LaneMask active, bool beyond_block) override;
  [[nodiscard]] std::optional<Fault> arrive_in_warp(const Warp& warp, LaneMask active,
                                                    const LaneMask* masks, Site site) override;
  void complete_in_warp(const Warp& warp, LaneMask lanes, Exchange kind) override;
  [[nodiscard]] std::optional<Fault> arrive(const Warp& warp, const Arrival& arrival) override;
  void complete(std::uint32_t barrier) override;
  void heap_given(std::uint64_t address, std::uint64_t size) override;
  [[nodiscard]] std::optional<Fault> end(const Warp& warp) override;

private:
  /// An access of several lanes by one instruction.
  struct WarpAccess {
    const Warp& warp;
    std::uint32_t size;
    AccessKind kind;
    AccessSpace space;
    Site site;
    AccessFacts facts;
    std::uint32_t number; ///< of the site

    /// Of lane 0.
    [[nodiscard]] std::uint32_t first_thread() const { return warp.warp_index * kLanes; }
  };

  [[nodiscard]] WarpAccess access_of(const Warp& warp, std::uint32_t size, AccessKind kind,
                                     AccessSpace space, Site site);
  [[nodiscard]] static bool is_own(const WarpAccess& access, std::uint64_t address);
  [[nodiscard]] bool checks_races(std::uint64_t address) const {
    return checks_.race && (has_strong_accesses_ || races_->is_shared(address));
  }
  /// An access to one address by all lanes.
  [[nodiscard]] std::optional<Fault> check_one(const WarpAccess& access, LaneMask active,
                                               std::uint64_t address);
  /// The next `lanes` lanes from `lane` on have consecutive addresses. What is fine is removed from
  /// `left`.
  void check_row(const WarpAccess& access, unsigned lane, unsigned lanes, std::uint64_t address,
                 LaneMask& left);
  [[nodiscard]] LaneMask races_of_row(const WarpAccess& access, unsigned lane, unsigned lanes,
                                      std::uint64_t address, LaneMask active);
  [[nodiscard]] std::optional<Fault> check_lane(const WarpAccess& access, unsigned lane,
                                                std::uint64_t address);
  [[nodiscard]] std::optional<Fault> check_initialised(const WarpAccess& access, unsigned lane,
                                                       std::uint64_t address) const;
  [[nodiscard]] std::optional<Fault> check_race(const WarpAccess& access, unsigned lane,
                                                std::uint64_t address);
  [[nodiscard]] std::optional<Fault> check_race_of_all(const WarpAccess& access, LaneMask active,
                                                       std::uint64_t address);
  [[nodiscard]] Fault fault_of(const WarpAccess& access, unsigned lane, std::uint64_t address,
                               const Race& race) const;
  const WarpTime& time();
  /// Of barriers in shared memory, and of the cluster's.
  [[nodiscard]] Scope barrier_scope() const;

  const GridChecks* grid_ = nullptr;
  std::uint64_t launch_ = 0; ///< its number
  const Block* block_ = nullptr;
  Checks checks_;
  /// Whether the program's target distinguishes strong accesses. If not, accesses to global memory
  /// that synchronise threads look like any others.
  bool has_strong_accesses_ = false;
  Ordering ordering_;
  std::optional<RaceChecker> races_; ///< nothing unless races are looked for
  AccessCells* cells_ = nullptr;
  /// What the launch's facts say of the last sites.
  struct KnownSite {
    Site site = ~Site{0};
    AccessKind kind = AccessKind::kLoad;
    AccessFacts facts;
    std::uint32_t number = 0;
  };
  std::array<KnownSite, 64> known_sites_;
  WarpTime time_;
  Stamp time_at_ = 0; ///< ordering_'s, of time_

  /// A barrier that is not complete: by warp, where its lanes have arrived at it.
  struct Arrivals {
    std::array<std::optional<Site>, 32> sites = {};
    Site last = 0;
  };
  std::array<Arrivals, 16> arrivals_;
  bool have_arrived_ = false; ///< arrivals_ is not as at the block's beginning
};

} // namespace gantry::simt::exec
