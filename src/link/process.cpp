#include "link/process.h"

#include "link/text.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <mutex>
#include <set>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace gantry::link {
namespace {

/// The children that run now, so that a signal can end them.
class Children {
public:
  static Children& instance() {
    static Children children;
    return children;
  }

  Result<pid_t> spawn(const char* program, const posix_spawn_file_actions_t& actions,
                      const posix_spawnattr_t& attributes, char* const* arguments) {
    const std::scoped_lock lock(mutex_);
    if (ending_) {
      return fail("'{}' is not started because a signal is ending this process", program);
    }
    pid_t child = 0;
    if (const int error = posix_spawn(&child, program, &actions, &attributes, arguments, environ)) {
      return fail("cannot run '{}': {}", program, std::strerror(error));
    }
    running_.insert(child);
    return child;
  }

  /// Forgets a child that has ended. When a signal ended it, this thread must not go on to report
  /// that: the signal thread is about to end the process.
  void remove(pid_t child) {
    std::unique_lock lock(mutex_);
    running_.erase(child);
    while (ending_) {
      lock.unlock();
      pause();
      lock.lock();
    }
  }

  void end() {
    const std::scoped_lock lock(mutex_);
    ending_ = true;
    for (const pid_t child : running_) {
      kill(child, SIGTERM);
    }
  }

private:
  std::mutex mutex_;
  std::set<pid_t> running_;
  bool ending_ = false;
};

/// A command line this long goes through a response file: half of Linux's limit for one program's
/// arguments leaves room for the environment.
constexpr std::size_t kLongestCommand = std::size_t{1} << 20;

std::string escaped_for_response_file(const std::string& argument) {
  std::string result = "\"";
  for (const char character : argument) {
    if (character == '"' || character == '\\') {
      result += '\\';
    }
    result += character;
  }
  return result + "\"\n";
}

Result<std::vector<std::string>> shortened(const std::vector<std::string>& command,
                                           const std::string& response_file) {
  if (response_file.empty() || !needs_response_file(command)) {
    return command;
  }
  std::ofstream file(response_file);
  for (auto argument = command.begin() + 1; argument != command.end(); ++argument) {
    file << escaped_for_response_file(*argument);
  }
  file.close();
  if (!file) {
    return fail("cannot write the response file '{}'", response_file);
  }
  return std::vector<std::string>{command.front(), "@" + response_file};
}

std::vector<char*> argument_pointers(const std::vector<std::string>& command) {
  std::vector<char*> result;
  result.reserve(command.size() + 1);
  for (const std::string& argument : command) {
    result.push_back(const_cast<char*>(argument.c_str()));
  }
  result.push_back(nullptr);
  return result;
}

std::string quoted(const std::vector<std::string>& command) {
  std::string result;
  for (const std::string& argument : command) {
    if (!result.empty()) {
      result += ' ';
    }
    result += '"';
    for (const char character : argument) {
      if (contains("\"\\$`", character)) {
        result += '\\';
      }
      result += character;
    }
    result += '"';
  }
  return result;
}

std::string read_all(int descriptor) {
  std::string result;
  std::array<char, 4096> buffer{};
  while (true) {
    const ssize_t count = read(descriptor, buffer.data(), buffer.size());
    if (count > 0) {
      result.append(buffer.data(), static_cast<std::size_t>(count));
    } else if (count == 0 || errno != EINTR) {
      return result;
    }
  }
}

} // namespace

Result<ProcessResult> run_process(const std::vector<std::string>& command, Capture capture,
                                  const std::string& response_file) {
  const std::vector<std::string> arguments = GANTRY_TRY(shortened(command, response_file));
  std::array<int, 2> pipe_ends = {-1, -1};
  if (capture != Capture::kNothing && pipe2(pipe_ends.data(), O_CLOEXEC) != 0) {
    return fail("cannot make a pipe for '{}': {}", command.front(), std::strerror(errno));
  }
  const auto [read_end, write_end] = pipe_ends;

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (write_end >= 0) {
    posix_spawn_file_actions_adddup2(&actions, write_end,
                                     capture == Capture::kOutput ? STDOUT_FILENO : STDERR_FILENO);
  }
  // This process blocks the signals that its signal thread waits for; the child must not.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);

  const std::vector<char*> pointers = argument_pointers(arguments);
  const Result<pid_t> child =
      Children::instance().spawn(command.front().c_str(), actions, attributes, pointers.data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (write_end >= 0) {
    close(write_end);
  }

  ProcessResult result;
  if (read_end >= 0) {
    if (child) {
      result.captured = read_all(read_end);
    }
    close(read_end);
  }
  if (!child) {
    return tl::unexpected(child.error());
  }
  int status = 0;
  while (waitpid(*child, &status, 0) < 0 && errno == EINTR) {
  }
  Children::instance().remove(*child);
  result.exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return result;
}

Error replace_process(const std::vector<std::string>& command) {
  const std::vector<char*> pointers = argument_pointers(command);
  execv(command.front().c_str(), pointers.data());
  return {fmt::format("cannot run '{}': {}", command.front(), std::strerror(errno))};
}

void end_children() {
  Children::instance().end();
}

bool needs_response_file(const std::vector<std::string>& command) {
  std::size_t length = 0;
  for (const std::string& argument : command) {
    length += argument.size() + 1 + sizeof(char*);
  }
  return length >= kLongestCommand;
}

void show_command(const Arguments& arguments, const std::vector<std::string>& command) {
  if (arguments.verbose || arguments.dry_run) {
    std::fputs((" " + quoted(command) + "\n").c_str(), stderr);
  }
}

} // namespace gantry::link
