#include "runtime/core/host/symbols.h"

#include "runtime/core/host/lock.h"
#include "runtime/core/host/module_path.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace gantry::core {

namespace {

/// What the program writes to its standard output; empty if it cannot be run.
std::string output_of(std::vector<std::string> command) {
  // A child that another thread starts meanwhile must not inherit the end that is written to, or
  // reading would wait for that child's end.
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    return {};
  }
  std::vector<char*> arguments;
  for (std::string& argument : command) {
    arguments.push_back(argument.data());
  }
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  pid_t child = 0;
  const int failed =
      posix_spawn(&child, arguments.front(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string output;
  if (failed == 0) {
    char piece[4096];
    for (ssize_t count = 1; count > 0 || (count < 0 && errno == EINTR);) {
      count = read(ends[0], piece, sizeof piece);
      output.append(piece, static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    }
    while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  close(ends[0]);
  return output;
}

} // namespace

std::vector<Symbol> symbolize(std::span<const ModuleAddress> addresses) {
  expect_no_lock("symbols are looked up");
  std::vector<std::string> command{library_folder() + "/../../libexec/gantry-symbolizer"};
  for (const auto& [file, address] : addresses) {
    command.push_back(file);
    command.push_back(fmt::format("{:#x}", address));
  }
  const std::string output = output_of(std::move(command));
  std::vector<Symbol> symbols(addresses.size());
  std::size_t begin = 0;
  for (Symbol& symbol : symbols) {
    const std::size_t end = output.find('\n', begin);
    const std::string_view line = std::string_view(output).substr(begin, end - begin);
    constexpr std::size_t kFields = 4;
    std::array<std::string, kFields> fields;
    std::size_t count = 0;
    for (std::size_t from = 0; count < kFields && from <= line.size(); ++count) {
      const std::size_t tab = std::min(line.find('\t', from), line.size());
      fields[count] = line.substr(from, tab - from);
      from = tab + 1;
    }
    if (end == std::string::npos || count < kFields) {
      break;
    }
    symbol.name = fields[0];
    symbol.position = fields[1];
    symbol.begin = std::strtoull(fields[2].c_str(), nullptr, 0);
    symbol.size = std::strtoull(fields[3].c_str(), nullptr, 0);
    begin = end + 1;
  }
  return symbols;
}

Symbol symbol_at(std::uintptr_t address) {
  const Module module = module_of(reinterpret_cast<const void*>(address));
  if (module.end == 0) {
    return {};
  }
  const ModuleAddress in_module[] = {{module.path, address - module.begin}};
  Symbol symbol = symbolize(in_module).front();
  symbol.begin += symbol.begin == 0 ? 0 : module.begin;
  return symbol;
}

Symbol symbolize_image(std::span<const std::byte> image, std::uint64_t address) {
  const int file = image.empty() ? -1 : memfd_create("gantry-image", 0);
  if (file < 0) {
    return {};
  }
  Symbol symbol;
  if (write(file, image.data(), image.size()) == static_cast<ssize_t>(image.size())) {
    // The symbolizer inherits the descriptor.
    const ModuleAddress code[] = {{fmt::format("/proc/self/fd/{}", file), address}};
    symbol = symbolize(code).front();
  }
  close(file);
  return symbol;
}

} // namespace gantry::core
