// A kernel in machine code as text, to tell whether two objects mean the same by one name.
#pragma once

#include "base/bytes.h"
#include "base/result.h"

#include <string>
#include <string_view>

namespace gantry::link {

/// The code of function `name` of a relocatable x86-64 object and of the local functions, variables
/// and constants that it reaches. Equal texts mean equal code, wherever in the object it stands.
/// Any thread.
[[nodiscard]] Result<std::string> kernel_code(Bytes object, std::string_view name);

} // namespace gantry::link
