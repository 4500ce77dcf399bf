#include "simt/exec/loaded_program.h"

#include "simt/exec/device_memory.h"
#include "simt/exec/grid.h"
#include "simt/exec/range_allocator.h"
#include "simt/exec/refusal.h"
#include "simt/ptx/call_interface.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <numeric>

namespace gantry::simt::exec {

namespace {

/// Where shared variables are for kernels that do not reach them, but call functions that do
/// through pointers which another kernel has left: beyond all shared memory, so that an access is a
/// fault.
constexpr std::uint64_t kNoSharedOffset = 0x4000'0000;

// Handles of functions: sixteen apart, each program's beyond the last one's.
std::uint64_t take_handles(std::size_t count) {
  static std::atomic<std::uint64_t> next = kFirstHandle;
  return next.fetch_add((count + 1) * 16);
}

std::uint64_t value_of(const LoadedProgram::State& state, std::uint32_t module,
                       const ptx::InitialValue& initial) {
  if (!initial.symbol) {
    return initial.bits;
  }
  const ptx::Target& target = state.program->symbols[module][*initial.symbol];
  const std::uint64_t address = target.kind == ptx::Target::Kind::kFunction
                                    ? state.function_base + 16 * std::uint64_t{target.index}
                                    : state.addresses[target.index];
  const std::uint64_t value = address + initial.bits;
  return initial.masked ? value >> initial.mask_shift & 0xFF : value;
}

void write_initial(const LoadedProgram::State& state, const ptx::ProgramVariable& variable,
                   std::uint64_t address) {
  auto* bytes = reinterpret_cast<std::byte*>(address);
  const std::uint64_t size = variable.variable->size();
  std::memset(bytes, 0, size);
  const unsigned step = ptx::size_of(variable.variable->type);
  std::uint64_t offset = 0;
  for (const ptx::InitialValue& initial : variable.variable->initial) {
    if (offset + step > size) {
      break;
    }
    const std::uint64_t value = value_of(state, variable.module, initial);
    std::memcpy(bytes + offset, &value, std::min<unsigned>(step, sizeof value));
    offset += step;
  }
}

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

LoadedProgram::LoadedProgram(std::unique_ptr<State> state) : state_(std::move(state)) {}

LoadedProgram::~LoadedProgram() {
  for (const std::uint64_t address : state_->addresses) {
    if (address != 0) {
      DeviceMemory::instance()->free(address);
    }
  }
}

tl::expected<std::unique_ptr<LoadedProgram>, std::string>
LoadedProgram::load(std::shared_ptr<const ptx::Program> program, const LoadOptions& options) {
  DeviceMemory* memory = DeviceMemory::instance();
  if (memory == nullptr) {
    return tl::unexpected(std::string("no address space for device memory"));
  }
  std::unique_ptr<LoadedProgram> loaded(new LoadedProgram(std::make_unique<State>()));
  State& state = *loaded->state_;
  state.program = std::move(program);
  state.options = options;
  state.function_base = take_handles(state.program->functions.size());
  state.kernels.resize(state.program->functions.size());
  state.code = ProgramCode::of(state.program);
  for (const ptx::ProgramVariable& variable : state.program->variables) {
    std::uint64_t address = 0;
    if (variable.space != ptx::Space::kShared && variable.variable->size() != 0) {
      Allocation what;
      what.size = variable.variable->size();
      what.kind = variable.variable->managed ? MemoryKind::kManaged : MemoryKind::kGlobal;
      what.device = options.device;
      what.context = options.context;
      what.name = variable.name;
      const std::optional<std::uint64_t> place = memory->allocate(what);
      if (!place) {
        return tl::unexpected(
            fmt::format("no memory for the {} bytes of '{}'", what.size, variable.name));
      }
      address = *place;
    }
    state.addresses.push_back(address);
  }
  for (std::size_t i = 0; i < state.addresses.size(); ++i) {
    if (state.addresses[i] != 0) {
      write_initial(state, state.program->variables[i], state.addresses[i]);
    }
  }
  return loaded;
}

const ptx::Program& LoadedProgram::program() const {
  return *state_->program;
}

std::optional<LoadedProgram::Placed> LoadedProgram::variable(std::string_view name) const {
  const std::optional<std::uint32_t> index = state_->program->find_variable(name);
  if (!index || state_->addresses[*index] == 0) {
    return std::nullopt;
  }
  return Placed{state_->addresses[*index], state_->program->variables[*index].variable->size()};
}

std::optional<std::uint32_t> LoadedProgram::kernel(std::string_view name) const {
  return state_->program->find_entry(name);
}

const KernelFacts& LoadedProgram::facts(std::uint32_t kernel) const {
  return state_->prepared(kernel).facts;
}

const PreparedKernel& LoadedProgram::State::prepared(std::uint32_t kernel) {
  const std::lock_guard lock(kernels_mutex);
  std::unique_ptr<PreparedKernel>& place = kernels[kernel];
  if (!place) {
    place = std::make_unique<PreparedKernel>();
    place->reach = ptx::reach_of(*program, kernel);
    place->facts = facts_of(*program, kernel, place->reach);
    place->variables = addresses;
    for (std::size_t i = 0; i < addresses.size(); ++i) {
      if (program->variables[i].space == ptx::Space::kShared) {
        place->variables[i] = kNoSharedOffset;
      }
    }
    for (const ptx::Reach::Shared& shared : place->reach.shared) {
      place->variables[shared.variable] = shared.offset;
    }
    place->refusal = refusals_of(*program, place->reach);
  }
  return *place;
}

tl::expected<void, Fault> LoadedProgram::prepare(std::uint32_t kernel, const LaunchShape& shape,
                                                 bool with_callees) {
  const PreparedKernel& prepared = state_->prepared(kernel);
  if (!prepared.refusal.empty()) {
    return tl::unexpected(Fault{FaultCode::kIllegalInstruction, prepared.refusal});
  }
  for (const std::uint32_t function : prepared.reach.functions) {
    const bool needed = function == kernel || with_callees;
    if (!needed || program().functions[function].system_call) {
      continue;
    }
    auto ready = state_->code->make_ready(function, state_->mode(), geometry_of(shape));
    if (!ready) {
      return tl::unexpected(Fault{fault_without_code(), std::move(ready.error())});
    }
  }
  return {};
}

} // namespace gantry::simt::exec
