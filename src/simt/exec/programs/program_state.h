// A program in a device's memory: the addresses of its variables, its code, its prepared kernels.
#pragma once

#include "simt/exec/code/code.h"
#include "simt/exec/programs/prepared_kernel.h"
#include "simt/host/settings.h"
#include "simt/ptx/program.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <tl/expected.hpp>

namespace gantry::simt::exec {

struct LoadOptions {
  std::int32_t device = 0;       ///< ordinal, for reports and the limits of its memory
  std::uint64_t context = 0;     ///< owner of the variables' memory
  std::optional<Mode> mode = {}; ///< instead of GANTRY_SIMT_MODE's
};

/// Engines, checks and reports read it.
struct ProgramState {
  /// Places the variables and writes their initial values. The error names the symbol.
  [[nodiscard]] static tl::expected<std::unique_ptr<ProgramState>, std::string>
  load(std::shared_ptr<const ptx::Program> program, const LoadOptions& options,
       ProgramCode::BindSteps bind_steps);
  ProgramState() = default;
  ~ProgramState();
  ProgramState(const ProgramState&) = delete;
  ProgramState& operator=(const ProgramState&) = delete;

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
  /// Made at the first call for a kernel. Any thread.
  [[nodiscard]] const PreparedKernel& prepared(std::uint32_t kernel);

  /// What the watches of its launches keep of the program (blocks/block_watch.h); under
  /// kernels_mutex.
  std::shared_ptr<void> watched;

  /// Index of the function of a handle.
  [[nodiscard]] std::optional<std::uint32_t> function_of(std::uint64_t handle) const {
    const std::uint64_t index = (handle - function_base) / 16;
    if (handle % 16 != 0 || index >= program->functions.size()) {
      return std::nullopt;
    }
    return static_cast<std::uint32_t>(index);
  }
};

/// The first handle. Handles are not addresses of anything.
inline constexpr std::uint64_t kFirstHandle = 0x7A00'0000'0000'0000;

} // namespace gantry::simt::exec
