#include "base/installation.h"

#include <system_error>

namespace gantry {

Result<std::filesystem::path> find_installation() {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) {
    return fail("cannot find Gantry's installation: the link '/proc/self/exe' to this program "
                "cannot be read: {}; mount /proc",
                error.message());
  }
  return program.parent_path().parent_path();
}

} // namespace gantry
