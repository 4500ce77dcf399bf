// The building blocks of fault reports: positions in the program, threads, lines.
#pragma once

#include "simt/exec/reports/address_report.h"
#include "simt/exec/warp/fault.h"
#include "simt/exec/warp/warp.h"
#include "simt/ptx/program.h"

#include <string>
#include <string_view>

namespace gantry::simt::exec {

/// The instruction of a Site; null where there is none.
struct CodePosition {
  const ptx::Module* module = nullptr;
  const ptx::Function* function = nullptr;
  const ptx::Instruction* instruction = nullptr;
};
[[nodiscard]] CodePosition look_up(const Warp& warp, Site site);
[[nodiscard]] CodePosition look_up(const ptx::Program& program, Site site);
[[nodiscard]] std::string_view kernel_of(const Warp& warp);

/// "sum.cu:12". "near sum.cu:12" for code that follows that line and has no position of its own,
/// such as the loop that a memcpy becomes. Empty if the PTX has no positions.
[[nodiscard]] std::string source_of(const CodePosition& position);
/// Where a headline says it happened: the source line if it is known, or else the PTX line.
[[nodiscard]] std::string short_position(const CodePosition& position);
/// "PTX line 7 of a.ptx: ld.global.u32 %r1, [%rd1];", with the function unless it is the kernel.
[[nodiscard]] std::string ptx_position(const Warp& warp, const CodePosition& position);
[[nodiscard]] std::string ptx_position(std::string_view kernel, const CodePosition& position);

/// The first lane of the mask.
[[nodiscard]] unsigned first_lane(LaneMask lanes);
/// "(17,0,0)"
[[nodiscard]] std::string thread_text(const Warp& warp, unsigned lane);
/// "block (3,0,0), thread (17,0,0)"; of several lanes the first, with "and 4 more of the warp".
[[nodiscard]] std::string threads_of(const Warp& warp, LaneMask lanes);

/// "global ", "shared " …; empty for a generic access.
[[nodiscard]] std::string_view space_word(AccessSpace space, const CodePosition& position);
/// "load", "store", "atomic operation"
[[nodiscard]] std::string_view access_word(AccessKind kind);

/// "gantry: error: kernel 'sum' (sum.cu:12): WHAT" and the lines that every report has.
class Report {
public:
  Report(const Warp& warp, LaneMask lanes, Site site, std::string_view what);

  void line(std::string_view what);
  /// What the program may do about it; an empty one is left out.
  void hint(std::string_view what);
  void append(const AddressReport& report);
  /// The fault is about global memory at `address`; the access itself is wrong if `is_invalid`.
  void about(std::uint64_t address, FaultFacts::Access access, bool is_invalid = false);

  [[nodiscard]] Fault fault(FaultCode code) &&;

private:
  std::string text_;
  FaultFacts facts_;
};

} // namespace gantry::simt::exec
