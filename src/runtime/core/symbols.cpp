#include "runtime/core/symbols.h"

#include "runtime/core/module_path.h"

#include <cstdio>

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace gantry::core {

namespace {

/// What the program writes to its standard output; empty if it cannot be run.
std::string output_of(std::vector<std::string> command) {
  int ends[2];
  if (pipe(ends) != 0) {
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
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  posix_spawn_file_actions_addclose(&actions, ends[1]);
  pid_t child = 0;
  const int failed =
      posix_spawn(&child, arguments.front(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string output;
  if (failed == 0) {
    char piece[4096];
    for (ssize_t count = 0; (count = read(ends[0], piece, sizeof piece)) > 0;) {
      output.append(piece, static_cast<std::size_t>(count));
    }
    waitpid(child, nullptr, 0);
  }
  close(ends[0]);
  return output;
}

} // namespace

std::vector<Symbol> symbolize(std::span<const ModuleAddress> addresses) {
  std::vector<std::string> command{library_folder() + "/../../libexec/gantry-symbolizer"};
  for (const auto& [file, address] : addresses) {
    command.push_back(file);
    command.push_back(fmt::format("{:#x}", address));
  }
  const std::string output = output_of(std::move(command));
  std::vector<Symbol> symbols(addresses.size());
  std::size_t begin = 0;
  for (Symbol& symbol : symbols) {
    const std::size_t tab = output.find('\t', begin);
    const std::size_t end = output.find('\n', begin);
    if (tab == std::string::npos || end == std::string::npos || tab > end) {
      break;
    }
    symbol.name = output.substr(begin, tab - begin);
    symbol.position = output.substr(tab + 1, end - tab - 1);
    begin = end + 1;
  }
  return symbols;
}

} // namespace gantry::core
