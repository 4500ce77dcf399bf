// Commands that are programs of their own, because they load LLVM and `gantry` must start fast:
// `gantry inspect`; `gantry link`, the linker wrapper; and what GCC's driver takes for its linker,
// the same wrapper, so that objects of Clang can be linked into programs of GCC.

#include "base/installation.h"
#include "cli/command.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include <unistd.h>

namespace gantry::cli {
namespace {

constexpr const char* kLinkerWrapper = "clang-linker-wrapper";

/// Becomes the program `name` of libexec/, with the arguments that follow argv[0] behind `first`.
int become(const char* name, std::vector<std::string> first, char** argv) {
  const Result<std::filesystem::path> root = find_installation();
  if (!root) {
    return report(root.error());
  }
  const std::string program = (*root / "libexec" / name).string();
  std::vector<char*> arguments = {argv[0]};
  for (std::string& argument : first) {
    arguments.push_back(argument.data());
  }
  for (char** argument = argv + 1; *argument != nullptr; ++argument) {
    arguments.push_back(*argument);
  }
  arguments.push_back(nullptr);
  execv(program.c_str(), arguments.data());
  return report({fmt::format("cannot run '{}': {}; Gantry's installation is not complete", program,
                             std::strerror(errno))});
}

} // namespace

int run_inspect(int /*argc*/, char** argv) {
  return become("gantry-inspect", {}, argv);
}

int run_link(int /*argc*/, char** argv) {
  return become(kLinkerWrapper, {}, argv);
}

int run_linker_of_gcc(int /*argc*/, char** argv) {
  return become(kLinkerWrapper,
                {"--host-triple=" GANTRY_HOST_TRIPLE, "--linker-path=" GANTRY_HOST_LINKER}, argv);
}

} // namespace gantry::cli
