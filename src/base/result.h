// Errors as values.
//
// A function that can fail returns Result<T>. The message of an Error is a full sentence in the
// present tense that names the given value and the expected one. Callers hand it on with
// GANTRY_TRY, or with GANTRY_TRY_CONTEXT, which adds what they were doing; the edge (a tool's main,
// an ABI entry point) prints it once.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <tl/expected.hpp>

namespace gantry {

struct Error {
  std::string message;
  /// A device refused what it was asked to do, rather than that the request was wrong.
  bool of_device = false;
  /// The device refuses everything from now on.
  bool device_lost = false;
};

template <typename T>
using Result = tl::expected<T, Error>;
using Status = Result<void>;

/// Makes the failing return value of a function: `return fail("'{}' is not an ELF file", path);`
template <typename... Args>
[[nodiscard]] tl::unexpected<Error> fail(fmt::format_string<Args...> format, Args&&... args) {
  return tl::unexpected<Error>(Error{fmt::format(format, std::forward<Args>(args)...)});
}

/// The same for what a device refuses.
template <typename... Args>
[[nodiscard]] tl::unexpected<Error> refuse(fmt::format_string<Args...> format, Args&&... args) {
  return tl::unexpected<Error>(Error{fmt::format(format, std::forward<Args>(args)...), true});
}

/// The same error, said to have happened in `context`: "context: message".
[[nodiscard]] inline tl::unexpected<Error> with_context(Error error, std::string_view context) {
  error.message = fmt::format("{}: {}", context, error.message);
  return tl::unexpected<Error>(std::move(error));
}

/// The value of a result that has one.
template <typename T, typename E>
[[nodiscard]] T take_value(tl::expected<T, E>& result) {
  return std::move(*result);
}
template <typename E>
void take_value(tl::expected<void, E>& /*result*/) {}

} // namespace gantry

/// The value of a Result; where it has none, the enclosing function returns the error.
#define GANTRY_TRY(expression)                                                                     \
  ({                                                                                               \
    auto result_of_try = (expression);                                                             \
    if (!result_of_try) {                                                                          \
      return tl::unexpected(std::move(result_of_try).error());                                     \
    }                                                                                              \
    ::gantry::take_value(result_of_try);                                                           \
  })

/// The same, with the error said to have happened in `context`, which is evaluated for an error
/// alone.
#define GANTRY_TRY_CONTEXT(expression, context)                                                    \
  ({                                                                                               \
    auto result_of_try = (expression);                                                             \
    if (!result_of_try) {                                                                          \
      return ::gantry::with_context(std::move(result_of_try).error(), context);                    \
    }                                                                                              \
    ::gantry::take_value(result_of_try);                                                           \
  })
