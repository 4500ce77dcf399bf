// A kernel in bitcode as text, to tell whether two objects mean the same by one name.
#pragma once

#include "base/bytes.h"
#include "base/result.h"

#include <string>
#include <string_view>

namespace gantry::link {

/// The LLVM IR of the function `name` of a bitcode module and of the local functions and variables
/// that it reaches: equal texts are equal code. Debug information, and what else of the module it
/// stands in, make no difference. Any thread.
[[nodiscard]] Result<std::string> kernel_text(Bytes bitcode, std::string_view name);

} // namespace gantry::link
