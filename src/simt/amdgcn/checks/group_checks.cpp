#include "simt/amdgcn/checks/group_checks.h"

#include "simt/memory/device_memory.h"

#include <bit>
#include <cstdio>
#include <utility>

namespace gantry::simt::amdgcn {

namespace {

using Kind = WaveAccess::Kind;

constexpr unsigned kLanesOfWarp = 32; ///< in which Ordering counts

/// Of what is no atomic operation.
AccessFacts facts_of(Kind kind, bool shared) {
  switch (kind) {
  case Kind::kLoad:
    return {.reads = true};
  case Kind::kCoherentLoad:
    return {.reads = true, .strong = true, .beyond_block = !shared};
  default: // a store may be an atomic one
    return {.writes = true, .strong = true, .beyond_block = !shared};
  }
}

/// Loads with glc, and atomic operations.
bool makes_flag(Kind kind) {
  return kind == Kind::kAtomic || kind == Kind::kCoherentLoad;
}

} // namespace

DispatchChecks::DispatchChecks(const Checks& checks, GridShape shape, IsOfRuntime is_of_runtime)
    : init_(checks.init), is_of_runtime_(std::move(is_of_runtime)) {
  if (!checks.race) {
    return;
  }
  shape.order = AccessOrder::kFinely;
  run_ = GridHistory::instance().begin(std::move(shape));
  if (run_ == nullptr) {
    std::fprintf(stderr, "gantry: warning: a launch has too many work-groups to be checked for "
                         "races\n");
  }
}

DispatchChecks::~DispatchChecks() {
  if (run_ != nullptr) {
    GridHistory::instance().end(*run_);
  }
}

void GroupChecks::begin(const DispatchChecks& dispatch, std::uint64_t group, unsigned waves,
                        unsigned lanes_of_wave, std::uint64_t shared, std::uint32_t shared_size) {
  dispatch_ = &dispatch;
  lanes_ = lanes_of_wave;
  if (dispatch.run() == nullptr) {
    return;
  }
  GridHistory& history = GridHistory::instance();
  if (!races_) {
    cells_ = DeviceMemory::instance()->access_cells();
    races_.emplace(ordering_, history, *cells_);
  }
  const std::shared_ptr<const GridRun>& run = dispatch.run();
  ordering_.begin(run->of_block(group), waves * (lanes_ / kLanesOfWarp), lanes_, history.logs(),
                  [this](std::uint32_t least) {
                    return GridHistory::instance().more(*dispatch_->run(), ordering_.block(),
                                                        least);
                  });
  races_->begin(run, AccessOrder::kFinely, shared, shared_size);
  time_at_ = 0;
  atomic_words_.clear();
  flags_.clear();
  reading_.clear();
  writers_.clear();
  waited_for_ = {};
  groups_waited_for_.clear();
}

const WarpTime& GroupChecks::time() {
  if (time_at_ != ordering_.now()) {
    time_at_ = ordering_.now();
    time_ = warp_time(ordering_, *dispatch_->run(), races_->is_fine(), lanes_);
  }
  return time_;
}

std::optional<CheckFinding> GroupChecks::access(const WaveAccess& access) {
  UninitialisedBytes* const uninitialised =
      dispatch_->init() ? DeviceMemory::instance()->uninitialised() : nullptr;
  const bool looks_for_races = dispatch_->run() != nullptr;
  if (looks_for_races) {
    finish_reads();
  }
  for (std::uint64_t left = access.active; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    const std::uint64_t address = access.addresses[lane];
    if ((access.own >> lane & 1) != 0) {
      if (looks_for_races) {
        access_own(access, lane, address);
      }
      continue;
    }
    if (uninitialised != nullptr) {
      if (access.kind != Kind::kStore && uninitialised->all_uninitialised(address, access.size)) {
        return CheckFinding{lane, address, std::nullopt};
      }
      if (access.kind == Kind::kStore || access.kind == Kind::kAtomic) {
        uninitialised->mark_written(address, access.size);
      }
    }
    if (looks_for_races) {
      if (const auto race = check_race(access, lane, address)) {
        return CheckFinding{lane, address, racing_access(*races_, ordering_, *race)};
      }
    }
  }
  return std::nullopt;
}

/// In private memory, of which cells do not know who stored last.
void GroupChecks::access_own(const WaveAccess& access, unsigned lane, std::uint64_t address) {
  if (access.kind == Kind::kStore) {
    writers_[address] = access.wave;
  }
  if (!makes_flag(access.kind) && !flags_.contains(address)) {
    return;
  }
  const bool is_new = flags_.insert(address).second;
  const auto writer = writers_.find(address);
  if (is_new && writer != writers_.end()) {
    waited_for_[access.wave] |= 1U << writer->second;
  }
  order(access, thread_of(access, lane), address, Scope::kBlock);
}

/// Flags that were about to be read have been read by now, and what was read is known: each store
/// is noted before it takes place.
void GroupChecks::finish_reads() {
  ordering_.finish_reads();
  for (const FlagRead& read : reading_) {
    trust_writer(read.thread, read.address);
  }
  reading_.clear();
}

/// Of an access that is taken for an atomic one: a load acquires, a store releases.
void GroupChecks::order(const WaveAccess& access, std::uint32_t thread, std::uint64_t address,
                        Scope scope) {
  if (access.kind != Kind::kStore) {
    ordering_.read_strongly(thread, address, true, Scope::kBlock);
    if (scope == Scope::kDevice) {
      ordering_.read_strongly(thread, address, false, scope);
      reading_.push_back({thread, address});
    }
  }
  if (access.kind == Kind::kStore || access.kind == Kind::kAtomic) {
    ordering_.write_strongly(thread, address, true, scope);
  }
}

/// Whether the word is one of LDS that atomic operations have come to; then the access orders.
bool GroupChecks::orders_word(const WaveAccess& access, std::uint32_t thread,
                              std::uint64_t address) {
  const std::uint64_t word = address & ~std::uint64_t{3};
  if (access.kind == Kind::kAtomic) {
    if (atomic_words_.insert(word).second) {
      races_->forget(word, (address - word) + access.size);
    }
  } else if (!atomic_words_.contains(word)) {
    return false;
  }
  order(access, thread, word, Scope::kBlock);
  return true;
}

/// Whether two comparisons of cells show that the load races with nothing, as for most loads.
bool GroupChecks::passes_quickly(const WaveAccess& access, std::uint32_t thread,
                                 std::uint64_t address) {
  if (access.kind != Kind::kLoad || access.size % 4 != 0 || address % 4 != 0 ||
      !cells_->covers(address)) {
    return false;
  }
  const Cell mine(ordering_.now(), access.site, thread, CellKind::kWeak);
  for (std::uint32_t at = 0; at < access.size; at += 4) {
    if (!check_word(time(), cells_->write(address + at), cells_->read(address + at), mine.bits(),
                    false, races_->is_shared(address))) {
      return false;
    }
  }
  return true;
}

std::optional<Race> GroupChecks::check_race(const WaveAccess& access, unsigned lane,
                                            std::uint64_t address) {
  const std::uint32_t thread = thread_of(access, lane);
  const bool shared = races_->is_shared(address);
  if ((shared && orders_word(access, thread, address)) || passes_quickly(access, thread, address)) {
    return std::nullopt;
  }
  const Scope scope = shared ? Scope::kBlock : Scope::kDevice;
  if (makes_flag(access.kind)) {
    flags_.insert(address);
  }
  if (access.kind != Kind::kAtomic) {
    const AccessFacts facts = facts_of(access.kind, shared);
    const auto race = races_->access({thread, address, access.size, facts, access.site});
    if (race && !is_trusted(access.wave, *race) &&
        !(dispatch_->is_of_runtime(access.site) && dispatch_->is_of_runtime(race->other.site()))) {
      return race;
    }
  }
  if (access.kind != Kind::kLoad && flags_.contains(address)) {
    order(access, thread, address, scope);
  }
  return std::nullopt;
}

/// The first stamp of the work-group that a stamp is of, be it of another dispatch; 0 if that has
/// long ended.
Stamp GroupChecks::group_at(Stamp stamp) const {
  const GridRun& run = *dispatch_->run();
  if (run.stamps.contains(stamp)) {
    return run.of_block(run.block_at(stamp)).begin;
  }
  const auto owner = GridHistory::instance().owner_of(stamp);
  return owner ? owner->block : 0;
}

bool GroupChecks::is_trusted(std::uint32_t wave, const Race& race) const {
  if (ordering_.owns(race.other.stamp())) {
    return (waited_for_[wave] >> (race.other.thread() / lanes_) & 1) != 0;
  }
  return groups_waited_for_.contains(group_at(race.other.stamp()));
}

/// The thread has read a flag. If nothing orders its last store with that, the thread may have
/// waited for the value, and whatever the store's wave does is no race with it.
void GroupChecks::trust_writer(std::uint32_t thread, std::uint64_t address) {
  const Cell write = races_->last_write(address);
  if (write.is_empty() || !write.is_of_one()) {
    return;
  }
  if (ordering_.owns(write.stamp())) {
    if (!ordering_.is_before(write.thread(), write.stamp(), thread)) {
      waited_for_[thread / lanes_] |= 1U << (write.thread() / lanes_);
    }
    return;
  }
  groups_waited_for_.insert(group_at(write.stamp()));
}

void GroupChecks::fence(unsigned wave) {
  if (dispatch_->run() != nullptr) {
    finish_reads();
    ordering_.fence(wave * (lanes_ / kLanesOfWarp), 1, Scope::kDevice);
  }
}

void GroupChecks::pass_barrier(std::span<const unsigned> waves) {
  if (dispatch_->run() == nullptr) {
    return;
  }
  finish_reads();
  std::array<LaneMask, kMostWarps> alive = {};
  for (const unsigned wave : waves) {
    const unsigned warp = wave * (lanes_ / kLanesOfWarp);
    alive[warp] = 1;
    ordering_.arrive(warp, 1, 0, /*waits=*/true);
  }
  ordering_.complete(0, alive);
}

} // namespace gantry::simt::amdgcn
