// The calling thread's error message, as gantry/plugin.h wants it.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace gantry::cpu {

/// Keeps `message` for __tgt_rtl_error_message and returns `code`.
std::int32_t set_error(std::int32_t code, std::string_view message);

template <typename... Args>
std::int32_t report(std::int32_t code, fmt::format_string<Args...> format, Args&&... args) {
  return set_error(code, fmt::format(format, std::forward<Args>(args)...));
}

} // namespace gantry::cpu
