// Turns a device linker's diagnostics into messages about the objects that the user knows.
#pragma once

#include "base/result.h"
#include "link/library_images.h"

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
  std::vector<ObjectFile> files = {};
  /// For symbols that bitcode refers to: the host objects whose bitcode does.
  std::map<std::string, std::vector<std::string>> references = {};
  /// What the images inside shared libraries define.
  std::map<std::string, LibraryDefinition> definitions_in_libraries = {};
};

/// The sentence for a `symbol` that device code of the objects `users` refers to and nothing
/// defines for the device, or only the image of a shared library.
[[nodiscard]] std::string no_definition(std::string_view symbol,
                                        const std::vector<std::string>& users,
                                        const ObjectOrigins& objects);

/// The sentence for a `symbol` that the objects `definers` all define.
[[nodiscard]] std::string several_definitions(std::string_view symbol,
                                              const std::vector<std::string>& definers);

/// The error of a device link that failed, from what the linker wrote to standard error. An
/// undefined or duplicate symbol becomes a sentence with the symbol and the objects; everything
/// else is the linker's own text with temporary paths replaced. One line a problem.
[[nodiscard]] Error explain_link_failure(std::string_view diagnostics, const ObjectOrigins& objects,
                                         std::string_view linker);

} // namespace gantry::link
