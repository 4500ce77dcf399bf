// The calling thread's error message, as gantry/plugin.h wants it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <pthread.h>

namespace gantry::plugins {

/// What is to be said where a device cannot be used after fork().
inline constexpr std::string_view kForked =
    "this process was forked from the one that uses the device, and cannot use it too; fork before "
    "the first construct, or use the device in the parent alone";

/// Null until the thread's first error. A pointer, because glibc before 2.40 does not keep the
/// vector registers where code with TLS descriptors meets a library with much thread-local memory
/// (https://sourceware.org/bugzilla/show_bug.cgi?id=31372).
inline constinit thread_local std::string* message_of_thread = nullptr;

/// Frees a thread's message when the thread ends, later than its thread_local objects: images are
/// destroyed when these are gone, and a new message may be needed then.
struct MessageKey {
  pthread_key_t key{};
  bool made = pthread_key_create(
                  &key, [](void*) { delete std::exchange(message_of_thread, nullptr); }) == 0;
};

/// For error_message of gantry/plugin.h.
inline const char* last_error() {
  return message_of_thread != nullptr ? message_of_thread->c_str() : "";
}

/// Keeps `message` for last_error() and returns `code`.
inline std::int32_t set_error(std::int32_t code, std::string_view message) {
  if (message_of_thread == nullptr) {
    static const MessageKey key;
    message_of_thread = new std::string;
    if (key.made) {
      pthread_setspecific(key.key, message_of_thread);
    }
  }
  *message_of_thread = message;
  return code;
}

template <typename... Args>
std::int32_t report(std::int32_t code, fmt::format_string<Args...> format, Args&&... args) {
  return set_error(code, fmt::format(format, std::forward<Args>(args)...));
}

} // namespace gantry::plugins

/// Evaluates a gantry_status; a failure, whose message is kept, is what the enclosing function
/// returns.
#define GANTRY_STATUS_TRY(expression)                                                              \
  if (const std::int32_t status_of_try = (expression); status_of_try != 0) [[unlikely]] {          \
    return status_of_try;                                                                          \
  }
