// `gantry link`: the linker wrapper is a program of its own, because it loads LLVM and this one
// must start fast.

#include "cli/command.h"

#include <cerrno>
#include <cstring>
#include <filesystem>

#include <unistd.h>

namespace gantry::cli {

int run_link(int /*argc*/, char** argv) {
  const auto root = std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path();
  const std::string program = (root / "libexec/clang-linker-wrapper").string();
  execv(program.c_str(), argv);
  return report({fmt::format("cannot run '{}': {}; Gantry's installation is not complete", program,
                             std::strerror(errno))});
}

} // namespace gantry::cli
