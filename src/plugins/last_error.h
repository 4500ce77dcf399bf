// The calling thread's error message, as gantry/plugin.h wants it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace gantry::plugins {

/// What is to be said where a device cannot be used after fork().
inline constexpr std::string_view kForked =
    "this process was forked from the one that uses the device, and cannot use it too; fork before "
    "the first construct, or use the device in the parent alone";

/// Of no class: images are destroyed when the objects of a thread are gone.
inline constinit thread_local char last_error[4096] = {};

/// Keeps `message` for __tgt_rtl_error_message and returns `code`.
inline std::int32_t set_error(std::int32_t code, std::string_view message) {
  const std::size_t size = std::min(message.size(), sizeof last_error - 1);
  std::memcpy(last_error, message.data(), size);
  last_error[size] = '\0';
  return code;
}

template <typename... Args>
std::int32_t report(std::int32_t code, fmt::format_string<Args...> format, Args&&... args) {
  return set_error(code, fmt::format(format, std::forward<Args>(args)...));
}

} // namespace gantry::plugins
