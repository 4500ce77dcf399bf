// Libraries of ours that lie beside the one that this code is part of, opened when they are needed.
#pragma once

#include <string>

#include <tl/expected.hpp>

namespace gantry::simt {

struct LibraryBeside {
  const void* own;  ///< code or data of the library that it lies beside
  const char* file; ///< its name
  const char*
      within_tree; ///< where it lies seen from programs that link that library's code: unit tests
  const char* version_name; ///< of a string in it, …
  const char* version;      ///< … which has to be this one: both sides share structures
};

/// A handle for dlsym(), or why there is none. To be called without a lock: another thread may be
/// inside of dlopen(), and want it. Threads that come at the same time get the same library.
[[nodiscard]] tl::expected<void*, std::string> open_library(const LibraryBeside& library);

} // namespace gantry::simt
