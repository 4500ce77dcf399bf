// Scanning: which relocatable objects become part of the host program.
//
// An archive's member takes part only if the host linker takes it, so this repeats the linker's
// symbol resolution, but only when some archive of the line holds device code at all.
#pragma once

#include "base/result.h"
#include "link/arguments.h"
#include "link/host_files.h"

#include <string>
#include <vector>

namespace gantry::link {

/// An object of the host program.
struct HostObject {
  std::string origin; ///< as a user knows it: "main.o", "libfoo.a(bar.o)"
  Bytes contents;
  bool is_bitcode = false;
};

struct Scan {
  HostFiles files; ///< owns what `objects` point to
  std::vector<HostObject> objects = {};
  /// Libraries with no device code: what code for a CPU device may be linked with, in the order of
  /// the command line.
  std::vector<std::string> libraries = {};
};

[[nodiscard]] Result<Scan> scan_inputs(const Arguments& arguments);

} // namespace gantry::link
