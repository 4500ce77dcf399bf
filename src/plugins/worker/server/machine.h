// What handlers of signals need to know of the instruction set.
#pragma once

#include <csignal>
#include <cstdint>

namespace gantry::worker {

/// The code that a signal interrupts.
struct Interrupted {
  std::uint64_t code = 0;
  std::uintptr_t stack = 0;
  std::uint64_t caller = 0;    ///< behind the last call, where a register has that; else 0
  std::uintptr_t accessed = 0; ///< of a SIGSEGV or SIGBUS
  std::int32_t access = 0;     ///< GANTRY_FAULT_ACCESS_*
  bool accessed_is_known = true;
};

/// Of a handler's arguments.
[[nodiscard]] Interrupted interrupted(const siginfo_t& information, const void* context);

inline constexpr std::uint64_t kLongestCall = 7; ///< in bytes

/// True if the instruction before `address` can be a call. kLongestCall bytes before it are code.
[[nodiscard]] bool is_behind_call(std::uint64_t address);

} // namespace gantry::worker
