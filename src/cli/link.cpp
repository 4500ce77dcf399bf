// `gantry link`: the linker wrapper is a program of its own, because it loads LLVM and this one
// must start fast. And what GCC's driver takes for its linker: the same, so that objects of Clang
// can be linked into programs of GCC.

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

/// Runs the wrapper with the arguments that follow argv[0], behind `first`.
int run_wrapper(std::vector<std::string> first, char** argv) {
  const Result<std::filesystem::path> root = find_installation();
  if (!root) {
    return report(root.error());
  }
  const std::string program = (*root / "libexec/clang-linker-wrapper").string();
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

int run_link(int /*argc*/, char** argv) {
  return run_wrapper({}, argv);
}

int run_linker_of_gcc(int /*argc*/, char** argv) {
  return run_wrapper({"--host-triple=" GANTRY_HOST_TRIPLE, "--linker-path=" GANTRY_HOST_LINKER},
                     argv);
}

} // namespace gantry::cli
