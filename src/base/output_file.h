// Writing a result file whole.
#pragma once

#include "base/bytes.h"
#include "base/result.h"

#include <filesystem>

namespace gantry {

/// Makes `path` a file with these contents, replacing what was there. The error names the path and
/// what the system said; a regular file that could not be written whole is removed.
[[nodiscard]] Status write_file(const std::filesystem::path& path, Bytes contents);

} // namespace gantry
