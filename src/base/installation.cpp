#include "base/installation.h"

#include <algorithm>
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

std::vector<std::string> folders_of_path(std::string_view value) {
  std::vector<std::string> folders;
  while (!value.empty()) {
    const std::size_t end = std::min(value.find(':'), value.size());
    if (end > 0) {
      folders.emplace_back(value.substr(0, end));
    }
    value.remove_prefix(std::min(end + 1, value.size()));
  }
  return folders;
}

} // namespace gantry
