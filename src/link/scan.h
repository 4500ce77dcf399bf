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

/// A library that code for a CPU device may be linked with.
struct HostLibrary {
  std::string path;     ///< where it was found
  std::string argument; ///< for a linker; see HostFile
  Bytes contents;
  bool is_shared = false;
};

struct Scan {
  HostFiles files; ///< owns what `objects` and `libraries` point to
  std::vector<HostObject> objects = {};
  /// What could be device code of archives' members that the host linker is not expected to take.
  std::vector<HostObject> left_out = {};
  /// In the order of the command line: archives that hold no device code, and shared libraries.
  std::vector<HostLibrary> libraries = {};
  /// True if the program holds the runtime of a sanitizer, which its images are to share.
  bool has_sanitizer_runtime = false;

  /// True if the host linker could take device code that is not among `objects`.
  [[nodiscard]] bool may_be_incomplete() const {
    return !left_out.empty() || files.has_unknown_libraries();
  }
};

[[nodiscard]] Result<Scan> scan_inputs(const Arguments& arguments);

/// Appends the libraries of the host link, and where they are found, to the command of a linker
/// that makes an image for a CPU device.
void offer_libraries(const Arguments& arguments, const Scan& scan,
                     std::vector<std::string>& command);

} // namespace gantry::link
