// `gantry`: one program, one subcommand for each thing a user does.
//
// Clang's driver looks for its packager by name, GCC's for its linker and Flang's for its
// assembler, so links of these names to this program run what stands in for them.

#include "base/nearest.h"
#include "cli/command.h"

#include <algorithm>
#include <array>

namespace gantry::cli {
namespace {

constexpr std::array kCommands = {
    Command{"clang", "compile C with stock Clang (--clang=22, the default, or --clang=19)",
            run_clang},
    Command{"clang++", "the same for C++", run_clangxx},
    Command{"devices", "list the kinds of devices this machine offers", run_devices},
    Command{"doctor", "check what this machine has, and try every device", run_doctor},
    Command{"env", "list the environment variables that programs read", run_environment},
    Command{"flang", "compile Fortran with stock Flang 22", run_flang},
    Command{"g++", "compile C++ with stock GCC 12", run_gxx},
    Command{"gcc", "the same for C", run_gcc},
    Command{"gfortran", "the same for Fortran", run_gfortran},
    Command{"inspect", "show device images, offload entries and registration of files",
            run_inspect},
    Command{"link", "link a program with device code, as Clang's driver does", run_link},
    Command{"mpirun", "run a program with the devices of other machines, in a job of MPI's",
            run_mpirun},
    Command{"pack", "put device images into an offload binary, or take them out", run_pack},
    Command{"plugin-check", "test a plugin against the contract of gantry/plugin.h",
            run_plugin_check},
    Command{"profile",
            "run a program and report where its time on devices goes, and what to change",
            run_profile},
    Command{"record", "run a program, and write one launch of a kernel to a file", run_record},
    Command{"replay", "run the kernel of such a file again", run_replay},
    Command{"run", "run a program that GCC has linked without Gantry", run_program},
};

struct Alias {
  std::string_view program;
  Result<int> (*run)(int argc, char** argv);
};

/// Programs that this one replaces, by the base name of argv[0].
constexpr std::array kAliases = {
    Alias{"llvm-offload-binary", run_pack},
    Alias{"clang-offload-packager", run_pack},
    Alias{"ld", run_linker_of_gcc},
    Alias{"ptxas", run_ptxas},
};

const Command* find_command(std::string_view name) {
  const auto* const found = std::ranges::find(kCommands, name, &Command::name);
  return found == kCommands.end() ? nullptr : found;
}

std::string_view base_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

/// Printed by `gantry` without arguments.
constexpr std::string_view kFirstSteps =
    "gantry: OpenMP target offloading for the compilers you already have\n\n"
    "To begin:\n"
    "  gantry doctor                       what this machine has, tried on every device\n"
    "  gantry clang++ -O2 app.cpp -o app   compile (also clang, flang, gcc, g++, gfortran)\n"
    "  GANTRY_DEVICES=worker ./app         run on a device (`gantry devices` lists them)\n\n"
    "`gantry --help` lists the commands.\n";

void print_help() {
  fmt::print("gantry: OpenMP target offloading for the compilers you already have\n\n"
             "Usage: gantry COMMAND [ARGUMENT…]\n\n"
             "Commands:\n");
  for (const Command& command : kCommands) {
    fmt::print("  {:<13} {}\n", command.name, command.help);
  }
  fmt::print(
      "\n`gantry COMMAND --help` explains a command; `gantry --version` prints the version.\n");
}

Result<int> run(int argc, char** argv) {
  if (argc == 0) {
    return fail("the program was started without a name");
  }
  const auto* const alias = std::ranges::find(kAliases, base_name(argv[0]), &Alias::program);
  if (alias != kAliases.end()) {
    return alias->run(argc, argv);
  }
  if (argc < 2) {
    fmt::print("{}", kFirstSteps);
    return 1;
  }
  const std::string_view name = argv[1];
  if (name == "--help" || name == "-h" || name == "help") {
    print_help();
    return 0;
  }
  if (name == "--version") {
    fmt::print("gantry {}\n", GANTRY_VERSION);
    return 0;
  }
  const Command* command = find_command(name);
  if (command == nullptr) {
    std::array<std::string_view, kCommands.size()> names;
    std::ranges::transform(kCommands, names.begin(), &Command::name);
    return fail("there is no command '{}'{}; `gantry --help` lists them", name,
                suggestion(name, names));
  }
  return command->run(argc - 1, argv + 1);
}

} // namespace
} // namespace gantry::cli

int main(int argc, char** argv) {
  return gantry::cli::with_output_written([&] { return gantry::cli::run(argc, argv); });
}
