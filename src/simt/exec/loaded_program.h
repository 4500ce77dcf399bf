// The inside of LoadedProgram: what the engines and the scheduler read of it.
#pragma once

#include "simt/exec/code.h"
#include "simt/exec/machine.h"
#include "simt/exec/warp.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace gantry::simt::exec {

/// A kernel made ready: its layout of shared memory, and the addresses that its code sees.
struct PreparedKernel {
  ptx::Reach reach;
  KernelFacts facts;
  /// Warp::variables: by index in Program::variables the generic address, or for a shared one the
  /// offset in the block's shared memory; those that the kernel does not reach are zero if shared.
  std::vector<std::uint64_t> variables;
  std::string refusal; ///< why it cannot be executed; empty if it can
};

struct LoadedProgram::State {
  std::shared_ptr<const ptx::Program> program;
  LoadOptions options;
  std::vector<std::uint64_t> addresses; ///< generic, by index in Program::variables; 0 if shared
  /// Handle of function 0; function i has function_base + 16 * i. No two loaded programs share
  /// handles.
  std::uint64_t function_base = 0;

  std::shared_ptr<ProgramCode> code;
  [[nodiscard]] Mode mode() const { return options.mode.value_or(settings().mode); }

  /// By index in Program::functions; null until asked for.
  std::vector<std::unique_ptr<PreparedKernel>> kernels;
  std::mutex kernels_mutex;
  /// Any thread; made at the first call for a kernel.
  [[nodiscard]] const PreparedKernel& prepared(std::uint32_t kernel);

  /// Index of the function of a handle.
  [[nodiscard]] std::optional<std::uint32_t> function_of(std::uint64_t handle) const {
    const std::uint64_t index = (handle - function_base) / 16;
    if (handle % 16 != 0 || index >= program->functions.size()) {
      return std::nullopt;
    }
    return static_cast<std::uint32_t>(index);
  }
};

/// The first handle of all; chosen so that no handle is an address of anything.
inline constexpr std::uint64_t kFirstHandle = 0x7A00'0000'0000'0000;

} // namespace gantry::simt::exec
