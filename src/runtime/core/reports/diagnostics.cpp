#include "runtime/core/reports/diagnostics.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <unistd.h>

namespace gantry::core {

namespace {

/// The fields of ";a;b;c;;".
std::vector<std::string_view> fields(const char* text) {
  std::vector<std::string_view> result;
  if (text == nullptr) {
    return result;
  }
  std::string_view rest(text);
  while (!rest.empty() && rest.front() == ';') {
    rest.remove_prefix(1);
    const std::string_view field = rest.substr(0, rest.find(';'));
    result.push_back(field);
    rest.remove_prefix(field.size());
  }
  return result;
}

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

/// Flang puts the file in front of the name; Clang's expressions have no such ending.
bool is_fortran_file(std::string_view text) {
  constexpr auto kEndings = std::to_array<std::string_view>(
      {".f90", ".F90", ".f95", ".F95", ".f03", ".F03", ".f08", ".F08", ".f18", ".F18", ".f", ".F",
       ".for", ".FOR", ".ftn", ".fpp", ".FPP"});
  return std::ranges::any_of(kEndings,
                             [&](std::string_view ending) { return text.ends_with(ending); });
}

} // namespace

std::atomic<std::uint32_t> check_bits{0};

std::string position(const char* psource) {
  const auto parts = fields(psource);
  if (parts.size() < 3 || parts[0].empty() || parts[0] == "unknown" || parts[2] == "0") {
    return {};
  }
  return fmt::format("{}:{}", parts[0], parts[2]);
}

std::string label(const Construct& construct) {
  std::string where = position(construct.psource);
  return where.empty() ? std::string(construct.name) : fmt::format("{}: {}", where, construct.name);
}

std::string_view map_name(const char* name) {
  const std::string_view text = name == nullptr ? "" : name;
  if (!text.empty() && text.find(';') == text.npos) { // of a declare target variable
    return text;
  }
  const auto parts = fields(name);
  if (parts.empty()) {
    return {};
  }
  // `s.f` of `heat.c` is a member.
  const bool of_flang =
      parts.size() > 1 && is_fortran_file(parts[0]) && parts[1].find('.') == parts[1].npos;
  const std::string_view found = of_flang ? parts[1] : parts[0];
  return found == "unknown" ? "" : found;
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
