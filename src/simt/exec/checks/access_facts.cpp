#include "simt/exec/checks/access_facts.h"

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

} // namespace

// The registers whose values an atom.cas of the function compares. A loop around atom.cas begins
// with an ordinary load, and an outdated value does no harm there.
const AccessFactsTable::Registers& AccessFactsTable::guesses_of(std::uint32_t number,
                                                                const ptx::Function& function) {
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

AccessFacts AccessFactsTable::find(const ptx::Program& program, AccessKind kind, Site site) {
  AccessFacts facts;
  facts.reads = kind != AccessKind::kStore;
  facts.writes = kind != AccessKind::kLoad;
  facts.strong = kind == AccessKind::kAtomic;
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
  facts.acquires = facts.reads && (has(Modifier::kAcquire) || has(Modifier::kAcqRel));
  facts.releases = facts.writes && (has(Modifier::kRelease) || has(Modifier::kAcqRel));
  facts.strong = facts.strong || facts.acquires || facts.releases || has(Modifier::kRelaxed) ||
                 has(Modifier::kVolatile) || has(Modifier::kMmio) || has(Modifier::kCv);
  if (kind == AccessKind::kLoad && !instruction.operands.empty()) {
    const ptx::Operand& result = instruction.operands[0];
    facts.strong = facts.strong ||
                   (is_register(result) && guesses_of(number, function).contains(result.index));
    facts.may_be_unused = may_be_unused(function, instruction);
  }
  return facts;
}

const AccessFacts& AccessFactsTable::of(const ptx::Program& program, AccessKind kind, Site site) {
  if (program_ != program.hash) {
    program_ = program.hash;
    guesses_.clear();
    for (auto& known : known_) {
      known.clear();
    }
  }
  auto& known = known_[static_cast<unsigned>(kind)];
  const auto found = known.find(site);
  return found != known.end() ? found->second
                              : known.emplace(site, find(program, kind, site)).first->second;
}

} // namespace gantry::simt::exec
