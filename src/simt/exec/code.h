// The machine code of a program's functions: made by the compiler when a function is first needed,
// kept on disk from then on, and shared by everything in the process that runs the same program.
//
// The compiler (lower/) is a library of its own, opened at the first function that is not in the
// cache, so that a process whose kernels are all cached never loads LLVM.
#pragma once

#include "simt/exec/fault.h"
#include "simt/exec/one_lane_code.h"
#include "simt/exec/settings.h"
#include "simt/exec/warp.h"
#include "simt/ptx/program.h"

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
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
/// Lanes side by side along x: where nothing is known, as lanes are numbered.
[[nodiscard]] constexpr unsigned row_width(Geometry geometry) {
  return geometry == Geometry::kGeneral ? 32 : 32U >> static_cast<unsigned>(geometry);
}

/// A function's code as the compiler makes it and the cache keeps it: position independent bytes.
struct CodeImage {
  std::vector<std::byte> bytes;
  std::uint64_t entry = 0;  ///< offset of the code in `bytes`
  bool may_suspend = false; ///< a barrier, a loop that waits, a call …: needs a stack of its own
};

struct CompileRequest {
  const ptx::Program* program = nullptr;
  std::uint32_t function = 0;
  Geometry geometry = Geometry::kLinear;
  bool check_memory = true;
  bool watch_accesses = false;  ///< Services is told of each access and fence …
  bool watch_exchanges = false; ///< … and of each warp-level operation
};

/// The compiler library's two functions, "gantry_simt_compile" and "gantry_simt_decode" (beside
/// them is the text "gantry_simt_compiler_version"): false and a text in `error` if the function
/// cannot be compiled. Of the request, decoding looks at the program and the function. Safe to call
/// from several threads.
using CompileFunction = bool (*)(const CompileRequest& request, CodeImage& image,
                                 std::string& error);
using DecodeFunction = bool (*)(const CompileRequest& request, OneLaneCode& code,
                                std::string& error);

/// What a function that the compiler does not take makes of a launch; another thing once the
/// process ends and the compiler is gone.
[[nodiscard]] FaultCode fault_without_code();

class ProgramCode {
public:
  /// The code of a program; one for all loaded programs of the same content.
  [[nodiscard]] static std::shared_ptr<ProgramCode> of(std::shared_ptr<const ptx::Program> program);
  explicit ProgramCode(std::shared_ptr<const ptx::Program> program);
  ~ProgramCode();
  ProgramCode(const ProgramCode&) = delete;
  ProgramCode& operator=(const ProgramCode&) = delete;

  struct Entry {
    Code code = nullptr;
    bool may_suspend = false;
  };
  /// The code of a function, compiled if need be. Any thread.
  [[nodiscard]] tl::expected<Entry, std::string> of(std::uint32_t function, Geometry geometry);
  /// Warp::functions: what has been compiled so far; null for the others.
  [[nodiscard]] Code* table(Geometry geometry);
  /// The code of a function if it has been compiled, else null. Any thread; takes no lock.
  [[nodiscard]] Code known(std::uint32_t function, Geometry geometry) const;

  /// The one-lane form of a function, decoded if need be. Any thread; takes no lock once it is
  /// there; lives as long as this.
  [[nodiscard]] tl::expected<const OneLaneCode*, std::string> one_lane(std::uint32_t function);

  /// Sees to it that a function can be executed, in the mode that is asked for.
  [[nodiscard]] tl::expected<void, std::string> make_ready(std::uint32_t function, Mode mode,
                                                           Geometry geometry);

  /// What a call by pointer has to know of the function that it leads to.
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
  tl::expected<Entry, std::string> make(std::uint32_t function, Geometry geometry);

  std::shared_ptr<const ptx::Program> program_;
  std::mutex mutex_;
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
