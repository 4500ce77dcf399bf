// What an image for a foreign CPU is linked with, in the folders of Debian's cross packages: the C
// and C++ libraries, libomp, and those of the host link's libraries that are there as well.
#pragma once

#include "base/foreign_cpu.h"
#include "base/result.h"
#include "link/scan.h"

#include <string>
#include <vector>

namespace gantry::link {

struct ForeignLibraries {
  std::vector<std::string> folders; ///< to be searched, in order
  std::string openmp;               ///< the path of libomp
};

/// An error names the package that is missing.
[[nodiscard]] Result<ForeignLibraries> find_foreign_libraries(const ForeignCpu& cpu);

/// Appends the libraries to a linker's command. The host link's libraries are looked up by the name
/// after -l; a library that the command line names by path is for the host only.
void offer_foreign_libraries(const ForeignLibraries& libraries, const Scan& scan,
                             std::vector<std::string>& command);

} // namespace gantry::link
