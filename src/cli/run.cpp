// `gantry run`: a program of GCC that was linked without Gantry, with Gantry's runtime loaded
// before libgomp (docs/gcc.md).

#include "base/installation.h"
#include "cli/command.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include <unistd.h>

namespace gantry::cli {

int run_program(int argc, char** argv) {
  constexpr const char* kPreload = "LD_PRELOAD";
  if (argc < 2 || std::strcmp(argv[1], "--help") == 0) {
    fmt::print("Usage: gantry run PROGRAM [ARGUMENT…]\n\n"
               "Runs a program that GCC has linked, with Gantry in place of libgomp's offloading.\n"
               "Programs that `gantry gcc`, `gantry clang` and the like have linked need no "
               "`gantry run`.\n\n"
               "Examples:\n"
               "  gantry run ./app                        on the devices that its images are for\n"
               "  GANTRY_DEVICES=simt gantry run ./app    on the executor of GPU code\n");
    return argc < 2 ? 1 : 0;
  }
  const Result<std::filesystem::path> root = find_installation();
  if (!root) {
    return report(root.error());
  }
  std::string libraries = (*root / "lib/libgantry.so.1").string();
  if (const char* const before = std::getenv(kPreload); before != nullptr && *before != '\0') {
    libraries += fmt::format(":{}", before);
  }
  setenv(kPreload, libraries.c_str(), 1);
  execvp(argv[1], argv + 1);
  return report({fmt::format("cannot run '{}': {}", argv[1], std::strerror(errno))});
}

} // namespace gantry::cli
