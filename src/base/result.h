// Errors as values, for every room of the tree.
//
// A function that can fail returns Result<T>. The message of an Error is a full sentence in the
// present tense that names the given value and the expected one; callers add what they were doing
// with with_context() on the way up, and the edge (a tool's main, an ABI entry point) prints it
// once.
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
  /// It refuses everything from now on.
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

} // namespace gantry
