#include "simt/exec/programs/program_state.h"

#include "simt/memory/device_memory.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <fmt/format.h>

namespace gantry::simt::exec {

namespace {

// Handles of functions: sixteen apart, each program's beyond the last one's.
std::uint64_t take_handles(std::size_t count) {
  static std::atomic<std::uint64_t> next = kFirstHandle;
  return next.fetch_add((count + 1) * 16);
}

std::uint64_t value_of(const ProgramState& state, std::uint32_t module,
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

void write_initial(const ProgramState& state, const ptx::ProgramVariable& variable,
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

} // namespace

ProgramState::~ProgramState() {
  for (const std::uint64_t address : addresses) {
    if (address != 0) {
      DeviceMemory::instance()->free(address);
    }
  }
}

tl::expected<std::unique_ptr<ProgramState>, std::string>
ProgramState::load(std::shared_ptr<const ptx::Program> program, const LoadOptions& options,
                   ProgramCode::BindSteps bind_steps) {
  DeviceMemory* memory = DeviceMemory::instance();
  if (memory == nullptr) {
    return tl::unexpected(std::string("no address space for device memory"));
  }
  auto loaded = std::make_unique<ProgramState>();
  ProgramState& state = *loaded;
  state.program = std::move(program);
  state.options = options;
  state.function_base = take_handles(state.program->functions.size());
  state.kernels.resize(state.program->functions.size());
  state.code = ProgramCode::of(state.program, bind_steps);
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

const PreparedKernel& ProgramState::prepared(std::uint32_t kernel) {
  const std::lock_guard lock(kernels_mutex);
  std::unique_ptr<PreparedKernel>& place = kernels[kernel];
  if (!place) {
    place = std::make_unique<PreparedKernel>(prepare_kernel(*program, kernel, addresses));
  }
  return *place;
}

} // namespace gantry::simt::exec
