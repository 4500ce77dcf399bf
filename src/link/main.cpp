// libexec/clang-linker-wrapper, which Clang runs in place of the linker, and `gantry link`, which
// runs this program.

#include "link/arguments.h"
#include "link/linker.h"
#include "link/process.h"
#include "link/temporary_directory.h"

#include <cstdio>
#include <string_view>

#include <llvm/Config/llvm-config.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/Error.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/TimeProfiler.h>
#include <unistd.h>

namespace {

using gantry::Result;
using gantry::link::Arguments;

/// An error may hold several problems, one a line; lines that start with ">>>" go on about the one
/// before.
void report(std::string_view message) {
  while (!message.empty()) {
    const std::size_t end = message.find('\n');
    const std::string_view line = message.substr(0, end);
    fmt::print(stderr, "{}{}\n", line.starts_with(">>>") ? "" : "gantry: error: ", line);
    message.remove_prefix(end == std::string_view::npos ? message.size() : end + 1);
  }
}

/// -mllvm options are LLVM's own and process-wide.
void apply_llvm_options(const std::vector<std::string>& options) {
  std::vector<const char*> arguments{"gantry link (LLVM option parsing)"};
  for (const std::string& option : options) {
    arguments.push_back(option.c_str());
  }
  llvm::cl::ParseCommandLineOptions(static_cast<int>(arguments.size()), arguments.data());
}

void write_time_trace(const std::string& path) {
  if (llvm::Error error = llvm::timeTraceProfilerWrite(path, "gantry-link")) {
    report(fmt::format("cannot write the time trace '{}': {}", path,
                       llvm::toString(std::move(error))));
  }
  llvm::timeTraceProfilerCleanup();
}

/// Handles LLVM's fatal errors, which come from any thread and are no values that LLVM returns. A
/// broken module is one: LLVM's verifier, which runs as a pass, rejects Flang's debug information
/// for some reductions of many variables.
[[noreturn]] void end_with(void*, const char* reason, bool) {
  const bool is_broken = std::string_view(reason).starts_with("Broken module");
  report(fmt::format("LLVM cannot compile the device code: {}\n>>> {}", reason,
                     is_broken
                         ? "debug information is a usual cause: compile without -g, or with -O1"
                         : "code for another architecture (--offload-arch), or written for one "
                           "that this architecture is not, is a usual cause"));
  gantry::link::leave_nothing_behind();
  _exit(1);
}

int run(const Arguments& arguments) {
  if (!arguments.time_trace.empty()) {
    llvm::timeTraceProfilerInitialize(arguments.time_trace_granularity, "gantry link");
  }
  llvm::install_fatal_error_handler(end_with);
  apply_llvm_options(arguments.llvm_options);
  const Result<int> exit_code = gantry::link::link(arguments);
  if (!arguments.time_trace.empty()) {
    write_time_trace(arguments.time_trace);
  }
  if (!exit_code) {
    report(exit_code.error().message);
    return 1;
  }
  return *exit_code;
}

} // namespace

int main(int argc, char** argv) {
  gantry::link::handle_signals();
  const Result<Arguments> arguments =
      gantry::link::parse_arguments({argv + 1, static_cast<std::size_t>(argc > 0 ? argc - 1 : 0)});
  if (!arguments) {
    report(arguments.error().message);
    return 1;
  }
  // Build systems ask the linker these through the compiler (-Wl,--version, -Wl,--help) and look
  // for GNU ld's words in the answer, so the host linker gets to answer as well.
  if (arguments->help) {
    fmt::print("{}", gantry::link::help_text());
    std::fflush(stdout);
  }
  if (arguments->version && arguments->linker_path.empty()) {
    fmt::print("gantry linker wrapper {} (LLVM {})\n", GANTRY_VERSION, LLVM_VERSION_STRING);
  }
  if ((arguments->help || arguments->version) && arguments->linker_path.empty()) {
    return 0;
  }
  return run(*arguments);
}
