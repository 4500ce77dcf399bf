// Calls by pointer whose words are not what the callee expects: of functions through a prototype
// that differs from their own, and of system calls, which have no code. The adapter lays the words
// out anew, by the rule of ptx/call_interface.h.
#pragma once

#include "simt/exec/warp.h"
#include "simt/ptx/call_interface.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace gantry::simt::exec {

/// How one call site passes its words to one function. Made once and kept, because the frames of a
/// warp may own nothing.
struct CallPlan {
  /// The bytes that a value keeps on its way; the words begin at these indices.
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

/// A Code that calls what Warp::call_plan says, which Services::resolve_call has set.
void call_adapted(Warp* warp, LaneMask active, void* arguments, void* results);

} // namespace gantry::simt::exec
