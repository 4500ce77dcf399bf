#include "simt/exec/run/loaded_program.h"

#include "simt/exec/code/compiler_library.h"
#include "simt/exec/engine/device_printf.h"
#include "simt/exec/evaluator/evaluator.h"
#include "simt/exec/run/grid.h"
#include "simt/memory/host_memory.h"

#include <algorithm>
#include <atomic>

namespace gantry::simt::exec {

tl::expected<std::unique_ptr<LoadedProgram>, std::string>
LoadedProgram::load(std::shared_ptr<const ptx::Program> program, const LoadOptions& options) {
  return ProgramState::load(std::move(program), options, bind_steps)
      .map([](std::unique_ptr<ProgramState> state) {
        return std::unique_ptr<LoadedProgram>(new LoadedProgram(std::move(state)));
      });
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

tl::expected<void, Fault> LoadedProgram::prepare(std::uint32_t kernel, const LaunchShape& shape,
                                                 bool with_callees) {
  stop_improving_with_this_thread();
  const PreparedKernel& prepared = state_->prepared(kernel);
  if (!prepared.verification_error.empty()) {
    return tl::unexpected(Fault{FaultCode::kIllegalInstruction, prepared.verification_error});
  }
  const Geometry geometry = geometry_of(shape);
  if (state_->code->lacks_code(prepared.reachable.functions, state_->mode(), geometry)) {
    open_compiler();
  }
  for (const std::uint32_t function : prepared.reachable.functions) {
    const bool needed = function == kernel || with_callees;
    if (!needed || program().functions[function].system_call) {
      continue;
    }
    auto ready = state_->code->make_ready(function, state_->mode(), geometry);
    if (!ready) {
      return tl::unexpected(Fault{fault_without_code(), std::move(ready.error())});
    }
  }
  return {};
}

tl::expected<void, Fault> LoadedProgram::run(std::uint32_t kernel, const LaunchShape& shape,
                                             const std::byte* parameters,
                                             const AnnouncedLaunch& announced) {
  static std::atomic<std::uint64_t> grids = 1;
  const PreparedKernel& prepared = state_->prepared(kernel);
  if (!prepared.verification_error.empty()) {
    return tl::unexpected(Fault{FaultCode::kIllegalInstruction, prepared.verification_error});
  }
  if (may_use_host_memory(state_->options.device)) {
    look_at_host_memory_anew();
  }
  Launch launch;
  launch.program = state_.get();
  launch.kernel = kernel;
  launch.shape = shape;
  launch.parameters = parameters;
  launch.announced = announced.number();
  launch.grid_id = grids.fetch_add(1, std::memory_order_relaxed);
  run_grid(launch);
  flush_device_output();
  if (launch.fault) {
    return tl::unexpected(std::move(*launch.fault));
  }
  return {};
}

std::uint32_t resident_blocks(const KernelFacts& facts, const LaunchShape& shape) {
  // Blocks of a cooperative launch are all begun before any ends, whatever their number; the limit
  // is the memory that their stacks take, and what a device of this kind would hold.
  const std::uint32_t threads = std::max(1U, shape.block[0] * shape.block[1] * shape.block[2]);
  const std::uint32_t shared = facts.static_shared + shape.dynamic_shared;
  std::uint32_t blocks = std::min(2048 / threads, 32U);
  if (shared != 0) {
    blocks = std::min(blocks, (228U << 10) / (shared + 1024));
  }
  return std::max(blocks, 1U) * thread_count();
}

} // namespace gantry::simt::exec
