#include "simt/exec/programs/prepared_kernel.h"

#include "simt/exec/memory/range_allocator.h"
#include "simt/exec/verifier/verifier.h"
#include "simt/ptx/call_interface.h"

#include <algorithm>
#include <fmt/format.h>

namespace gantry::simt::exec {

namespace {

/// Where shared variables are for kernels that do not reach them, but call functions that do
/// through pointers which another kernel has left: beyond all shared memory, so that an access is a
/// fault.
constexpr std::uint64_t kNoSharedOffset = 0x4000'0000;

std::uint32_t product(const ptx::Dim3& size) {
  return size.x == 0 ? 0 : size.x * std::max(1U, size.y) * std::max(1U, size.z);
}

KernelFacts facts_of(const ptx::Program& program, std::uint32_t kernel, const ptx::Reach& reach) {
  const ptx::Function& entry = program.definition(kernel);
  KernelFacts facts;
  const ptx::ParameterLayout layout = ptx::layout_of_parameters(entry);
  for (std::size_t i = 0; i < layout.offsets.size(); ++i) {
    const std::uint64_t size = entry.variables[entry.parameters[i]].size();
    facts.parameters.push_back(
        {static_cast<std::uint32_t>(layout.offsets[i]), static_cast<std::uint32_t>(size)});
  }
  facts.parameter_bytes = static_cast<std::uint32_t>(layout.bytes);
  facts.static_shared = reach.static_shared;
  // As if each function reached were called once, by the one before.
  std::uint64_t local_bytes = 0;
  for (const std::uint32_t function : reach.functions) {
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
  // PTX names as many registers as it likes; a real assembler gets by with a fraction.
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
  return facts;
}

// What the kernel reaches and the executor cannot do, as an assembler would say it.
std::string refusals_of(const ptx::Program& program, const ptx::Reach& reach) {
  std::string text;
  unsigned count = 0;
  const ptx::Function& kernel = program.definition(reach.functions.front());
  if (product(kernel.cluster) > 1) {
    text = fmt::format("ptxas {}, line {}:{}; error   : Feature '.reqnctapercluster', of more than "
                       "one block, not supported in function '{}'\n",
                       program.modules[program.functions[reach.functions.front()].module]->name,
                       kernel.location.line, kernel.location.column, kernel.name);
  }
  for (const std::uint32_t index : reach.functions) {
    if (program.functions[index].system_call) {
      continue;
    }
    const ptx::Function& function = program.definition(index);
    const std::string& module = program.modules[program.functions[index].module]->name;
    for (const ptx::Instruction& instruction : function.instructions) {
      const std::string refusal = refusal_of(instruction, function);
      if (refusal.empty()) {
        continue;
      }
      if (++count > 20) {
        return text + "ptxas fatal   : too many errors\n";
      }
      text += fmt::format("ptxas {}, line {}:{}; error   : {} in function '{}'\n", module,
                          instruction.location.line, instruction.location.column, refusal,
                          function.name);
    }
  }
  return text;
}

} // namespace

PreparedKernel prepare_kernel(const ptx::Program& program, std::uint32_t kernel,
                              const std::vector<std::uint64_t>& addresses) {
  PreparedKernel prepared;
  prepared.reach = ptx::reach_of(program, kernel);
  prepared.facts = facts_of(program, kernel, prepared.reach);
  prepared.variables = addresses;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    if (program.variables[i].space == ptx::Space::kShared) {
      prepared.variables[i] = kNoSharedOffset;
    }
  }
  for (const ptx::Reach::Shared& shared : prepared.reach.shared) {
    prepared.variables[shared.variable] = shared.offset;
  }
  prepared.refusal = refusals_of(program, prepared.reach);
  return prepared;
}

} // namespace gantry::simt::exec
