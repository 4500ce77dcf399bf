// Running kernels: the interface of exec/ to the driver, and to anybody who has PTX and no driver.
//
// A LoadedProgram is a linked PTX program whose variables have their places in a device's memory.
// run() executes a grid of one of its kernels on the machine's threads and returns when it has
// ended. How the code of a function comes about (compiled, from the cache, or interpreted) is
// chosen by GANTRY_SIMT_MODE (settings.h) and is no business of the caller, unless it compares the
// two.
#pragma once

#include "simt/exec/programs/launch_shape.h"
#include "simt/exec/programs/program_state.h"
#include "simt/exec/run/announced_launch.h"
#include "simt/exec/warp/fault.h"
#include "simt/ptx/program.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <tl/expected.hpp>

namespace gantry::simt::exec {

/// A program in a device's memory. Safe to use from any thread; run() may be called at once from
/// several. Frees the variables' memory when it ends; no run() may be under way then.
class LoadedProgram {
public:
  /// Places the variables and writes their initial values. The error names the symbol.
  [[nodiscard]] static tl::expected<std::unique_ptr<LoadedProgram>, std::string>
  load(std::shared_ptr<const ptx::Program> program, const LoadOptions& options);

  [[nodiscard]] const ptx::Program& program() const { return *state_->program; }

  struct Placed {
    std::uint64_t address = 0;
    std::uint64_t size = 0;
  };
  [[nodiscard]] std::optional<Placed> variable(std::string_view name) const;
  [[nodiscard]] std::optional<std::uint32_t> kernel(std::string_view name) const;
  [[nodiscard]] const KernelFacts& facts(std::uint32_t kernel) const;

  /// Checks that everything the kernel reaches can be executed and makes the code that a launch of
  /// that shape needs: of the kernel, or of all functions that it reaches, so that it can be
  /// launched when the process ends and the compiler is gone. Later calls for the same kernel are
  /// quick. run() does it by itself. The fault's report is in the style of NVIDIA's assembler and
  /// names the instruction.
  [[nodiscard]] tl::expected<void, Fault> prepare(std::uint32_t kernel, const LaunchShape& shape,
                                                  bool with_callees = false);

  /// Executes a grid: `parameters` has facts().parameter_bytes bytes. Blocks until it has ended. An
  /// error ends the grid as soon as its blocks notice. What the kernel prints goes to standard
  /// output before run() returns.
  [[nodiscard]] tl::expected<void, Fault> run(std::uint32_t kernel, const LaunchShape& shape,
                                              const std::byte* parameters,
                                              const AnnouncedLaunch& announced = {});

private:
  explicit LoadedProgram(std::unique_ptr<ProgramState> state) : state_(std::move(state)) {}
  std::unique_ptr<ProgramState> state_;
};

/// How many blocks of one kernel can be resident at once on the device (for cooperative launches).
[[nodiscard]] std::uint32_t resident_blocks(const KernelFacts& facts, const LaunchShape& shape);

} // namespace gantry::simt::exec
