// What the runtime says: one line each on stderr, "gantry: …".
#pragma once

#include "base/result.h"
#include "runtime/core/events/events.h"
#include "runtime/core/host/settings.h"

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace gantry::core {

/// The construct as messages begin with it: "zaxpy.cpp:12: target", or "target".
[[nodiscard]] std::string label(const Construct& construct);

/// The checks asked for, once the settings are read; bits of Check.
extern std::atomic<std::uint32_t> check_bits;

[[nodiscard]] inline bool check_enabled(Check check) {
  return (check_bits.load(std::memory_order_relaxed) & static_cast<std::uint32_t>(check)) != 0;
}

/// Writes "gantry: info: text" as one line. Any thread.
void write_info(std::string_view text);

/// Writes "gantry: warning: text" as one line. Any thread.
void write_warning(std::string_view text);

/// Writes "gantry: hint: text" as one line. Any thread.
void write_hint(std::string_view text);

/// Writes "gantry: error: zaxpy.cpp:12: target: text" as one line and goes on: for routines that
/// have a value to return for it. Any thread.
void write_error(const Error& error, const Construct& construct);

/// Ends the process with exit status 1 and the message
/// "gantry: error: zaxpy.cpp:12: target: text".
[[noreturn]] void fatal(const Error& error, const Construct& construct);

} // namespace gantry::core
