// libexec/gcc/accel/KIND/mkoffload: what GCC's link runs to make the image for one kind of device,
// found through the driver's -B. GCC knows only kinds that it was configured for; Debian's knows
// amdgcn-amdhsa, for which it brings nothing itself and which stands for the CPU here. For
// nvptx-none GCC's own program does the work (docs/gcc.md).

#include "base/response_file.h"
#include "link/gcc_image.h"
#include "link/gcc_nvptx_image.h"
#include "link/installation.h"
#include "link/temporary_directory.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include <llvm/Support/Program.h>

namespace {

using gantry::Result;
using gantry::Status;
using gantry::link::GccLink;

/// Options of the accelerator's compiler, with and without a value of their own.
constexpr auto kLeftOut = std::to_array<std::string_view>(
    {"-fno-openacc", "-fopenmp", "-fPIC", "-fpic", "-fPIE", "-fpie",
     "-foffload-abi=", "-fcf-protection=", "-save-temps", "-foffload-options=", "-flto"});
constexpr auto kWithValue =
    std::to_array<std::string_view>({"-dumpbase", "-dumpdir", "-dumpbase-ext"});

template <typename List>
bool has(const List& list, std::string_view argument) {
  return std::ranges::any_of(list,
                             [&](std::string_view start) { return argument.starts_with(start); });
}

Result<GccLink> read_arguments(const std::vector<std::string>& arguments) {
  const char* const compiler = std::getenv("COLLECT_GCC");
  if (compiler == nullptr) {
    return gantry::fail("GCC's driver runs this program when it links; it is of no use by itself");
  }
  GccLink link;
  const auto found = llvm::sys::findProgramByName(compiler);
  link.compiler = found ? *found : compiler;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument == "-o" && i + 1 < arguments.size()) {
      link.output = arguments[++i];
    } else if (argument == "-v") {
      link.verbose = true;
    } else if (has(kWithValue, argument)) {
      ++i;
    } else if (!argument.starts_with('-')) {
      link.objects.push_back(argument);
    } else if (!has(kLeftOut, argument)) {
      link.options.push_back(argument);
    }
  }
  if (link.output.empty()) {
    return gantry::fail("there is no -o FILE");
  }
  return link;
}

/// Removes what GCC's driver tells the programs of this link, because those of the inner link would
/// read it too.
void forget_outer_link() {
  for (const char* name : {"OFFLOAD_TARGET_NAMES", "OFFLOAD_TARGET_DEFAULT", "COMPILER_PATH",
                           "LIBRARY_PATH", "GCC_EXEC_PREFIX", "COLLECT_GCC", "COLLECT_GCC_OPTIONS",
                           "COLLECT_LTO_WRAPPER", "COLLECT_AS_OPTIONS"}) {
    unsetenv(name);
  }
}

Result<int> make_image(int argc, char** argv) {
  const auto arguments = GANTRY_TRY(
      gantry::expand_response_files({argv + 1, static_cast<std::size_t>(argc > 0 ? argc - 1 : 0)}));
  if (std::filesystem::path(argv[0]).parent_path().filename() == "nvptx-none") {
    return gantry::link::make_gcc_nvptx_image(arguments);
  }
  const Result<GccLink> link = read_arguments(arguments);
  forget_outer_link();
  const Status status = link ? gantry::link::make_gcc_image(*link) : tl::unexpected(link.error());
  return status.map([] { return 0; });
}

} // namespace

int main(int argc, char** argv) {
  gantry::link::handle_signals();
  const Status installed = gantry::link::check_installation();
  const Result<int> done = installed ? make_image(argc, argv) : tl::unexpected(installed.error());
  if (!done) {
    fmt::print(stderr, "gantry: error: {}\n", done.error().message);
    return 1;
  }
  return *done;
}
