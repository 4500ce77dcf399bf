#include "runtime/core/reports/diagnostics.h"

#include "runtime/core/reports/compiler_names.h"

#include <cstdio>
#include <cstdlib>

#include <unistd.h>

namespace gantry::core {

namespace {

/// One write call a line, so that lines of several threads and processes do not mix.
void write_line(std::string_view kind, std::string_view text) {
  const std::string line = fmt::format("gantry: {}: {}\n", kind, text);
  std::string_view rest = line;
  while (!rest.empty()) {
    const ssize_t written = write(STDERR_FILENO, rest.data(), rest.size());
    if (written <= 0) {
      return;
    }
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
}

} // namespace

std::atomic<std::uint32_t> check_bits{0};

std::string label(const Construct& construct) {
  std::string where = position(construct.location);
  return where.empty() ? std::string(construct.name) : fmt::format("{}: {}", where, construct.name);
}

void write_info(std::string_view text) {
  write_line("info", text);
}

void write_warning(std::string_view text) {
  write_line("warning", text);
}

void write_hint(std::string_view text) {
  write_line("hint", text);
}

void write_error(const Error& error, const Construct& construct) {
  const std::string where = label(construct);
  write_line("error", where.empty() ? error.message : fmt::format("{}: {}", where, error.message));
}

void fatal(const Error& error, const Construct& construct) {
  // What the program printed so far comes first, as it happened.
  fflush(stdout);
  write_error(error, construct);
  // Not exit(): other threads may be running kernels of images that exit handlers would unload.
  _Exit(EXIT_FAILURE);
}

} // namespace gantry::core
