// GANTRY_SIMT_CHECK=race, init and sync: the watch that finds races, loads of uninitialised memory
// and misused barriers. compute-sanitizer calls these checks racecheck, initcheck and synccheck.
#pragma once

#include "simt/exec/blocks/block_watch.h"
#include "simt/exec/checks/access_facts.h"
#include "simt/exec/checks/ordering.h"
#include "simt/exec/checks/race_checker.h"
#include "simt/exec/host/settings.h"

#include <array>
#include <cstdint>
#include <optional>

namespace gantry::simt::exec {

class BlockChecks : public BlockWatch {
public:
  explicit BlockChecks(const Checks& checks) : checks_(checks), races_(ordering_) {}

  void begin(const Block& block, const Warp& first) override;
  [[nodiscard]] std::optional<Fault> access(const Warp& warp, LaneMask active,
                                            const std::uint64_t* addresses, std::uint32_t size,
                                            AccessKind kind, AccessSpace space, Site site) override;
  void fence(const Warp& warp, LaneMask active) override;
  [[nodiscard]] std::optional<Fault> arrive_in_warp(const Warp& warp, LaneMask active,
                                                    const LaneMask* masks, Site site) override;
  void complete_in_warp(const Warp& warp, LaneMask lanes, Exchange kind) override;
  [[nodiscard]] std::optional<Fault> arrive(const Warp& warp, const Arrival& arrival) override;
  void complete(std::uint32_t barrier) override;
  void heap_given(std::uint64_t address, std::uint64_t size) override {
    races_.forget(address, size);
  }
  [[nodiscard]] std::optional<Fault> end(const Warp& warp) override;

private:
  [[nodiscard]] std::optional<Fault> check_race(const Warp& warp, unsigned lane,
                                                std::uint64_t address, std::uint32_t size,
                                                const AccessFacts& facts, Site site);

  const Checks checks_;
  /// Whether the program's target distinguishes strong accesses. If not, accesses to global memory
  /// that synchronise threads look like any others.
  bool has_strong_accesses_ = false;
  Ordering ordering_;
  RaceChecker races_;
  AccessFactsTable facts_;

  /// A barrier that is not complete: by warp, where its lanes have arrived at it.
  struct Arrivals {
    std::array<std::optional<Site>, 32> sites = {};
    Site last = 0;
  };
  std::array<Arrivals, 16> arrivals_;
  bool have_arrived_ = false; ///< arrivals_ is not as at the block's beginning
};

} // namespace gantry::simt::exec
