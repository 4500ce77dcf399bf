// The code of a program's functions. The compiler makes it when a function is first needed; it is
// cached on disk and shared by all users of the same program in the process.
//
// The compiler (lower/) is a library of its own, opened at the first function that is not in the
// cache, so that a process whose kernels are all cached never loads LLVM.
#pragma once

#include "simt/exec/code/call_plan.h"
#include "simt/exec/code/one_lane_code.h"
#include "simt/exec/warp/fault.h"
#include "simt/exec/warp/warp.h"
#include "simt/host/settings.h"
#include "simt/ptx/program.h"

#include <atomic>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <tl/expected.hpp>

namespace gantry::simt::exec {

/// What code may rely on about the threads of a warp.
enum class Geometry : std::uint8_t {
  kLinear,   ///< lane i is thread (x + i, y, z): the block is one row, or its rows are whole warps
  kRowsOf16, ///< lane i is thread (i % 16, y + i / 16, z): a warp is two rows
  kRowsOf8,
  kRowsOf4,
  kRowsOf2,
  kGeneral, ///< any block
};
inline constexpr unsigned kGeometries = 6;
/// Lanes side by side along x; for kGeneral all lanes, in the order of their numbers.
[[nodiscard]] constexpr unsigned row_width(Geometry geometry) {
  return geometry == Geometry::kGeneral ? 32 : 32U >> static_cast<unsigned>(geometry);
}

/// How much time a compilation takes, and the code that it makes.
enum class Tier : std::uint8_t {
  kQuick,     ///< hardly optimised: to begin with
  kOptimised, ///< for kernels that have run for a while
};
inline constexpr unsigned kTiers = 2;

/// A function's machine code as the compiler makes it and the cache keeps it; position independent.
struct CodeImage {
  std::vector<std::byte> bytes;
  std::uint64_t entry = 0;  ///< offset of the code in `bytes`
  bool may_suspend = false; ///< a barrier, a loop that waits, a call …: needs a stack of its own
  Tier tier = Tier::kOptimised; ///< of quick code that was asked for, what it has become
};

struct CompileRequest {
  const ptx::Program* program = nullptr;
  std::uint32_t function = 0;
  Geometry geometry = Geometry::kLinear;
  Tier tier = Tier::kOptimised;
  bool check_memory = true;
  bool watch_accesses = false;  ///< the code calls watch_access and watch_fence …
  bool watch_exchanges = false; ///< … and warp_exchange for each warp-level operation
  /// Called between the compiler's passes; need not return. Null for none.
  void (*between_passes)() = nullptr;
};

/// The compiler library's two functions, "gantry_simt_compile" and "gantry_simt_decode" (beside
/// them is the text "gantry_simt_compiler_version"): false and a text in `error` if the function
/// cannot be compiled. Of the request, decoding looks at the program and the function. Safe to call
/// from several threads.
using CompileFunction = bool (*)(const CompileRequest& request, CodeImage& image,
                                 std::string& error);
using DecodeFunction = bool (*)(const CompileRequest& request, OneLaneCode& code,
                                std::string& error);

/// The fault of a launch for whose function there is no code: the compiler has rejected it, or the
/// process ends and the compiler is gone.
[[nodiscard]] FaultCode fault_without_code();

/// Code is quick at first; kernels that have run for a while get optimised code in its place, block
/// by block and call by call (GANTRY_SIMT_CODE).
class ProgramCode : public std::enable_shared_from_this<ProgramCode> {
public:
  /// Sets the functions of the steps: they belong to the evaluator, which ProgramCode does not
  /// know.
  using BindSteps = void (*)(OneLaneCode& code);

  /// The code of a program; one for all loaded programs of the same content.
  [[nodiscard]] static std::shared_ptr<ProgramCode> of(std::shared_ptr<const ptx::Program> program,
                                                       BindSteps bind_steps);
  ProgramCode(std::shared_ptr<const ptx::Program> program, BindSteps bind_steps);
  ~ProgramCode();
  ProgramCode(const ProgramCode&) = delete;
  ProgramCode& operator=(const ProgramCode&) = delete;

  struct Entry {
    Code code = nullptr;
    bool may_suspend = false;
    bool is_being_made = false;
    std::size_t quick_bytes = 0; ///< of quick code its size, else 0
    std::uint64_t ran = 0;       ///< nanoseconds, of kernels with quick code
  };
  /// The code of a function, compiled if need be. Any thread; functions are compiled side by side.
  [[nodiscard]] tl::expected<Entry, std::string> of(std::uint32_t function, Geometry geometry);
  /// The code of the first function, and of those of the others that take long, made by all cores.
  [[nodiscard]] tl::expected<Entry, std::string> of_all(std::span<const std::uint32_t> functions,
                                                        Geometry geometry);
  /// Warp::functions: what has been compiled so far; null for the others.
  [[nodiscard]] Code* table(Geometry geometry);
  /// The code of a function if it has been compiled, else null. Any thread; takes no lock.
  [[nodiscard]] Code known(std::uint32_t function, Geometry geometry) const;

  /// The kernel, which can call the functions `reachable`, has run for so long: has optimised code
  /// made beside the program if it is worth it. Any thread.
  /// False if the kernel's code is not quick, so that it need not be told again.
  bool has_run(std::uint32_t kernel, Geometry geometry, const std::vector<std::uint32_t>& reachable,
               std::uint64_t nanoseconds);
  /// Makes optimised code of the function, on this thread, the side thread. `between_passes` as of
  /// CompileRequest.
  void improve(std::uint32_t function, Geometry geometry, void (*between_passes)());
  [[nodiscard]] std::string_view name(std::uint32_t function) const {
    return program_->definition(function).name;
  }

  /// The one-lane form of a function, decoded if need be. Any thread; takes no lock once it is
  /// there; lives as long as this.
  [[nodiscard]] tl::expected<const OneLaneCode*, std::string> one_lane(std::uint32_t function);

  /// Makes the code that the mode needs.
  [[nodiscard]] tl::expected<void, std::string> make_ready(std::uint32_t function, Mode mode,
                                                           Geometry geometry);

  /// Whether some of the functions have neither been made ready nor are in the cache.
  [[nodiscard]] bool lacks_code(std::span<const std::uint32_t> functions, Mode mode,
                                Geometry geometry) const;

  /// What an indirect call has to know of the function that it calls.
  struct Callee {
    std::uint64_t signature = 0; ///< of its own interface
    bool is_entry = false;       ///< a kernel, which nothing may call
    bool is_system = false;      ///< a ptx::SystemCall, which has no code
  };
  [[nodiscard]] const Callee& callee(std::uint32_t function) const { return callees_[function]; }
  /// How the call at `site` passes its words to a function that expects others, or to a system
  /// call. Any thread; lives as long as this.
  [[nodiscard]] const CallPlan& call_plan(Site site, std::uint32_t function);

private:
  struct Mapping {
    void* address = nullptr;
    std::size_t size = 0;
  };
  [[nodiscard]] CompileRequest request_for(std::uint32_t function, Geometry geometry,
                                           Tier tier) const;
  [[nodiscard]] std::optional<CodeImage> first_image(std::uint32_t function, Geometry geometry,
                                                     std::string& error);
  /// Under the mutex: makes the image the function's code.
  [[nodiscard]] tl::expected<void, std::string> publish(std::uint32_t function, Geometry geometry,
                                                        const CodeImage& image);

  std::shared_ptr<const ptx::Program> program_;
  BindSteps bind_steps_;
  std::mutex mutex_;
  std::condition_variable made_; ///< some function's code has been made, or could not be
  bool is_hot_ = false;          ///< some kernel has optimised code, or is to get it
  std::vector<Code> tables_[kGeometries];
  std::vector<Entry> entries_[kGeometries];
  std::vector<Mapping> mappings_;
  std::vector<std::unique_ptr<OneLaneCode>> one_lane_;
  std::vector<std::atomic<const OneLaneCode*>> published_; ///< those of one_lane_ that are ready
  std::vector<Callee> callees_;
  std::map<std::pair<Site, std::uint32_t>, std::unique_ptr<CallPlan>> call_plans_;
  std::mutex call_plans_mutex_;
};

} // namespace gantry::simt::exec
