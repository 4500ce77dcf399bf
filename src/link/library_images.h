// The device code of shared libraries on the line of the host link.
//
// A shared library holds and registers an image of its own, and the runtime loads each image by
// itself: device code cannot call from one into another. A linker does not see that. For a CPU it
// finds the library's *host* version of a declare target function and binds the call to it, so that
// the device would run host code, with the host's variables.
#pragma once

#include "link/scan.h"
#include "link/target.h"

#include <map>
#include <string>
#include <vector>

namespace gantry::link {

/// A symbol that an image inside a shared library defines.
struct LibraryDefinition {
  std::string library;  ///< its path
  bool on_host = false; ///< the library has a host version as well, which a linker would take
};

/// What images for `target` inside the shared `libraries` define, by name; names that only their
/// own objects could use are left out. A library that cannot be read has none: the host linker will
/// say why.
[[nodiscard]] std::map<std::string, LibraryDefinition>
device_definitions(const std::vector<HostLibrary>& libraries, const Target& target);

} // namespace gantry::link
