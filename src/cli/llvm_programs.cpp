// Commands that are programs of their own, because they load LLVM and `gantry` must start fast:
// `gantry inspect`; `gantry link`, the linker wrapper; and what GCC's driver takes for its linker,
// the same wrapper, so that objects of Clang can be linked into programs of GCC.

#include "base/installation.h"
#include "cli/command.h"
#include "cli/subprocess.h"

#include <filesystem>
#include <string>
#include <vector>

namespace gantry::cli {
namespace {

constexpr const char* kLinkerWrapper = "clang-linker-wrapper";

/// Becomes the program `name` of libexec/, with the arguments that follow argv[0] behind `first`.
Result<int> become(const char* name, std::vector<std::string> first, char** argv) {
  const std::filesystem::path root = GANTRY_TRY(find_installation());
  first.insert(first.begin(), (root / "libexec" / name).string());
  for (char** argument = argv + 1; *argument != nullptr; ++argument) {
    first.emplace_back(*argument);
  }
  return replace_process(std::move(first), "Gantry's installation is not complete");
}

} // namespace

Result<int> run_inspect(int /*argc*/, char** argv) {
  return become("gantry-inspect", {}, argv);
}

Result<int> run_link(int /*argc*/, char** argv) {
  return become(kLinkerWrapper, {}, argv);
}

Result<int> run_linker_of_gcc(int /*argc*/, char** argv) {
  return become(kLinkerWrapper,
                {"--host-triple=" GANTRY_HOST_TRIPLE, "--linker-path=" GANTRY_HOST_LINKER}, argv);
}

} // namespace gantry::cli
