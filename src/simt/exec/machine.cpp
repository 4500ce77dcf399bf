#include "simt/exec/machine.h"

#include "simt/exec/grid.h"
#include "simt/exec/host_memory.h"
#include "simt/exec/loaded_program.h"
#include "simt/exec/system_calls.h"

#include <algorithm>

namespace gantry::simt::exec {

tl::expected<void, Fault> LoadedProgram::run(std::uint32_t kernel, const LaunchShape& shape,
                                             const std::byte* parameters) {
  static std::atomic<std::uint64_t> grids = 1;
  const PreparedKernel& prepared = state_->prepared(kernel);
  if (!prepared.refusal.empty()) {
    return tl::unexpected(Fault{FaultCode::kIllegalInstruction, prepared.refusal});
  }
  if (may_use_host_memory(state_->options.device)) {
    look_at_host_memory_anew();
  }
  Launch launch;
  launch.program = state_.get();
  launch.kernel = kernel;
  launch.shape = shape;
  launch.parameters = parameters;
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
