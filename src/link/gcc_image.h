// Images for CPU-like devices from objects of GCC: the host's code once more, linked as a shared
// object of its own (docs/gcc.md).
#pragma once

#include "base/result.h"

#include <filesystem>
#include <string>
#include <vector>

namespace gantry::link {

/// A link of GCC's driver, as it calls a program named mkoffload for one kind of device.
struct GccLink {
  std::filesystem::path compiler; ///< the driver
  std::string output;             ///< the object to be made
  /// The objects with target regions or declare target variables, in order of the host's tables; a
  /// member of an archive as "PATH@0xOFFSET".
  std::vector<std::string> objects;
  std::vector<std::string> options; ///< of the compiler: -O2, -g and the like
  bool verbose = false;
};

/// Links the image and writes an object that holds it and registers it.
[[nodiscard]] Status make_gcc_image(const GccLink& link);

} // namespace gantry::link
