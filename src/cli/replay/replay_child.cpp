#include "cli/replay/replay_child.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace gantry::cli {
namespace {

using Json = nlohmann::ordered_json;

// The child writes a line of JSON for each thing that it reports: an object with one member.
constexpr const char* kReady = "ready";
constexpr const char* kRun = "run";
constexpr const char* kSame = "same";
constexpr const char* kError = "error";

void write_line(int pipe, const Json& message) {
  const std::string line = message.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  for (std::size_t done = 0; done < line.size();) {
    const ssize_t count = write(pipe, line.data() + done, line.size() - done);
    if (count < 0 && errno != EINTR) {
      return; // the parent is gone
    }
    done += count > 0 ? static_cast<std::size_t>(count) : 0;
  }
}

[[noreturn]] void be_child(const std::function<Result<bool>(const ReplayReports&)>& work,
                           int pipe) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const Result<bool> same = work({[pipe] { write_line(pipe, Json{{kReady, true}}); },
                                  [pipe](Json row) {
                                    std::fflush(stdout); // the next run may end the process
                                    write_line(pipe, Json{{kRun, std::move(row)}});
                                  }});
  std::fflush(stdout);
  write_line(pipe, same ? Json{{kSame, *same}} : Json{{kError, same.error().message}});
  _exit(EXIT_SUCCESS);
}

/// "with signal 11 (Segmentation fault)".
std::string ending_of(int status) {
  return WIFSIGNALED(status)
             ? fmt::format("with signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)))
             : fmt::format("with status {}", WEXITSTATUS(status));
}

} // namespace

Result<ChildEnd> replay_in_child(const std::function<Result<bool>(const ReplayReports&)>& work,
                                 const std::function<void(Json)>& run) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    return fail("cannot make a pipe: {}", std::strerror(errno));
  }
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    be_child(work, ends[1]);
  }
  close(ends[1]);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> reports(fdopen(ends[0], "r"), std::fclose);
  if (child < 0) {
    return fail("cannot make a process: {}", std::strerror(errno));
  }
  bool is_ready = false;
  Json end;
  char* line = nullptr;
  std::size_t room = 0;
  while (getline(&line, &room, reports.get()) > 0) {
    Json message = Json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (message.contains(kRun)) {
      run(std::move(message[kRun]));
    } else if (message.contains(kReady)) {
      is_ready = true;
    } else {
      end = std::move(message);
    }
  }
  std::free(line);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (end.contains(kError)) {
    return fail("{}", end[kError].get<std::string>());
  }
  if (end.contains(kSame)) {
    return ChildEnd{end[kSame].get<bool>(), {}};
  }
  if (!is_ready) {
    return fail("the process that was to run the kernel ended before that, {}", ending_of(status));
  }
  return ChildEnd{true, "the kernel ended the process " + ending_of(status)};
}

} // namespace gantry::cli
