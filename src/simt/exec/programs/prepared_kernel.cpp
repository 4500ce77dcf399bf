#include "simt/exec/programs/prepared_kernel.h"

#include "simt/exec/verifier/verifier.h"
#include "simt/memory/range_allocator.h"
#include "simt/ptx/call_interface.h"

#include <algorithm>
#include <fmt/format.h>

namespace gantry::simt::exec {

namespace {

/// The offset of shared variables that a kernel's call graph does not use: beyond all shared
/// memory, so that an access is a fault. Functions may use them whose addresses another kernel has
/// left in memory.
constexpr std::uint64_t kNoSharedOffset = 0x4000'0000;

std::uint32_t product(const ptx::Dim3& size) {
  return size.x == 0 ? 0 : size.x * std::max(1U, size.y) * std::max(1U, size.z);
}

KernelFacts facts_of(const ptx::Program& program, std::uint32_t kernel,
                     const ptx::Reachable& reachable) {
  const ptx::Function& entry = program.definition(kernel);
  KernelFacts facts;
  const ptx::ParameterLayout layout = ptx::layout_of_parameters(entry);
  for (std::size_t i = 0; i < layout.offsets.size(); ++i) {
    const std::uint64_t size = entry.variables[entry.parameters[i]].size();
    facts.parameters.push_back(
        {static_cast<std::uint32_t>(layout.offsets[i]), static_cast<std::uint32_t>(size)});
  }
  facts.parameter_bytes = static_cast<std::uint32_t>(layout.bytes);
  facts.static_shared = reachable.static_shared;
  // As if each reachable function were called once, by the one before it.
  std::uint64_t local_bytes = 0;
  for (const std::uint32_t function : reachable.functions) {
    if (program.functions[function].system_call) {
      continue;
    }
    for (const ptx::Variable& variable : program.definition(function).variables) {
      if (variable.space == ptx::Space::kLocal) {
        local_bytes = round_up(local_bytes, variable.alignment) + variable.size();
      }
    }
  }
  facts.local_bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(local_bytes, UINT32_MAX));
  for (const ptx::ProgramVariable& variable : program.variables) {
    if (variable.space == ptx::Space::kConst) {
      facts.const_bytes += static_cast<std::uint32_t>(variable.variable->size());
    }
  }
  // PTX has any number of virtual registers; an assembler allocates a fraction of them.
  facts.registers =
      std::clamp<std::uint32_t>(static_cast<std::uint32_t>(entry.registers.size() / 4), 16, 128);
  if (entry.max_registers != 0) {
    facts.registers = std::min(facts.registers, entry.max_registers);
  }
  facts.max_threads = 1024;
  if (const std::uint32_t bound = product(entry.max_threads)) {
    facts.max_threads = std::min(facts.max_threads, bound);
  }
  if (const std::uint32_t bound = product(entry.required_threads)) {
    facts.max_threads = std::min(facts.max_threads, bound);
    facts.required_threads[0] = entry.required_threads.x;
    facts.required_threads[1] = std::max(1U, entry.required_threads.y);
    facts.required_threads[2] = std::max(1U, entry.required_threads.z);
  }
  if (product(entry.cluster) != 0) {
    facts.required_cluster[0] = entry.cluster.x;
    facts.required_cluster[1] = std::max(1U, entry.cluster.y);
    facts.required_cluster[2] = std::max(1U, entry.cluster.z);
  }
  facts.needs_cluster = entry.explicit_cluster;
  for (const std::uint32_t function : reachable.functions) {
    if (!program.functions[function].system_call) {
      facts.has_cluster_barrier |= std::ranges::any_of(
          program.definition(function).instructions, [](const ptx::Instruction& instruction) {
            return instruction.opcode == ptx::Opcode::k_barrier &&
                   instruction.has(ptx::Modifier::kCluster);
          });
    }
  }
  facts.most_blocks_of_cluster = entry.max_cluster_rank;
  return facts;
}

/// What is wrong with a call by name that passes .param variables of other sizes than the callee's;
/// calls by pointer may, because their prototype is the caller's word.
std::string call_error(const ptx::Program& program, std::uint32_t caller,
                       const ptx::Instruction& call) {
  if (call.opcode != ptx::Opcode::k_call || call.operands[1].kind != ptx::Operand::Kind::kSymbol) {
    return {};
  }
  const std::uint32_t module = program.functions[caller].module;
  const ptx::Function& from = program.definition(caller);
  const ptx::Function& callee =
      program.definition(program.symbols[module][call.operands[1].index].index);
  const auto first_wrong = [&](const ptx::Operand& passed,
                               const std::vector<std::uint32_t>& formals) -> const ptx::Variable* {
    for (std::size_t i = 0; i < formals.size() && i < passed.members.size(); ++i) {
      const ptx::Operand& actual = passed.members[i];
      const ptx::Variable& formal = callee.variables[formals[i]];
      if (actual.kind == ptx::Operand::Kind::kVariable && formal.size() != 0 &&
          ptx::passed_as(from.variables[actual.index]) != ptx::passed_as(formal)) {
        return &formal;
      }
    }
    return nullptr;
  };
  const ptx::Variable* wrong = first_wrong(call.operands[2], callee.parameters);
  wrong = wrong != nullptr ? wrong : first_wrong(call.operands[0], callee.results);
  return wrong == nullptr
             ? std::string{}
             : fmt::format("Type of argument does not match formal parameter '{}' of '{}'",
                           wrong->name, callee.name);
}

// The errors of all instructions that the kernel can reach, as an assembler prints them.
std::string verify_reachable(const ptx::Program& program, const ptx::Reachable& reachable) {
  std::string text;
  unsigned count = 0;
  const ptx::Function& kernel = program.definition(reachable.functions.front());
  if (kernel.blocks_are_clusters && product(kernel.cluster) > 1) {
    text =
        fmt::format("ptxas {}, line {}:{}; error   : Feature '.blocksareclusters', with clusters "
                    "of more than one block, not supported in function '{}'\n",
                    program.modules[program.functions[reachable.functions.front()].module]->name,
                    kernel.location.line, kernel.location.column, kernel.name);
  }
  for (const std::uint32_t index : reachable.functions) {
    if (program.functions[index].system_call) {
      continue;
    }
    const ptx::Function& function = program.definition(index);
    const std::string& module = program.modules[program.functions[index].module]->name;
    for (const ptx::Instruction& instruction : function.instructions) {
      std::string error = verify(instruction, function);
      if (error.empty()) {
        error = call_error(program, index, instruction);
      }
      if (error.empty()) {
        continue;
      }
      if (++count > 20) {
        return text + "ptxas fatal   : too many errors\n";
      }
      text +=
          fmt::format("ptxas {}, line {}:{}; error   : {} in function '{}'\n", module,
                      instruction.location.line, instruction.location.column, error, function.name);
    }
  }
  return text;
}

} // namespace

PreparedKernel prepare_kernel(const ptx::Program& program, std::uint32_t kernel,
                              const std::vector<std::uint64_t>& addresses) {
  PreparedKernel prepared;
  prepared.reachable = ptx::reachable_from(program, kernel);
  prepared.facts = facts_of(program, kernel, prepared.reachable);
  prepared.variables = addresses;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    if (program.variables[i].space == ptx::Space::kShared) {
      prepared.variables[i] = kNoSharedOffset;
    }
  }
  for (const ptx::Reachable::Shared& shared : prepared.reachable.shared) {
    prepared.variables[shared.variable] = shared.offset;
  }
  prepared.verification_error = verify_reachable(program, prepared.reachable);
  return prepared;
}

} // namespace gantry::simt::exec
