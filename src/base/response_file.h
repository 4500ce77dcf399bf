// @FILE on a command line: more arguments, from a file.
#pragma once

#include "base/result.h"

#include <span>
#include <string>
#include <vector>

namespace gantry {

/// The arguments with what the files of @FILE hold in place of each, files named there included, by
/// the rules of GNU and Clang's tools: words between blanks; quotes of both kinds keep blanks, and
/// a backslash the next character. An @FILE that is no file to be read stays as it is. A file that
/// holds itself is an error.
[[nodiscard]] Result<std::vector<std::string>>
expand_response_files(std::span<const char* const> arguments);

} // namespace gantry
