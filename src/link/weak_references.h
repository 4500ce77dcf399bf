// What a shared object refers to and need not find.
#pragma once

#include "base/result.h"

#include <filesystem>

namespace gantry::link {

/// Makes weak what the shared object at `path` does not define and wants when it is loaded:
/// variables, and functions whose address it takes. Calls are left as they are; the loader looks
/// for what they call when they are made.
[[nodiscard]] Status weaken_references(const std::filesystem::path& path);

} // namespace gantry::link
