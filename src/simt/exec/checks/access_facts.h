// What a program's instructions say about their accesses, for the checks of races and uninitialised
// memory, and about what orders its threads.
#pragma once

#include "simt/exec/warp/warp.h"
#include "simt/ptx/program.h"
#include "simt/races/access.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <unordered_map>
#include <vector>

namespace gantry::simt::exec {

/// The facts of a program's instructions, found when they are first asked for. Any thread.
class AccessFactsTable {
public:
  explicit AccessFactsTable(std::shared_ptr<const ptx::Program> program);

  [[nodiscard]] const ptx::Program& program() const { return *program_; }

  [[nodiscard]] AccessFacts of(AccessKind kind, Site site) const {
    const std::uint32_t at = number(site);
    const std::uint8_t known =
        facts_[static_cast<unsigned>(kind)][at].load(std::memory_order_relaxed);
    return known != 0 ? unpacked(known, kind) : find(kind, site);
  }
  /// Instructions counted through all functions; the last number stands for what is none.
  [[nodiscard]] std::uint32_t number(Site site) const {
    const std::uint64_t function = site >> 32;
    if (function >= first_.size() - 1) {
      return first_.back();
    }
    const std::uint64_t at = first_[function] + (site & 0xFFFFFFFF);
    return at < first_[function + 1] ? static_cast<std::uint32_t>(at) : first_.back();
  }
  /// The other way round; a site that is none for the last number.
  [[nodiscard]] Site site(std::uint32_t number) const;

  [[nodiscard]] AccessOrder order(std::uint32_t kernel) const;

private:
  using Registers = std::set<std::uint32_t>;

  /// Bits of what is kept of AccessFacts. Whether it reads and writes is in its kind.
  enum Packed : std::uint8_t {
    kKnown = 1,
    kIsStrong = 2,
    kAcquires = 4,
    kReleases = 8,
    kBeyondBlock = 16,
    kMayBeUnused = 32,
  };
  [[nodiscard]] static std::uint8_t packed(const AccessFacts& facts);
  [[nodiscard]] static AccessFacts unpacked(std::uint8_t bits, AccessKind kind) {
    const auto has = [&](Packed bit) { return (bits & bit) != 0; };
    return {.reads = kind != AccessKind::kStore,
            .writes = kind != AccessKind::kLoad,
            .strong = has(kIsStrong),
            .acquires = has(kAcquires),
            .releases = has(kReleases),
            .beyond_block = has(kBeyondBlock),
            .may_be_unused = has(kMayBeUnused)};
  }
  [[nodiscard]] AccessFacts find(AccessKind kind, Site site) const;
  [[nodiscard]] AccessFacts find_in(AccessKind kind, Site site) const;
  [[nodiscard]] const Registers& guesses_of(std::uint32_t number,
                                            const ptx::Function& function) const;

  const std::shared_ptr<const ptx::Program> program_;
  std::vector<std::uint32_t> first_; ///< number of the first instruction, by function
  mutable std::vector<std::atomic<std::uint8_t>>
      facts_[3];             ///< by AccessKind and number; 0: unknown
  mutable std::mutex mutex_; ///< for what follows
  mutable std::unordered_map<std::uint32_t, Registers> guesses_;  ///< by function
  mutable std::unordered_map<std::uint32_t, AccessOrder> orders_; ///< by kernel
};

} // namespace gantry::simt::exec
