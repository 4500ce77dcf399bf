// Running kernels: the interface of exec/ to the driver, and to anybody who has PTX and no driver.
//
// A LoadedProgram is a linked PTX program whose variables have their places in a device's memory.
// run() executes a grid of one of its kernels on the machine's threads and returns when it has
// ended. How the code of a function comes about (compiled, from the cache, or interpreted) is
// chosen by GANTRY_SIMT_MODE (settings.h) and is no business of the caller, unless it compares the
// two.
#pragma once

#include "simt/exec/fault.h"
#include "simt/exec/settings.h"
#include "simt/ptx/program.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <tl/expected.hpp>

namespace gantry::simt::exec {

struct LoadOptions {
  std::int32_t device = 0;       ///< ordinal, for reports and the limits of its memory
  std::uint64_t context = 0;     ///< owner of the variables' memory
  std::optional<Mode> mode = {}; ///< instead of GANTRY_SIMT_MODE's
};

struct LaunchShape {
  std::uint32_t grid[3] = {1, 1, 1};
  std::uint32_t block[3] = {1, 1, 1};
  std::uint32_t dynamic_shared = 0; ///< bytes
  bool cooperative = false;         ///< all blocks are resident together (grid-wide barriers)
};

/// What a kernel is to the host.
struct KernelFacts {
  struct Parameter {
    std::uint32_t offset = 0, size = 0; ///< bytes in the parameter buffer
  };
  std::vector<Parameter> parameters;
  std::uint32_t parameter_bytes = 0;
  std::uint32_t static_shared = 0;
  std::uint32_t local_bytes = 0;
  std::uint32_t const_bytes = 0;
  std::uint32_t registers = 0;      ///< an estimate, 16 to 255
  std::uint32_t max_threads = 1024; ///< by .maxntid, .reqntid
  std::uint32_t required_threads[3] = {0, 0, 0};
};

/// A program in a device's memory. Safe to use from any thread; run() may be called at once from
/// several. Frees the variables' memory when it ends; no run() may be under way then.
class LoadedProgram {
public:
  /// Places the variables and writes their initial values. The error names the symbol.
  [[nodiscard]] static tl::expected<std::unique_ptr<LoadedProgram>, std::string>
  load(std::shared_ptr<const ptx::Program> program, const LoadOptions& options);
  ~LoadedProgram();
  LoadedProgram(const LoadedProgram&) = delete;
  LoadedProgram& operator=(const LoadedProgram&) = delete;

  [[nodiscard]] const ptx::Program& program() const;

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
                                              const std::byte* parameters);

  /// For exec/ alone.
  struct State;
  [[nodiscard]] State& state() { return *state_; }

private:
  explicit LoadedProgram(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Limits of one device that device code feels; cuCtxSetLimit. Process-wide by device ordinal.
struct Limits {
  /// Of a thread's local memory: what every GPU has, and as much as cuCtxSetLimit gives.
  static constexpr std::uint64_t kMostLocalBytes = 512 << 10;
  std::uint64_t heap_bytes = 8 << 20;
  std::uint64_t local_bytes = 64 << 10; ///< of each thread: at least
};
[[nodiscard]] Limits limits_of(std::int32_t device);
/// More local memory than a thread may have is as much as it may. False once the device's heap is
/// in use and its size would change.
bool set_limits(std::int32_t device, const Limits& limits);

/// How many blocks of one kernel can be resident at once on the device (for cooperative launches).
[[nodiscard]] std::uint32_t resident_blocks(const KernelFacts& facts, const LaunchShape& shape);

} // namespace gantry::simt::exec
