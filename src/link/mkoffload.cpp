// libexec/gcc/accel/KIND/mkoffload: what GCC's link runs to make the image for one kind of device,
// found through the driver's -B. For GPUs GCC's own program does the work.
//
// GCC calls for kinds only that it was configured for, and the CPU is none of these. So the call
// for amdgcn-amdhsa makes the image for the CPU too, or that alone, if an option for the assembler
// says so, which reaches this program and no assembler (docs/gcc.md).

#include "base/response_file.h"
#include "link/gcc_gpu_image.h"
#include "link/gcc_image.h"
#include "link/installation.h"
#include "link/process.h"
#include "link/temporary_directory.h"

#include <algorithm>
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

/// Says that the image for the CPU is wanted, alone or beside that for AMD's GPUs.
constexpr std::string_view kCpuAlone = "-Wa,--gantry=cpu";
constexpr std::string_view kCpuToo = "-Wa,--gantry=cpu+amdgcn";

/// Options of the accelerator's compiler, with and without a value of their own.
constexpr auto kLeftOut =
    std::to_array<std::string_view>({"-fno-openacc", "-fopenmp", "-fPIC", "-fpic", "-fPIE", "-fpie",
                                     "-foffload-abi=", "-fcf-protection=", "-save-temps",
                                     "-foffload-options=", "-flto", "-march=gfx", "-Wa,--gantry="});
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

Result<int> make_cpu_image(const std::vector<std::string>& arguments) {
  const Result<GccLink> link = read_arguments(arguments);
  forget_outer_link();
  const Status status = link ? gantry::link::make_gcc_image(*link) : tl::unexpected(link.error());
  return status.map([] { return 0; });
}

/// Both images, each in an object of its own, and these two in one.
Result<int> make_both_images(const std::vector<std::string>& arguments) {
  const auto folder = GANTRY_TRY(gantry::link::TemporaryDirectory::create());
  std::vector<std::string> for_gpu = arguments;
  std::vector<std::string> for_cpu = arguments;
  const auto option = std::ranges::find(arguments, "-o");
  if (arguments.end() - option < 2) {
    return gantry::fail("there is no -o FILE");
  }
  const auto output = static_cast<std::size_t>(option - arguments.begin()) + 1;
  for_gpu[output] = folder.path() / "gpu.o";
  for_cpu[output] = folder.path() / "cpu.o";
  const int status =
      GANTRY_TRY(gantry::link::make_gcc_gpu_image(gantry::link::kGccAmdgcn, for_gpu));
  if (status != 0) {
    return status;
  }
  const GccLink link = GANTRY_TRY(read_arguments(for_cpu));
  GANTRY_TRY(make_cpu_image(for_cpu));
  const std::vector<std::string> command = {
      link.compiler.string(), "-r", "-nostdlib",       "-fno-lto",
      "-foffload=disable",    "-o", arguments[output], for_gpu[output],
      for_cpu[output]};
  return GANTRY_TRY(gantry::link::run_process(command, gantry::link::Capture::kNothing)).exit_code;
}

Result<int> make_image(int argc, char** argv) {
  auto arguments = GANTRY_TRY(
      gantry::expand_response_files({argv + 1, static_cast<std::size_t>(argc > 0 ? argc - 1 : 0)}));
  if (std::filesystem::path(argv[0]).parent_path().filename() == gantry::link::kGccNvptx.folder) {
    return gantry::link::make_gcc_gpu_image(gantry::link::kGccNvptx, arguments);
  }
  const bool cpu_too = std::ranges::find(arguments, kCpuToo) != arguments.end();
  const bool cpu_alone = std::ranges::find(arguments, kCpuAlone) != arguments.end();
  std::erase_if(arguments, [](std::string_view argument) {
    return argument == kCpuAlone || argument == kCpuToo;
  });
  return cpu_too     ? make_both_images(arguments)
         : cpu_alone ? make_cpu_image(arguments)
                     : gantry::link::make_gcc_gpu_image(gantry::link::kGccAmdgcn, arguments);
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
