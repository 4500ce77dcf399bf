// GANTRY_SIMT_CHECK=race and init: what a work-group's waves do to memory that others use as well.
//
// AMD's code does not say all that PTX says (LLVM's "User Guide for AMDGPU Backend", "Memory
// Model"): the bit glc says of loads that they may be atomic; of stores nothing does, nor of
// accesses to LDS; and what becomes a loop around an atomic operation begins with a plain load.
// What may be meant as it is done is never reported. So a race is a load without glc and a store
// that nothing orders, of which LDS has none where atomic operations have been. The lanes of a wave
// are one thread, in lockstep.
//
// What orders waves: barriers of the work-group, and addresses that atomic operations, or loads
// with glc, have come to (flags). A store or an atomic operation there releases what the wave has
// done, for in front of it code waits for its stores, which nothing distinguishes from other waits.
// A load or an atomic operation acquires that: in the work-group at once, where no instruction says
// so; from other work-groups with the next buffer_wbinvl1. So relaxed atomic operations of several
// work-groups order nothing.
//
// A store to an address that becomes a flag only later has released nothing. A wave that reads it
// then may have waited for it, so races of that wave with the store's wave, or work-group, are not
// reported from then on. That hides races, and makes up none.
//
// LDS is not checked for loads of uninitialised memory: compilers' reductions load more of it than
// they have stored to, and do not use the rest.
#pragma once

#include "simt/host/settings.h"
#include "simt/memory/access_cells.h"
#include "simt/races/ordering.h"
#include "simt/races/race_checker.h"
#include "simt/races/racing_access.h"
#include "simt/races/warp_cells.h"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace gantry::simt::amdgcn {

/// What the checks of a dispatch's work-groups share. Begins and ends with the dispatch.
class DispatchChecks {
public:
  /// Whether an instruction, by its number, is of a compiler's own runtime, whose work-groups
  /// write the same values to its variables on purpose. Any thread.
  using IsOfRuntime = std::function<bool(std::uint32_t site)>;

  DispatchChecks(const Checks& checks, GridShape shape, IsOfRuntime is_of_runtime);
  ~DispatchChecks();
  DispatchChecks(const DispatchChecks&) = delete;
  DispatchChecks& operator=(const DispatchChecks&) = delete;

  [[nodiscard]] bool init() const { return init_; }
  /// Null if races are not looked for.
  [[nodiscard]] const std::shared_ptr<const GridRun>& run() const { return run_; }
  [[nodiscard]] bool is_of_runtime(std::uint32_t site) const { return is_of_runtime_(site); }

private:
  bool init_ = false;
  IsOfRuntime is_of_runtime_;
  std::shared_ptr<const GridRun> run_;
};

/// An instruction's access by lanes of a wave.
struct WaveAccess {
  enum class Kind : std::uint8_t {
    kLoad,
    kCoherentLoad, ///< with glc
    kStore,
    kAtomic,
  };
  Kind kind = Kind::kLoad;
  std::uint32_t wave = 0;                   ///< in the work-group
  std::uint64_t active = 0;                 ///< a bit for each lane
  std::uint64_t own = 0;                    ///< of these, those of private memory
  const std::uint64_t* addresses = nullptr; ///< of the host, also for LDS; by lane
  std::uint32_t size = 0;                   ///< bytes
  std::uint32_t site = 0;                   ///< the number of the instruction
};

struct CheckFinding {
  unsigned lane = 0;
  std::uint64_t address = 0;
  /// What the access races with; nothing if it loads what has no value.
  std::optional<RacingAccess> other;
};

/// Of a place for work-groups, which run there one after the other.
class GroupChecks {
public:
  /// A work-group begins, by its number in the dispatch.
  void begin(const DispatchChecks& dispatch, std::uint64_t group, unsigned waves,
             unsigned lanes_of_wave, std::uint64_t shared, std::uint32_t shared_size);
  /// An access that is allowed, before it takes place. In private memory, which GCC's code shares,
  /// nothing is wrong, but locks may be there.
  [[nodiscard]] std::optional<CheckFinding> access(const WaveAccess& access);
  /// A wave invalidates its cache, as an acquire at the scope of the agent ends with.
  void fence(unsigned wave);
  /// Those waves that have not ended go on behind a barrier.
  void pass_barrier(std::span<const unsigned> waves);

private:
  [[nodiscard]] std::uint32_t thread_of(const WaveAccess& access, unsigned lane) const {
    return access.wave * lanes_ + lane;
  }
  [[nodiscard]] std::optional<Race> check_race(const WaveAccess& access, unsigned lane,
                                               std::uint64_t address);
  void access_own(const WaveAccess& access, unsigned lane, std::uint64_t address);
  void order(const WaveAccess& access, std::uint32_t thread, std::uint64_t address, Scope scope);
  void finish_reads();
  [[nodiscard]] bool orders_word(const WaveAccess& access, std::uint32_t thread,
                                 std::uint64_t address);
  [[nodiscard]] bool passes_quickly(const WaveAccess& access, std::uint32_t thread,
                                    std::uint64_t address);
  [[nodiscard]] Stamp group_at(Stamp stamp) const;
  [[nodiscard]] bool is_trusted(std::uint32_t wave, const Race& race) const;
  void trust_writer(std::uint32_t thread, std::uint64_t address);
  const WarpTime& time();

  const DispatchChecks* dispatch_ = nullptr;
  unsigned lanes_ = 64; ///< of a wave
  Ordering ordering_;
  std::optional<RaceChecker> races_;
  AccessCells* cells_ = nullptr;
  WarpTime time_;
  Stamp time_at_ = 0; ///< ordering_'s, of time_
  /// Words of LDS that atomic operations have come to: loads and stores of them may be atomic.
  std::unordered_set<std::uint64_t> atomic_words_;
  /// Addresses outside of LDS that atomic operations and loads with glc have come to.
  std::unordered_set<std::uint64_t> flags_;
  /// Reads of flags by the last instructions, for finish_reads().
  struct FlagRead {
    std::uint32_t thread = 0;
    std::uint64_t address = 0;
  };
  std::vector<FlagRead> reading_;
  /// Who stored last to addresses of private memory.
  std::unordered_map<std::uint64_t, std::uint32_t> writers_;
  /// By wave: a bit for each wave that it may have waited for.
  std::array<std::uint32_t, 32> waited_for_ = {};
  std::set<Stamp> groups_waited_for_; ///< likewise, of work-groups
};

} // namespace gantry::simt::amdgcn
