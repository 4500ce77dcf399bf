#include "simt/exec/checks/block_checks.h"

#include "simt/exec/blocks/block.h"
#include "simt/exec/checks/check_report.h"
#include "simt/exec/memory/device_memory.h"
#include "simt/exec/reports/report.h"

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
  const ptx::Program& program = *block.launch->program->program;
  const ptx::Module& module = *program.modules[program.functions[block.launch->kernel].module];
  if (checks_.race) {
    has_strong_accesses_ = module.target >= kIndependentThreads;
    ordering_.begin(block.warps, module.target < kIndependentThreads);
    races_.begin();
  }
  if (checks_.init) {
    const auto shared = reinterpret_cast<std::uint64_t>(first.shared);
    DeviceMemory::instance()->uninitialised()->mark_uninitialised(shared, first.shared_size);
  }
  if (std::exchange(have_arrived_, false)) {
    arrivals_ = {};
  }
}

std::optional<Fault> BlockChecks::access(const Warp& warp, LaneMask active,
                                         const std::uint64_t* addresses, std::uint32_t size,
                                         AccessKind kind, AccessSpace space, Site site) {
  if (!(checks_.race || checks_.init) || size == 0 || space == AccessSpace::kLocal ||
      space == AccessSpace::kConst) {
    return std::nullopt;
  }
  const AccessFacts& facts = facts_.of(*warp.block->launch->program->program, kind, site);
  const auto shared = reinterpret_cast<std::uint64_t>(warp.shared);
  const auto local = reinterpret_cast<std::uint64_t>(warp.local);
  const auto parameters = reinterpret_cast<std::uint64_t>(warp.parameters);
  races_.next_instruction();
  for (LaneMask left = active; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    const std::uint64_t address = addresses[lane] + (space == AccessSpace::kShared ? shared : 0);
    if (address - local < std::uint64_t{warp.local_stride} * kLanes ||
        address - parameters < kParameterWindow) {
      continue; // a generic address of memory that is the thread's own, or never changes
    }
    if (checks_.init) {
      UninitialisedBytes& uninitialised = *DeviceMemory::instance()->uninitialised();
      if (facts.reads && !facts.may_be_unused && uninitialised.all_uninitialised(address, size)) {
        return uninitialised_fault(warp, lane, address, size, kind, space, site);
      }
      if (facts.writes) {
        uninitialised.mark_written(address, size);
      }
    }
    if (checks_.race && (has_strong_accesses_ || address - shared < warp.shared_size)) {
      if (auto fault = check_race(warp, lane, address, size, facts, site)) {
        return fault;
      }
    }
  }
  return std::nullopt;
}

void BlockChecks::fence(const Warp& warp, LaneMask active) {
  if (checks_.race) {
    ordering_.fence(warp.warp_index, active);
  }
}

std::optional<Fault> BlockChecks::check_race(const Warp& warp, unsigned lane, std::uint64_t address,
                                             std::uint32_t size, const AccessFacts& facts,
                                             Site site) {
  const std::uint32_t thread = ordering_.thread(warp.warp_index, lane);
  if (facts.strong && facts.reads) {
    ordering_.read_strongly(thread, address, facts.acquires);
  }
  if (const auto race = races_.access(thread, address, size, facts, site)) {
    const RacingAccess other{ordering_.first_lane(race->thread), race->site, race->wrote};
    return race_fault(warp, lane, address, size, facts, site, other);
  }
  if (facts.strong && facts.writes) {
    ordering_.write_strongly(thread, address, facts.releases);
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
    ordering_.complete(barrier);
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
