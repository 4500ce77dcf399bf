#include "simt/exec/block_checks.h"

#include "simt/exec/block.h"
#include "simt/exec/check_report.h"
#include "simt/exec/device_memory.h"
#include "simt/exec/loaded_program.h"
#include "simt/exec/report.h"

#include <bit>
#include <set>
#include <utility>

namespace gantry::simt::exec {

namespace {

using ptx::Modifier;
using ptx::Opcode;

/// The first target whose threads of a warp are not in lockstep, and whose programs say which loads
/// and stores are strong.
constexpr unsigned kIndependentThreads = 70;

bool is_register(const ptx::Operand& operand) {
  return operand.kind == ptx::Operand::Kind::kRegister;
}

/// Whether a result is a part of an operand, or has one as a part: what is atomic of a byte is so
/// of the word around it.
bool passes_on(Opcode opcode) {
  return opcode == Opcode::k_mov || opcode == Opcode::k_cvt || opcode == Opcode::k_and ||
         opcode == Opcode::k_or || opcode == Opcode::k_shl || opcode == Opcode::k_shr;
}

/// Whether what the load gives is compared by an atom.cas of the function: such loops begin with an
/// ordinary load, and a value that is not the last one does no harm there.
bool is_guess(const ptx::Function& function, const ptx::Instruction& load) {
  if (load.operands.empty() || !is_register(load.operands[0])) {
    return false;
  }
  std::set<std::uint32_t> holds = {load.operands[0].index};
  for (std::size_t before = 0; before != holds.size();) {
    before = holds.size();
    for (const ptx::Instruction& instruction : function.instructions) {
      const std::vector<ptx::Operand>& operands = instruction.operands;
      const auto has = [&](std::size_t index) {
        return operands.size() > index && is_register(operands[index]) &&
               holds.contains(operands[index].index);
      };
      if (instruction.has(Modifier::kCas) && has(2)) {
        return true;
      }
      if (passes_on(instruction.opcode) && (has(1) || has(2)) && is_register(operands[0])) {
        holds.insert(operands[0].index);
      }
    }
  }
  return false;
}

/// Compilers load a variable early, in front of the branch behind which its value is used: memory
/// is there in any case. They do not know that of other addresses. And what is copied may be a gap
/// between the members of a structure.
bool may_be_unused(const ptx::Function& function, const ptx::Instruction& load) {
  const bool is_of_variable = load.operands.size() > 1 &&
                              load.operands[1].kind == ptx::Operand::Kind::kAddress &&
                              !is_register(load.operands[1].members[0]);
  return is_of_variable || function.name == "memcpy" || function.name == "memmove";
}

AccessFacts facts_at(const Warp& warp, AccessKind kind, Site site) {
  AccessFacts facts;
  facts.reads = kind != AccessKind::kStore;
  facts.writes = kind != AccessKind::kLoad;
  const Place place = look_up(warp, site);
  const ptx::Instruction* const instruction = place.instruction;
  const auto has = [&](Modifier modifier) {
    return instruction != nullptr && instruction->has(modifier);
  };
  facts.acquires = facts.reads && (has(Modifier::kAcquire) || has(Modifier::kAcqRel));
  facts.releases = facts.writes && (has(Modifier::kRelease) || has(Modifier::kAcqRel));
  facts.strong = kind == AccessKind::kAtomic || facts.acquires || facts.releases ||
                 has(Modifier::kRelaxed) || has(Modifier::kVolatile) || has(Modifier::kMmio) ||
                 has(Modifier::kCv) ||
                 (kind == AccessKind::kLoad && instruction != nullptr &&
                  is_guess(*place.function, *instruction));
  facts.may_be_unused = kind == AccessKind::kLoad && instruction != nullptr &&
                        may_be_unused(*place.function, *instruction);
  return facts;
}

/// bar, which is always aligned, or barrier.aligned: all lanes of a warp execute the same one.
bool is_aligned(const Warp& warp, Site site) {
  const ptx::Instruction* instruction = look_up(warp, site).instruction;
  return instruction != nullptr &&
         (instruction->opcode == Opcode::k_bar || instruction->has(Modifier::kAligned));
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
    DeviceMemory::instance()->fresh()->mark_fresh(shared, first.shared_size);
  }
  if (std::exchange(grid_, block.launch->grid_id) != block.launch->grid_id) {
    for (auto& facts : facts_) {
      facts.clear();
    }
  }
  if (std::exchange(have_arrived_, false)) {
    arrivals_ = {};
  }
}

const AccessFacts& BlockChecks::facts_of(const Warp& warp, AccessKind kind, Site site) {
  auto& known = facts_[static_cast<unsigned>(kind)];
  const auto found = known.find(site);
  return found != known.end() ? found->second
                              : known.emplace(site, facts_at(warp, kind, site)).first->second;
}

void BlockChecks::access(Warp& warp, LaneMask active, const std::uint64_t* addresses,
                         std::uint32_t size, AccessKind kind, AccessSpace space, Site site) {
  if (!(checks_.race || checks_.init) || size == 0 || space == AccessSpace::kLocal ||
      space == AccessSpace::kConst) {
    return;
  }
  const AccessFacts& facts = facts_of(warp, kind, site);
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
      FreshBytes& fresh = *DeviceMemory::instance()->fresh();
      if (facts.reads && !facts.may_be_unused && fresh.all_fresh(address, size)) {
        warp.block->fail(warp, fresh_fault(warp, lane, address, size, kind, space, site));
      }
      if (facts.writes) {
        fresh.mark_written(address, size);
      }
    }
    if (checks_.race && (has_strong_accesses_ || address - shared < warp.shared_size)) {
      check_race(warp, lane, address, size, facts, site);
    }
  }
}

void BlockChecks::fence(const Warp& warp, LaneMask active) {
  if (checks_.race) {
    ordering_.fence(warp.warp_index, active);
  }
}

void BlockChecks::check_race(Warp& warp, unsigned lane, std::uint64_t address, std::uint32_t size,
                             const AccessFacts& facts, Site site) {
  const std::uint32_t thread = ordering_.thread(warp.warp_index, lane);
  if (facts.strong && facts.reads) {
    ordering_.read_strongly(thread, address, facts.acquires);
  }
  if (const auto race = races_.access(thread, address, size, facts, site)) {
    const RacingAccess other{ordering_.first_lane(race->thread), race->site, race->wrote};
    warp.block->fail(warp, race_fault(warp, lane, address, size, facts, site, other));
  }
  if (facts.strong && facts.writes) {
    ordering_.write_strongly(thread, address, facts.releases);
  }
}

void BlockChecks::come_together(Warp& warp, LaneMask active, const LaneMask* masks, Site site) {
  if (!checks_.sync) {
    return;
  }
  for (LaneMask left = active; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    if ((masks[lane] >> lane & 1) == 0) {
      warp.block->fail(warp, foreign_mask_fault(warp, lane, masks[lane], site));
    }
    for (LaneMask others = masks[lane] & active; others != 0; others &= others - 1) {
      const auto other = static_cast<unsigned>(std::countr_zero(others));
      if (masks[other] != masks[lane]) {
        warp.block->fail(warp, masks_fault(warp, lane, masks[lane], other, masks[other], site));
      }
    }
  }
}

// Other operations exchange values and order nothing (CUDA C++ Programming Guide, "Warp Shuffle
// Functions": they do not imply a memory barrier).
void BlockChecks::meet(const Warp& warp, LaneMask lanes, Exchange kind) {
  if (checks_.race && kind == Exchange::kBarrier) {
    ordering_.meet(warp.warp_index, lanes);
  }
}

void BlockChecks::arrive(Warp& warp, LaneMask active, std::uint32_t barrier, bool waits,
                         Site site) {
  Arrivals& arrivals = arrivals_[barrier];
  std::optional<Site>& before = arrivals.sites[warp.warp_index];
  if (checks_.sync && before && *before != site &&
      (is_aligned(warp, site) || is_aligned(warp, *before))) {
    warp.block->fail(warp, divergent_barrier_fault(warp, active, barrier, *before, site));
  }
  before = site;
  arrivals.last = site;
  have_arrived_ = true;
  if (checks_.race) {
    ordering_.arrive(warp.warp_index, active, barrier, waits);
  }
}

void BlockChecks::pass(std::uint32_t barrier) {
  arrivals_[barrier] = {};
  if (checks_.race) {
    ordering_.pass(barrier);
  }
}

void BlockChecks::end(Warp& warp) {
  for (std::uint32_t barrier = 0; checks_.sync && barrier < arrivals_.size(); ++barrier) {
    if (warp.block->barriers[barrier].open) {
      warp.block->fail(warp, open_barrier_fault(warp, barrier, arrivals_[barrier].last));
    }
  }
}

} // namespace gantry::simt::exec
