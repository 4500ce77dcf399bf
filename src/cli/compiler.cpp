// `gantry clang` and `gantry clang++`: the stock compiler with Gantry's configuration file, and
// nothing that a user could not write on a command line.

#include "cli/command.h"

#include <algorithm>
#include <array>
#include <cerrno>
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
};

/// As found when Gantry was configured; the first is the default.
constexpr auto kCompilers = std::to_array<Compiler>({
    {"22", GANTRY_CLANG_22, GANTRY_CLANGXX_22},
    {"19", GANTRY_CLANG_19, GANTRY_CLANGXX_19},
});

constexpr std::string_view kVersionOption = "--clang=";

/// With one of these the user has chosen the targets.
bool chooses_targets(std::string_view argument) {
  constexpr std::array<std::string_view, 4> kOptions = {"-fopenmp-targets", "--offload-targets",
                                                        "--offload-arch", "--offload="};
  return std::ranges::any_of(kOptions,
                             [&](std::string_view option) { return argument.starts_with(option); });
}

std::filesystem::path configuration_file(bool with_targets) {
  // This program is <root>/bin/gantry.
  const auto root = std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path();
  return root / "share/gantry" / (with_targets ? "gantry.cfg" : "gantry-base.cfg");
}

Error unknown_version(std::string_view version) {
  std::string known;
  for (const Compiler& compiler : kCompilers) {
    known += fmt::format("{}{}", known.empty() ? "" : " or ", compiler.version);
  }
  return {fmt::format("'{}{}' names no compiler that Gantry knows; give {}", kVersionOption,
                      version, known)};
}

int run_compiler(int argc, char** argv, std::string_view Compiler::* language) {
  const Compiler* compiler = kCompilers.begin();
  bool default_targets = true;
  std::vector<char*> arguments;
  for (char* argument : std::span(argv + 1, static_cast<std::size_t>(argc - 1))) {
    const std::string_view text = argument;
    if (text.starts_with(kVersionOption)) {
      const std::string_view version = text.substr(kVersionOption.size());
      compiler = std::ranges::find(kCompilers, version, &Compiler::version);
      if (compiler == kCompilers.end()) {
        return report(unknown_version(version));
      }
      continue;
    }
    default_targets &= !chooses_targets(text);
    arguments.push_back(argument);
  }

  std::string program((*compiler).*language);
  std::string config = "--config=" + configuration_file(default_targets).string();
  arguments.insert(arguments.begin(), {program.data(), config.data()});
  arguments.push_back(nullptr);
  execv(program.c_str(), arguments.data());
  return report({fmt::format("cannot run '{}': {}; install Debian's package clang-{}", program,
                             std::strerror(errno), compiler->version)});
}

} // namespace

int run_clang(int argc, char** argv) {
  return run_compiler(argc, argv, &Compiler::c);
}
int run_clangxx(int argc, char** argv) {
  return run_compiler(argc, argv, &Compiler::cxx);
}

} // namespace gantry::cli
