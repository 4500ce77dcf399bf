// `gantry link`: the linker wrapper is a program of its own, because it loads LLVM and this one
// must start fast.

#include "base/installation.h"
#include "cli/command.h"

#include <cerrno>
#include <cstring>
#include <filesystem>

#include <unistd.h>

namespace gantry::cli {

int run_link(int /*argc*/, char** argv) {
  const Result<std::filesystem::path> root = find_installation();
  if (!root) {
    return report(root.error());
  }
  const std::string program = (*root / "libexec/clang-linker-wrapper").string();
  execv(program.c_str(), argv);
  return report({fmt::format("cannot run '{}': {}; Gantry's installation is not complete", program,
                             std::strerror(errno))});
}

} // namespace gantry::cli
