// `gantry clang`, `gantry clang++` and `gantry flang`: the stock compiler with Gantry's
// configuration file, and nothing that a user could not write on a command line.

#include "base/installation.h"
#include "base/response_file.h"
#include "cli/command.h"
#include "cli/offload_architectures.h"
#include "cli/subprocess.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <unistd.h>

namespace gantry::cli {
namespace {

struct Compiler {
  std::string_view version;
  std::string_view c;
  std::string_view cxx;
  std::string_view fortran; ///< empty: Gantry does not know this version's
};

/// A language, and what its compilers differ in.
struct Language {
  std::string_view Compiler::* program;
  std::string_view files;   ///< how the names of its configuration files begin
  std::string_view package; ///< Debian's, without the version
  bool several_kinds;       ///< a command may make device code for the host's kind and for GPUs
};

constexpr Language kC{&Compiler::c, "gantry", "clang", true};
constexpr Language kCxx{&Compiler::cxx, "gantry", "clang", true};
constexpr Language kFortran{&Compiler::fortran, "gantry-flang", "flang", false};

/// As found when Gantry was configured; the first is the default.
constexpr auto kCompilers = std::to_array<Compiler>({
    {"22", GANTRY_CLANG_22, GANTRY_CLANGXX_22, GANTRY_FLANG_22},
    {"19", GANTRY_CLANG_19, GANTRY_CLANGXX_19, {}},
});

constexpr std::string_view kVersionOption = "--clang=";

/// With one of these the user has chosen the targets.
bool chooses_targets(std::string_view argument) {
  constexpr std::array<std::string_view, 4> kOptions = {"-fopenmp-targets", "--offload-targets",
                                                        "--offload-arch", "--offload="};
  return std::ranges::any_of(kOptions,
                             [&](std::string_view option) { return argument.starts_with(option); });
}

/// Whether an argument lists targets, and one of them is for such a processor.
bool chooses_target_of(std::string_view argument, std::string_view processor) {
  constexpr std::array<std::string_view, 2> kTargets = {"-fopenmp-targets=", "--offload-targets="};
  return std::ranges::any_of(
             kTargets, [&](std::string_view option) { return argument.starts_with(option); }) &&
         argument.find(processor) != std::string_view::npos;
}

bool chooses_amd_gpu(std::string_view argument) {
  return names_amd_gpu(argument) || chooses_target_of(argument, "amdgcn");
}

/// With one of these it is a GPU, or several.
bool chooses_gpu(std::string_view argument) {
  return names_gpu(argument) || chooses_amd_gpu(argument) || chooses_target_of(argument, "nvptx64");
}

/// The configuration file to use. An error if a file that Clang looks for beside it is missing,
/// because Clang would silently take LLVM's program of the same name.
Result<std::string> configuration_file(std::string_view name) {
  const std::filesystem::path root = GANTRY_TRY(find_installation());
  const std::filesystem::path file = root / "share/gantry" / name;
  for (const std::filesystem::path& needed :
       {file, root / "lib/gantry/libomptarget.so", root / "libexec/clang-linker-wrapper",
        root / "libexec/clang-offload-packager", root / "libexec/llvm-offload-binary"}) {
    if (access(needed.c_str(), R_OK) != 0) {
      return fail("cannot read '{}': {}; Gantry's installation is not complete", needed.string(),
                  std::strerror(errno));
    }
  }
  return file.string();
}

/// What the arguments say of the choice of the compiler and its configuration.
struct Choice {
  std::string_view version = kCompilers.front().version;
  bool chooses_targets = false;
  bool chooses_gpu = false;
  /// The last of -fopenmp and -fno-openmp; the configuration file has the first.
  bool openmp = true;
};

Choice read_choice(const std::vector<std::string>& arguments) {
  Choice choice;
  for (const std::string_view argument : arguments) {
    if (argument.starts_with(kVersionOption)) {
      choice.version = argument.substr(kVersionOption.size());
    } else if (argument == "-fopenmp" || argument.starts_with("-fopenmp=")) {
      choice.openmp = true;
    } else if (argument == "-fno-openmp") {
      choice.openmp = false;
    }
    choice.chooses_targets |= chooses_targets(argument);
    choice.chooses_gpu |= chooses_gpu(argument);
  }
  return choice;
}

Error unknown_version(std::string_view version, const Language& language) {
  std::string known;
  for (const Compiler& compiler : kCompilers) {
    if (!(compiler.*language.program).empty()) {
      known += fmt::format("{}{}", known.empty() ? "" : " or ", compiler.version);
    }
  }
  return {fmt::format("'{}{}' names no compiler that Gantry knows; give {}", kVersionOption,
                      version, known)};
}

/// Warns, because Clang reports that it cannot make a file, but not where.
void warn_of_temporary_folder() {
  const char* const folder = std::getenv("TMPDIR");
  if (folder != nullptr && *folder != '\0' && access(folder, W_OK | X_OK) != 0) {
    warn("no file can be made in TMPDIR, '{}': {}; set it to a folder that you may write to",
         folder, std::strerror(errno));
  }
}

/// Flang's driver takes the PTX version from a CUDA toolkit, which it finds by a `ptxas` on PATH.
/// Without one it chooses 4.2, which no supported GPU has. So PATH gets the folder that Clang gets
/// as its toolkit by an option.
void show_toolkit(const std::string& configuration_file) {
  const char* const before = std::getenv("PATH");
  const std::filesystem::path folder =
      std::filesystem::path(configuration_file).parent_path() / "cuda/bin";
  setenv("PATH", fmt::format("{}:{}", folder.string(), before == nullptr ? "" : before).c_str(), 1);
}

Result<int> run_compiler(int argc, char** argv, const Language& language) {
  const std::span given(argv + 1, static_cast<std::size_t>(argc - 1));
  const auto expanded = GANTRY_TRY(expand_response_files(given));
  const Choice choice = read_choice(expanded);
  const auto* const compiler = std::ranges::find(kCompilers, choice.version, &Compiler::version);
  if (compiler == kCompilers.end() || ((*compiler).*language.program).empty()) {
    return tl::unexpected(unknown_version(choice.version, language));
  }
  for (const std::string& argument : expanded) {
    GANTRY_TRY(check_architectures(argument));
  }
  if (!language.several_kinds && std::ranges::any_of(expanded, names_host) &&
      std::ranges::any_of(expanded, names_gpu)) {
    return fail("Flang makes device code for one kind of device a command: give "
                "--offload-arch=host, or GPUs");
  }
  warn_of_temporary_folder();
  // Clang refuses targets without OpenMP.
  const bool by_default = !choice.chooses_targets && choice.openmp;
  const std::string_view kind = choice.chooses_gpu ? "-gpu" : by_default ? "" : "-base";
  const std::string file =
      GANTRY_TRY(configuration_file(fmt::format("{}{}.cfg", language.files, kind)));
  if (choice.chooses_gpu && !language.several_kinds) {
    show_toolkit(file);
  }

  // Passes response files on unread, because they may be long, unless one contains an option of
  // Gantry's.
  const auto is_version = [](std::string_view argument) {
    return argument.starts_with(kVersionOption);
  };
  const auto is_ours = [&](std::string_view argument) {
    return is_version(argument) || needs_translation(argument);
  };
  std::vector<std::string> words(given.begin(), given.end());
  if (std::ranges::count_if(expanded, is_ours) != std::ranges::count_if(words, is_ours)) {
    words = expanded;
  }
  std::erase_if(words, is_version);
  words = translate_architectures(std::move(words));
  const bool has_amd_gpu =
      std::ranges::any_of(expanded, chooses_amd_gpu) || std::ranges::any_of(words, chooses_amd_gpu);
  if (has_amd_gpu && language.several_kinds) {
    // Lines for reports, and no more: with all of -g Clang writes regions otherwise, and threads no
    // longer see each other's values of some variables. For NVIDIA's GPUs it does so by itself.
    words.insert(words.end(), {"-Xopenmp-target=amdgcn-amd-amdhsa", "-gline-tables-only"});
  }
  words.insert(words.begin(), {std::string((*compiler).*language.program), "--config=" + file});
  return replace_process(std::move(words), fmt::format("install Debian's package {}-{}",
                                                       language.package, compiler->version));
}

} // namespace

Result<int> run_clang(int argc, char** argv) {
  return run_compiler(argc, argv, kC);
}
Result<int> run_clangxx(int argc, char** argv) {
  return run_compiler(argc, argv, kCxx);
}
Result<int> run_flang(int argc, char** argv) {
  return run_compiler(argc, argv, kFortran);
}

} // namespace gantry::cli
