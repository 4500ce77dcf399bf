#include "simt/exec/checks/access_facts.h"

#include <algorithm>
#include <utility>

namespace gantry::simt::exec {

namespace {

using ptx::Modifier;
using ptx::Opcode;

bool is_register(const ptx::Operand& operand) {
  return operand.kind == ptx::Operand::Kind::kRegister;
}

/// Whether the instruction takes a value apart or puts one together: compilers make an atomic
/// operation on a byte from one on the word around it.
bool passes_on(Opcode opcode) {
  return opcode == Opcode::k_mov || opcode == Opcode::k_cvt || opcode == Opcode::k_and ||
         opcode == Opcode::k_or || opcode == Opcode::k_shl || opcode == Opcode::k_shr;
}

/// Compilers hoist the load of a variable above the branch that needs its value, because its memory
/// always exists; they do not know that of other addresses. A copy may include padding of a
/// structure.
bool may_be_unused(const ptx::Function& function, const ptx::Instruction& load) {
  const bool is_of_variable = load.operands.size() > 1 &&
                              load.operands[1].kind == ptx::Operand::Kind::kAddress &&
                              !is_register(load.operands[1].members[0]);
  return is_of_variable || function.name == "memcpy" || function.name == "memmove";
}

/// How an instruction orders the threads that execute it.
AccessOrder order_of(const ptx::Instruction& instruction) {
  const auto has = [&](Modifier modifier) { return instruction.has(modifier); };
  switch (instruction.opcode) {
  case Opcode::k_fence:
  case Opcode::k_membar:
  case Opcode::k_mbarrier:
    return AccessOrder::kFinely;
  case Opcode::k_bar:
  case Opcode::k_barrier: {
    // With a count it is of some threads. A reduction has a result and a predicate, too.
    const std::size_t least = has(Modifier::kRed) ? 3 : 1;
    return has(Modifier::kWarp) || has(Modifier::kCluster) || has(Modifier::kArrive) ||
                   instruction.operands.size() > least
               ? AccessOrder::kFinely
               : AccessOrder::kBarriers;
  }
  default:
    return has(Modifier::kAcquire) || has(Modifier::kRelease) || has(Modifier::kAcqRel)
               ? AccessOrder::kFinely
               : AccessOrder::kNothing;
  }
}

/// Volatile accesses are of the whole system's scope, atomic operations of the device's, unless
/// they say another one. Scopes of a cluster count as the device's.
bool is_beyond_block(const ptx::Instruction& instruction) {
  return !instruction.has(Modifier::kCta);
}

} // namespace

AccessFactsTable::AccessFactsTable(std::shared_ptr<const ptx::Program> program)
    : program_(std::move(program)) {
  std::uint32_t count = 0;
  for (std::uint32_t function = 0; function < program_->functions.size(); ++function) {
    first_.push_back(count);
    if (!program_->functions[function].system_call) {
      count += static_cast<std::uint32_t>(program_->definition(function).instructions.size());
    }
  }
  first_.push_back(count);
  for (auto& facts : facts_) {
    facts = std::vector<std::atomic<std::uint8_t>>(count + 1);
  }
}

Site AccessFactsTable::site(std::uint32_t number) const {
  const auto after = std::ranges::upper_bound(first_, number);
  if (number >= first_.back() || after == first_.begin()) {
    return site_of(0xFFFFFFFF, 0);
  }
  const auto function = static_cast<std::uint32_t>(after - first_.begin() - 1);
  return site_of(function, number - first_[function]);
}

AccessOrder AccessFactsTable::order(std::uint32_t kernel) const {
  const std::lock_guard lock(mutex_);
  const auto [known, is_new] = orders_.try_emplace(kernel, AccessOrder::kNothing);
  if (is_new) {
    for (const std::uint32_t function : ptx::reachable_from(*program_, kernel).functions) {
      if (program_->functions[function].system_call) {
        continue;
      }
      for (const ptx::Instruction& instruction : program_->definition(function).instructions) {
        known->second = std::max(known->second, order_of(instruction));
      }
    }
  }
  return known->second;
}

std::uint8_t AccessFactsTable::packed(const AccessFacts& facts) {
  return static_cast<std::uint8_t>(
      kKnown | (facts.strong ? kIsStrong : 0) | (facts.acquires ? kAcquires : 0) |
      (facts.releases ? kReleases : 0) | (facts.beyond_block ? kBeyondBlock : 0) |
      (facts.may_be_unused ? kMayBeUnused : 0));
}

AccessFacts AccessFactsTable::find(AccessKind kind, Site site) const {
  const std::lock_guard lock(mutex_);
  const AccessFacts found = find_in(kind, site);
  facts_[static_cast<unsigned>(kind)][number(site)].store(packed(found), std::memory_order_relaxed);
  return found;
}

// The registers whose values an atom.cas of the function compares. A loop around atom.cas begins
// with an ordinary load, and an outdated value does no harm there.
const AccessFactsTable::Registers&
AccessFactsTable::guesses_of(std::uint32_t number, const ptx::Function& function) const {
  const auto [entry, is_new] = guesses_.try_emplace(number);
  Registers& guesses = entry->second;
  if (!is_new) {
    return guesses;
  }
  for (const ptx::Instruction& instruction : function.instructions) {
    if (instruction.has(Modifier::kCas) && instruction.operands.size() > 2 &&
        is_register(instruction.operands[2])) {
      guesses.insert(instruction.operands[2].index);
    }
  }
  for (std::size_t before = 0; before != guesses.size();) {
    before = guesses.size();
    for (const ptx::Instruction& instruction : function.instructions) {
      if (!passes_on(instruction.opcode) || instruction.operands.empty() ||
          !is_register(instruction.operands[0]) ||
          !guesses.contains(instruction.operands[0].index)) {
        continue;
      }
      for (std::size_t i = 1; i < instruction.operands.size(); ++i) {
        if (is_register(instruction.operands[i])) {
          guesses.insert(instruction.operands[i].index);
        }
      }
    }
  }
  return guesses;
}

AccessFacts AccessFactsTable::find_in(AccessKind kind, Site site) const {
  const ptx::Program& program = *program_;
  AccessFacts facts;
  facts.reads = kind != AccessKind::kStore;
  facts.writes = kind != AccessKind::kLoad;
  facts.strong = facts.beyond_block = kind == AccessKind::kAtomic;
  const auto number = static_cast<std::uint32_t>(site >> 32);
  const std::uint64_t index = site & 0xFFFFFFFF;
  if (number >= program.functions.size() || program.functions[number].system_call) {
    return facts;
  }
  const ptx::Function& function = program.definition(number);
  if (index >= function.instructions.size()) {
    return facts;
  }
  const ptx::Instruction& instruction = function.instructions[index];
  const auto has = [&](Modifier modifier) { return instruction.has(modifier); };
  if (instruction.opcode == Opcode::k_mbarrier || has(Modifier::kMbarrier) ||
      has(Modifier::kMbarrierBytes) || has(Modifier::kBulk)) {
    // BlockWatch hears of arrivals, and of waits that are over. A bulk copy may include padding.
    facts.may_be_unused = has(Modifier::kBulk);
    return facts;
  }
  facts.acquires = facts.reads && (has(Modifier::kAcquire) || has(Modifier::kAcqRel));
  facts.releases = facts.writes && (has(Modifier::kRelease) || has(Modifier::kAcqRel));
  facts.strong = facts.strong || facts.acquires || facts.releases || has(Modifier::kRelaxed) ||
                 has(Modifier::kVolatile) || has(Modifier::kMmio) || has(Modifier::kCv);
  facts.beyond_block = is_beyond_block(instruction);
  if (kind == AccessKind::kLoad && !instruction.operands.empty()) {
    const ptx::Operand& result = instruction.operands[0];
    facts.strong = facts.strong ||
                   (is_register(result) && guesses_of(number, function).contains(result.index));
    facts.may_be_unused = may_be_unused(function, instruction);
  }
  return facts;
}

} // namespace gantry::simt::exec
