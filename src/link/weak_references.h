// Makes references of a shared object weak.
#pragma once

#include "base/result.h"

#include <filesystem>

namespace gantry::link {

/// Makes weak what the shared object at `path` needs when it is loaded and does not define:
/// variables, and functions whose address it takes. Calls stay as they are, because the loader
/// resolves them lazily.
[[nodiscard]] Status weaken_references(const std::filesystem::path& path);

} // namespace gantry::link
