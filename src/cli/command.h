// What a subcommand of `gantry` is. Each has a source file of its own; main.cpp has the table.
#pragma once

#include "base/result.h"
#include "cli/printable.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <system_error>

namespace gantry::cli {

struct Command {
  std::string_view name;
  std::string_view help; ///< one line, for `gantry --help`
  /// Runs it and returns the exit status; main() prints an error. argv[0] is the name it was called
  /// by, argv[argc] is null.
  Result<int> (*run)(int argc, char** argv);
};

Result<int> run_clang(int argc, char** argv);
Result<int> run_clangxx(int argc, char** argv);
Result<int> run_devices(int argc, char** argv);
Result<int> run_doctor(int argc, char** argv);
Result<int> run_environment(int argc, char** argv);
Result<int> run_flang(int argc, char** argv);
Result<int> run_gcc(int argc, char** argv);
Result<int> run_gfortran(int argc, char** argv);
Result<int> run_gxx(int argc, char** argv);
Result<int> run_inspect(int argc, char** argv);
Result<int> run_link(int argc, char** argv);
Result<int> run_linker_of_gcc(int argc, char** argv);
Result<int> run_mpirun(int argc, char** argv);
Result<int> run_pack(int argc, char** argv);
Result<int> run_plugin_check(int argc, char** argv);
Result<int> run_profile(int argc, char** argv);
Result<int> run_program(int argc, char** argv);
Result<int> run_ptxas(int argc, char** argv);
Result<int> run_record(int argc, char** argv);
Result<int> run_replay(int argc, char** argv);

/// The one place where an error of a tool becomes a diagnostic: prints it and returns exit
/// status 1.
inline int report(const Error& error) {
  fmt::print(stderr, "gantry: error: {}\n", printable(error.message));
  return 1;
}

template <typename... Args>
void warn(fmt::format_string<Args...> format, Args&&... args) {
  fmt::print(stderr, "gantry: warning: {}\n",
             printable(fmt::format(format, std::forward<Args>(args)...)));
}

/// Runs `body`, the work of a program, and returns the exit status. Commands print without
/// checking; output that could not be written is an error here.
template <typename Body>
int with_output_written(Body&& body) {
  try {
    const Result<int> result = body();
    const int status = result ? *result : report(result.error());
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) {
      return status;
    }
    return report({fmt::format("cannot write the output: {}", std::strerror(errno))});
  } catch (const std::system_error& error) { // fmt's way to say so of a long output
    return report({fmt::format("cannot write the output: {}", error.code().message())});
  }
}

} // namespace gantry::cli
