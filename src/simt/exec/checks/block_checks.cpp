#include "simt/exec/checks/block_checks.h"

#include "simt/exec/blocks/block.h"
#include "simt/exec/blocks/cluster.h"
#include "simt/exec/checks/check_report.h"
#include "simt/exec/reports/report.h"
#include "simt/memory/device_memory.h"

#include <bit>
#include <utility>

namespace gantry::simt::exec {

namespace {

/// The first target without lockstep within a warp, whose programs mark strong loads and stores.
constexpr unsigned kIndependentThreads = 70;

/// bar, which is always aligned, or barrier.aligned: all lanes of a warp execute the same one.
bool is_aligned(const Warp& warp, Site site) {
  const ptx::Instruction* instruction = look_up(warp, site).instruction;
  return instruction != nullptr &&
         (instruction->opcode == ptx::Opcode::k_bar || instruction->has(ptx::Modifier::kAligned));
}

} // namespace

void BlockChecks::begin(const Block& block, const Warp& first) {
  const auto* const grid = static_cast<const GridChecks*>(block.launch->watch.get());
  if (grid_ != grid || launch_ != block.launch->grid_id) {
    known_sites_.fill({}); // of another program, maybe
  }
  grid_ = grid;
  launch_ = block.launch->grid_id;
  block_ = &block;
  checks_ = grid_->checks();
  const auto shared = reinterpret_cast<std::uint64_t>(first.shared);
  if (checks_.race) {
    GridHistory& history = GridHistory::instance();
    if (!races_) {
      cells_ = DeviceMemory::instance()->access_cells();
      races_.emplace(ordering_, history, *cells_);
    }
    const ptx::Program& program = grid_->facts().program();
    const ptx::Module& module = *program.modules[program.functions[block.launch->kernel].module];
    has_strong_accesses_ = module.target >= kIndependentThreads;
    const std::shared_ptr<const GridRun>& run = grid_->run();
    const std::uint32_t* const size = first.nctaid;
    const std::uint64_t index =
        (std::uint64_t{block.index[2]} * size[1] + block.index[1]) * size[0] + block.index[0];
    const StampRange stamps = run->of_block(index);
    ordering_.begin(stamps, block.warps, has_strong_accesses_ ? 1 : kLanes, history.logs(),
                    [this](std::uint32_t least) {
                      return GridHistory::instance().more(*grid_->run(), ordering_.block(), least);
                    });
    // Blocks of a cluster access each other's shared memory, which then is as global memory is.
    const bool is_own = block.cluster == nullptr;
    races_->begin(run, grid_->order(), shared, is_own ? first.shared_size : 0);
    if (!is_own) {
      races_->forget(shared, first.shared_size);
    }
    time_at_ = 0;
  }
  if (checks_.init) {
    DeviceMemory::instance()->uninitialised()->mark_uninitialised(shared, first.shared_size);
  }
  if (std::exchange(have_arrived_, false)) {
    arrivals_ = {};
  }
}

/// A generic address of memory that is the thread's own, or never changes.
bool BlockChecks::is_own(const WarpAccess& access, std::uint64_t address) {
  const Warp& warp = access.warp;
  return access.space == AccessSpace::kGeneric &&
         (address - reinterpret_cast<std::uint64_t>(warp.local) <
              std::uint64_t{warp.local_stride} * kLanes ||
          address - reinterpret_cast<std::uint64_t>(warp.parameters) < kParameterWindow);
}

std::optional<Fault> BlockChecks::check_initialised(const WarpAccess& access, unsigned lane,
                                                    std::uint64_t address) const {
  UninitialisedBytes& uninitialised = *DeviceMemory::instance()->uninitialised();
  if (access.facts.reads && !access.facts.may_be_unused &&
      uninitialised.all_uninitialised(address, access.size)) {
    return uninitialised_fault(access.warp, lane, address, access.size, access.kind, access.space,
                               access.site);
  }
  if (access.facts.writes) {
    uninitialised.mark_written(address, access.size);
  }
  return std::nullopt;
}

BlockChecks::WarpAccess BlockChecks::access_of(const Warp& warp, std::uint32_t size,
                                               AccessKind kind, AccessSpace space, Site site) {
  KnownSite& known = known_sites_[site % known_sites_.size()];
  if (known.site != site || known.kind != kind) {
    const AccessFactsTable& facts = grid_->facts();
    known = {site, kind, facts.of(kind, site), facts.number(site)};
  }
  return {warp, size, kind, space, site, known.facts, known.number};
}

const WarpTime& BlockChecks::time() {
  if (time_at_ == ordering_.now()) {
    return time_;
  }
  time_at_ = ordering_.now();
  time_ = warp_time(ordering_, *grid_->run(), races_->is_fine(), has_strong_accesses_ ? 1 : kLanes);
  return time_;
}

std::optional<Fault> BlockChecks::access(const Warp& warp, LaneMask active,
                                         const std::uint64_t* addresses, std::uint32_t size,
                                         AccessKind kind, AccessSpace space, Site site) {
  if (!(checks_.race || checks_.init) || size == 0 || active == 0) {
    return std::nullopt;
  }
  const WarpAccess access = access_of(warp, size, kind, space, site);
  const std::uint64_t base =
      space == AccessSpace::kShared ? reinterpret_cast<std::uint64_t>(warp.shared) : 0;
  if (checks_.race) {
    ordering_.finish_reads();
  }
  // Rows of consecutive addresses, and how lanes have the same address as others.
  LaneMask left = active;
  bool ascends = true;
  bool one = true;
  const auto first = static_cast<unsigned>(std::countr_zero(active));
  for (unsigned lane = first, next = 0; lane < kLanes; lane = next) {
    next = lane + 1;
    if ((active >> lane & 1) == 0) {
      continue;
    }
    while (next < kLanes && (active >> next & 1) != 0 &&
           addresses[next] == addresses[next - 1] + size) {
      ++next;
    }
    one = one && addresses[lane] == addresses[first] && next == lane + 1;
    ascends = ascends && (next == kLanes || (active >> next & 1) == 0 ||
                          addresses[next] > addresses[next - 1]);
    if (next - lane >= 4) {
      check_row(access, lane, next - lane, addresses[lane] + base, left);
    }
  }
  if (one) {
    return check_one(access, active, addresses[first] + base);
  }
  if (kind == AccessKind::kStore && !ascends) {
    // Of lanes with one address, the last one's value is stored.
    for (LaneMask lanes = left; lanes != 0; lanes &= lanes - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
      for (LaneMask later = lanes & (lanes - 1); later != 0; later &= later - 1) {
        if (addresses[std::countr_zero(later)] == addresses[lane]) {
          left &= ~(1U << lane);
          break;
        }
      }
    }
  }
  for (; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    if (auto fault = check_lane(access, lane, addresses[lane] + base)) {
      return fault;
    }
  }
  return std::nullopt;
}

std::optional<Fault> BlockChecks::access_row(const Warp& warp, LaneMask active, std::uint64_t first,
                                             std::uint32_t stride, std::uint32_t size,
                                             AccessKind kind, AccessSpace space, Site site) {
  if (!(checks_.race || checks_.init) || active == 0) {
    return std::nullopt;
  }
  const WarpAccess access = access_of(warp, size, kind, space, site);
  const std::uint64_t address =
      first + (space == AccessSpace::kShared ? reinterpret_cast<std::uint64_t>(warp.shared) : 0);
  if (checks_.race) {
    ordering_.finish_reads();
  }
  if (stride == 0) {
    return check_one(access, active, address);
  }
  LaneMask left = active;
  check_row(access, 0, kLanes, address, left);
  for (; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    if (auto fault = check_lane(access, lane, address + std::uint64_t{lane} * size)) {
      return fault;
    }
  }
  return std::nullopt;
}

void BlockChecks::check_row(const WarpAccess& access, unsigned lane, unsigned lanes,
                            std::uint64_t address, LaneMask& left) {
  const LaneMask row = lanes == kLanes ? kAllLanes : ((1U << lanes) - 1) << lane;
  if (is_own(access, address)) {
    return; // lane by lane, because the window may end in the row
  }
  LaneMask more = 0;
  if (checks_.init) {
    UninitialisedBytes& uninitialised = *DeviceMemory::instance()->uninitialised();
    const std::uint64_t bytes = std::uint64_t{lanes} * access.size;
    if (!uninitialised.none_uninitialised(address, bytes)) {
      if (access.kind != AccessKind::kStore || (left & row) != row) {
        more = row;
      } else {
        uninitialised.mark_written(address, bytes);
      }
    }
  }
  if (more == 0 && checks_races(address)) {
    more = races_of_row(access, lane, lanes, address, left & row);
  }
  left &= ~row | more;
}

LaneMask BlockChecks::races_of_row(const WarpAccess& access, unsigned lane, unsigned lanes,
                                   std::uint64_t address, LaneMask active) {
  static const RowCheck check = row_check();
  // Of parts of words, from the first whole word on.
  unsigned skipped = 0;
  while (access.size < 4 && skipped < lanes &&
         (address + std::uint64_t{skipped} * access.size) % 4 != 0) {
    ++skipped;
  }
  lane += skipped;
  lanes -= skipped;
  address += std::uint64_t{skipped} * access.size;
  if (access.facts.strong || access.size > 8 || address % 4 != 0 || lanes == 0 ||
      !cells_->covers(address)) {
    return active;
  }
  RowAccess row;
  row.writes = cells_->write(address);
  row.reads = cells_->read(address);
  row.words = access.size == 8 ? 2 : 1;
  row.parts = access.size < 4 ? 4 / access.size : 1;
  const CellKind kind = row.parts == 4   ? CellKind::kBytes
                        : row.parts == 2 ? CellKind::kHalves
                                         : CellKind::kWeak;
  row.first = Cell(ordering_.now(), access.number, access.first_thread() + lane, kind).bits();
  row.lanes = lanes;
  const LaneMask in_row = lanes == kLanes ? kAllLanes : (1U << lanes) - 1;
  row.active = active >> lane & in_row;
  row.is_store = access.kind == AccessKind::kStore;
  row.shared = races_->is_shared(address);
  return (active & ~(in_row << lane)) | check(time(), row) << lane;
}

std::optional<Fault> BlockChecks::check_lane(const WarpAccess& access, unsigned lane,
                                             std::uint64_t address) {
  if (is_own(access, address)) {
    return std::nullopt;
  }
  if (checks_.init) {
    if (auto fault = check_initialised(access, lane, address)) {
      return fault;
    }
  }
  return checks_races(address) ? check_race(access, lane, address) : std::nullopt;
}

std::optional<Fault> BlockChecks::check_one(const WarpAccess& access, LaneMask active,
                                            std::uint64_t address) {
  if (is_own(access, address)) {
    return std::nullopt;
  }
  if (checks_.init) {
    if (auto fault =
            check_initialised(access, static_cast<unsigned>(std::countr_zero(active)), address)) {
      return fault;
    }
  }
  return checks_races(address) ? check_race_of_all(access, active, address) : std::nullopt;
}

void BlockChecks::heap_given(std::uint64_t address, std::uint64_t size) {
  if (races_) {
    races_->forget(address, size);
  }
}

Scope BlockChecks::barrier_scope() const {
  return block_->cluster != nullptr ? Scope::kDevice : Scope::kBlock;
}

void BlockChecks::release(const Warp& warp, unsigned lane, std::uint64_t barrier, bool relaxed) {
  if (checks_.race) {
    ordering_.finish_reads();
    ordering_.write_strongly(warp.warp_index * kLanes + lane, barrier, !relaxed, barrier_scope());
  }
}

void BlockChecks::acquire(const Warp& warp, unsigned lane, std::uint64_t barrier) {
  if (checks_.race) {
    ordering_.read_strongly(warp.warp_index * kLanes + lane, barrier, true, barrier_scope());
  }
}

void BlockChecks::fence(const Warp& warp, LaneMask active, bool beyond_block) {
  if (checks_.race) {
    ordering_.fence(warp.warp_index, active, beyond_block ? Scope::kDevice : Scope::kBlock);
  }
}

Fault BlockChecks::fault_of(const WarpAccess& access, unsigned lane, std::uint64_t address,
                            const Race& race) const {
  return race_fault(access.warp, lane, address, access.size, access.facts, access.site,
                    racing_access(*races_, ordering_, race));
}

std::optional<Fault> BlockChecks::check_race(const WarpAccess& access, unsigned lane,
                                             std::uint64_t address) {
  const AccessFacts& facts = access.facts;
  const std::uint32_t thread = access.first_thread() + lane;
  if (!facts.strong && access.size == 4 && cells_->covers(address)) {
    const Cell mine(ordering_.now(), access.number, thread, CellKind::kWeak);
    if (check_word(time(), cells_->write(address), cells_->read(address), mine.bits(), facts.writes,
                   races_->is_shared(address))) {
      return std::nullopt;
    }
  }
  // Other blocks' shared memory may have had the address before.
  const bool is_wide = facts.beyond_block && !races_->is_shared(address);
  const Scope scope = is_wide ? Scope::kDevice : Scope::kBlock;
  if (facts.strong && facts.reads) {
    ordering_.read_strongly(thread, address, facts.acquires, scope);
  }
  const ThreadAccess one{thread, address, access.size, facts, access.number};
  if (const auto race = races_->access(one)) {
    return fault_of(access, lane, address, *race);
  }
  if (facts.strong && facts.writes) {
    ordering_.write_strongly(thread, address, facts.releases, scope);
  }
  return std::nullopt;
}

/// Of an access by all active lanes to one address.
std::optional<Fault> BlockChecks::check_race_of_all(const WarpAccess& access, LaneMask active,
                                                    std::uint64_t address) {
  const auto first = static_cast<unsigned>(std::countr_zero(active));
  const unsigned last = kLanes - 1 - static_cast<unsigned>(std::countl_zero(active));
  if (access.kind == AccessKind::kStore && !access.facts.strong) {
    return check_race(access, last, address);
  }
  if (access.facts.strong) {
    for (LaneMask left = active; left != 0; left &= left - 1) {
      if (auto fault = check_race(access, static_cast<unsigned>(std::countr_zero(left)), address)) {
        return fault;
      }
    }
    return std::nullopt;
  }
  const std::uint32_t before = access.first_thread();
  if (access.size == 4 && has_strong_accesses_ && first != last && cells_->covers(address)) {
    const Cell mine(ordering_.now(), access.number, before + first, CellKind::kWeak);
    if (check_word_of_all(time(), cells_->write(address), cells_->read(address), mine.bits(),
                          races_->is_shared(address))) {
      return std::nullopt;
    }
  }
  const ThreadAccess all{before + first, address, access.size, access.facts, access.number};
  if (const auto race = races_->access_by_several(all, before + last)) {
    return fault_of(access, first, address, *race);
  }
  return std::nullopt;
}

std::optional<Fault> BlockChecks::arrive_in_warp(const Warp& warp, LaneMask active,
                                                 const LaneMask* masks, Site site) {
  if (!checks_.sync) {
    return std::nullopt;
  }
  for (LaneMask left = active; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    if ((masks[lane] >> lane & 1) == 0) {
      return foreign_mask_fault(warp, lane, masks[lane], site);
    }
    for (LaneMask others = masks[lane] & active; others != 0; others &= others - 1) {
      const auto other = static_cast<unsigned>(std::countr_zero(others));
      if (masks[other] != masks[lane]) {
        return masks_fault(warp, lane, masks[lane], other, masks[other], site);
      }
    }
  }
  return std::nullopt;
}

// Other operations exchange values and order nothing (CUDA C++ Programming Guide, "Warp Shuffle
// Functions": they do not imply a memory barrier).
void BlockChecks::complete_in_warp(const Warp& warp, LaneMask lanes, Exchange kind) {
  if (checks_.race && kind == Exchange::kBarrier) {
    ordering_.synchronise(warp.warp_index, lanes);
  }
}

std::optional<Fault> BlockChecks::arrive(const Warp& warp, const Arrival& arrival) {
  Arrivals& arrivals = arrivals_[arrival.id];
  std::optional<Site>& before = arrivals.sites[warp.warp_index];
  if (checks_.sync && before && *before != arrival.site &&
      (is_aligned(warp, arrival.site) || is_aligned(warp, *before))) {
    return divergent_barrier_fault(warp, arrival.lanes, arrival.id, *before, arrival.site);
  }
  before = arrival.site;
  arrivals.last = arrival.site;
  have_arrived_ = true;
  if (checks_.race) {
    ordering_.arrive(warp.warp_index, arrival.lanes, arrival.id, arrival.waits);
  }
  return std::nullopt;
}

void BlockChecks::complete(std::uint32_t barrier) {
  arrivals_[barrier] = {};
  if (checks_.race) {
    ordering_.complete(barrier, block_->alive);
  }
}

std::optional<Fault> BlockChecks::end(const Warp& warp) {
  for (std::uint32_t barrier = 0; checks_.sync && barrier < arrivals_.size(); ++barrier) {
    if (warp.block->barriers[barrier].open) {
      return open_barrier_fault(warp, barrier, arrivals_[barrier].last);
    }
  }
  return std::nullopt;
}

} // namespace gantry::simt::exec
