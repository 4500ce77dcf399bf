// `gantry run`: a program of GCC that was linked without Gantry, with Gantry's runtime loaded
// before libgomp (docs/gcc.md).

#include "base/installation.h"
#include "cli/command.h"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

#include <elf.h>
#include <unistd.h>

namespace gantry::cli {

namespace {

/// The reason why this machine cannot run an ELF file; empty if there is none. Asked first, because
/// execvp() hands what it cannot run to a shell.
std::string why_not_here(const char* program) {
  std::array<unsigned char, EI_NIDENT + 2 * sizeof(Elf64_Half)> head{};
  std::ifstream(program, std::ios::binary).read(reinterpret_cast<char*>(head.data()), head.size());
  if (std::memcmp(head.data(), ELFMAG, SELFMAG) != 0) {
    return "";
  }
  Elf64_Half type = 0, machine = 0;
  std::memcpy(&type, head.data() + EI_NIDENT, sizeof type);
  std::memcpy(&machine, head.data() + EI_NIDENT + sizeof type, sizeof machine);
  if (machine != EM_X86_64) {
    return fmt::format("it is for another kind of machine (number {} in ELF), not for x86-64",
                       machine);
  }
  return type == ET_EXEC || type == ET_DYN ? "" : "it is no program, but what a linker takes";
}

} // namespace

Result<int> run_program(int argc, char** argv) {
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
  const std::filesystem::path root = GANTRY_TRY(find_installation());
  std::string libraries = (root / "lib/libgantry.so.1").string();
  if (const char* const before = std::getenv(kPreload); before != nullptr && *before != '\0') {
    libraries += fmt::format(":{}", before);
  }
  if (const std::string problem = why_not_here(argv[1]); !problem.empty()) {
    return fail("cannot run '{}': {}", argv[1], problem);
  }
  setenv(kPreload, libraries.c_str(), 1);
  execvp(argv[1], argv + 1);
  return fail(
      "cannot run '{}': {}; a program in this folder is ./NAME, others are looked for as the "
      "shell does",
      argv[1], std::strerror(errno));
}

} // namespace gantry::cli
