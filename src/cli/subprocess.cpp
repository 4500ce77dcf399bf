#include "cli/subprocess.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

namespace gantry::cli {
namespace {

constexpr std::size_t kMostOutput = 65536;

std::vector<std::string>
environment_with(const std::vector<std::pair<std::string, std::string>>& changes) {
  std::vector<std::string> result;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    if (std::ranges::none_of(changes, [&](const auto& change) {
          return text.substr(0, text.find('=')) == change.first;
        })) {
      result.emplace_back(text);
    }
  }
  for (const auto& [name, value] : changes) {
    if (!value.empty()) {
      result.push_back(fmt::format("{}={}", name, value));
    }
  }
  return result;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) {
    pointers.push_back(text.data());
  }
  pointers.push_back(nullptr);
  return pointers;
}

/// Reads until the other end is closed everywhere; false if that takes too long, or a signal comes.
bool read_all(int pipe, std::string& output, std::chrono::seconds patience,
              const HeldSignals& signals) {
  const auto end = std::chrono::steady_clock::now() + patience;
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - std::chrono::steady_clock::now());
    pollfd readable[] = {{pipe, POLLIN, 0}, {signals.descriptor(), POLLIN, 0}};
    const int ready = poll(readable, std::size(readable),
                           static_cast<int>(std::max<std::int64_t>(0, left.count())));
    if (ready == 0 || readable[1].revents != 0) {
      return false;
    }
    char bytes[4096];
    const ssize_t count = ready < 0 ? ready : read(pipe, bytes, sizeof bytes);
    if (count == 0 || (count < 0 && errno != EINTR)) {
      return true;
    }
    if (count > 0) {
      output.append(bytes, std::min<std::size_t>(static_cast<std::size_t>(count),
                                                 kMostOutput - output.size()));
    }
  }
}

/// The ending signals, except those that the parent process has set to be ignored.
sigset_t ending_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE}) {
    struct sigaction current = {};
    sigaction(number, nullptr, &current);
    if (current.sa_handler != SIG_IGN) {
      sigaddset(&signals, number);
    }
  }
  return signals;
}

} // namespace

HeldSignals::HeldSignals() {
  const sigset_t held = ending_signals();
  sigprocmask(SIG_BLOCK, &held, &before_);
  descriptor_ = signalfd(-1, &held, SFD_CLOEXEC);
}

HeldSignals::~HeldSignals() {
  close(descriptor_);
  sigprocmask(SIG_SETMASK, &before_, nullptr);
}

bool HeldSignals::any() const {
  pollfd readable{descriptor_, POLLIN, 0};
  return poll(&readable, 1, 0) > 0;
}

Result<Ended> run_to_the_end(const std::vector<std::string>& arguments,
                             const std::vector<std::pair<std::string, std::string>>& environment,
                             std::chrono::seconds patience, const HeldSignals& signals) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    return fail("cannot make a pipe: {}", std::strerror(errno));
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  std::vector<std::string> texts = arguments;
  std::vector<std::string> variables = environment_with(environment);
  posix_spawnattr_t attributes; // a process group of its own, which can be killed as a whole
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  posix_spawnattr_setsigmask(&attributes, &signals.before());
  pid_t process = 0;
  const int error = posix_spawn(&process, texts.front().c_str(), &actions, &attributes,
                                pointers_to(texts).data(), pointers_to(variables).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (error != 0) {
    close(ends[0]);
    return fail("cannot run '{}': {}", texts.front(), std::strerror(error));
  }
  Ended ended;
  const bool in_time = read_all(ends[0], ended.output, patience, signals);
  close(ends[0]);
  if (!in_time) {
    kill(-process, SIGKILL);
  }
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  if (!in_time) {
    return signals.any() ? fail("interrupted")
                         : fail("'{}' did not end in {} seconds", texts.front(), patience.count());
  }
  ended.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return ended;
}

std::filesystem::path found_program(const std::string& name) {
  const char* const path = std::getenv("PATH");
  if (name.find('/') != std::string::npos || path == nullptr) {
    return name;
  }
  std::string_view rest = path;
  for (bool more = true; more;) {
    const std::size_t colon = rest.find(':');
    const std::filesystem::path candidate = std::filesystem::path(rest.substr(0, colon)) / name;
    if (access(candidate.c_str(), X_OK) == 0) {
      return candidate;
    }
    more = colon != std::string_view::npos;
    rest.remove_prefix(more ? colon + 1 : rest.size());
  }
  return name;
}

tl::unexpected<Error> replace_process(std::vector<std::string> arguments, std::string_view advice) {
  execv(arguments.front().c_str(), pointers_to(arguments).data());
  return fail("cannot run '{}': {}; {}", arguments.front(), std::strerror(errno), advice);
}

} // namespace gantry::cli
