// Indirect calls whose words differ from those of the callee, because its interface differs from
// the call's prototype or because it is a system call. ptx/call_interface.h has the rule.
#pragma once

#include "simt/exec/warp/warp.h"
#include "simt/ptx/call_interface.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace gantry::simt::exec {

/// How one call site passes its words to one function. ProgramCode keeps it, because the frames of
/// a warp may own nothing.
struct CallPlan {
  /// A value that both sides have: its first words, and the bytes that are copied.
  struct Move {
    std::uint32_t from = 0, to = 0; ///< index of the first word
    std::uint32_t from_word_bytes = 0, to_word_bytes = 0;
    std::uint64_t size = 0;
  };
  std::uint32_t function = 0; ///< in Program::functions
  std::optional<ptx::SystemCall> system;
  std::vector<Move> arguments;                        ///< from the caller to the callee
  std::vector<Move> results;                          ///< and back
  std::uint32_t argument_words = 0, result_words = 0; ///< that the callee has
  std::uint32_t caller_result_words = 0;
};

[[nodiscard]] CallPlan plan_call(const ptx::Program& program, Site site, std::uint32_t function);

} // namespace gantry::simt::exec
