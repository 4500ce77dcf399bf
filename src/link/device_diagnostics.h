// What a device linker complains of, in terms of the objects that the user knows.
#pragma once

#include "base/result.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::link {

struct ObjectFile {
  std::string path;   ///< of the temporary file
  std::string origin; ///< the host object; empty for the output of LTO, which has several
};

struct ObjectOrigins {
  std::vector<ObjectFile> files;
  /// For symbols that bitcode refers to: the host objects whose bitcode does.
  std::map<std::string, std::vector<std::string>> references;
};

/// The error of a device link that failed, from what the linker wrote to standard error. An
/// undefined or duplicate symbol becomes a sentence with the symbol and the objects; everything
/// else is the linker's own text with temporary paths replaced. One line a problem.
[[nodiscard]] Error explain_link_failure(std::string_view diagnostics, const ObjectOrigins& objects,
                                         std::string_view linker);

} // namespace gantry::link
