// Compiled code on disk, by content: one file a function, in a folder of the user's cache that
// nobody else may write to.
#pragma once

#include "simt/exec/code/code.h"

#include <optional>
#include <string>

namespace gantry::simt::exec {

/// The name of a request's file: a hash of all that the code depends on: the program's text, the
/// function, the geometry, the tier, the checks, the processor, the layout of Warp, the compiler's
/// version.
[[nodiscard]] std::string cache_key(const CompileRequest& request);

/// The code kept under that name; nothing if there is none, the file is damaged, or the folder is
/// not the user's own.
[[nodiscard]] std::optional<CodeImage> cached_code(const std::string& key);

/// Whether there is a file of that name.
[[nodiscard]] bool is_cached(const std::string& key);

/// Keeps code; failing to is no error. Files that were not used for long are removed when the
/// folder exceeds kCacheLimit.
void keep_code(const std::string& key, const CodeImage& image);

inline constexpr std::uint64_t kCacheLimit = 256 << 20;

} // namespace gantry::simt::exec
