#include "plugins/check/suite.h"

#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <thread>

#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace gantry::plugin_check {

namespace {

/// Where the process of a case writes its outcome: a letter and a text.
int report_descriptor = -1;

constexpr char kPassed = 'P';
constexpr char kFailed = 'F';
constexpr char kSkipped = 'S';

void write_report(char letter, std::string_view text) {
  std::string line(1, letter);
  line += text;
  [[maybe_unused]] const ssize_t written = ::write(report_descriptor, line.data(), line.size());
}

std::string content_of(int descriptor) {
  std::string text;
  std::array<char, 4096> buffer;
  lseek(descriptor, 0, SEEK_SET);
  for (ssize_t count = 0; (count = read(descriptor, buffer.data(), buffer.size())) > 0;) {
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
  return text;
}

/// The process of a case.
[[noreturn]] void run_here(const Case& tested, const Load& load) {
  if (const std::string problem = load(subject); !problem.empty()) {
    fail(problem);
  }
  tested.run();
  write_report(kPassed, "");
  // As a program ends that has left devices open, with what it has not closed.
  std::exit(EXIT_SUCCESS);
}

/// Waits for a process; false if it takes longer than `limit`, and then it is ended.
bool wait_for(pid_t process, std::chrono::seconds limit, int& status) {
  const int descriptor = static_cast<int>(syscall(SYS_pidfd_open, process, 0));
  pollfd end = {.fd = descriptor, .events = POLLIN, .revents = 0};
  const bool in_time =
      poll(&end, 1, static_cast<int>(std::chrono::milliseconds(limit).count())) > 0;
  close(descriptor);
  if (!in_time) {
    kill(process, SIGKILL);
  }
  waitpid(process, &status, 0);
  return in_time;
}

/// Ends what processes of a case have left behind, of which this process is the parent by now, and
/// which may be about to end by themselves; true if some were not.
bool end_orphans() {
  constexpr std::chrono::seconds kGrace{5};
  const auto end = std::chrono::steady_clock::now() + kGrace;
  pid_t ended = 0;
  while ((ended = waitpid(-1, nullptr, WNOHANG)) >= 0 && std::chrono::steady_clock::now() < end) {
    if (ended == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }
  const bool are_left = ended >= 0;
  while (ended >= 0) {
    std::ifstream children(fmt::format("/proc/self/task/{}/children", gettid()));
    pid_t child = 0;
    if (!(children >> child)) {
      break; // a kernel without that file
    }
    kill(child, SIGKILL);
    ended = waitpid(child, nullptr, 0);
  }
  return are_left;
}

/// The first line of what was printed, for a message.
std::string first_line(const std::string& printed) {
  return printed.substr(0, printed.find('\n'));
}

Outcome outcome_of(const Case& tested, bool in_time, std::chrono::seconds limit, int status,
                   const std::string& report, const std::string& printed) {
  using Kind = Outcome::Kind;
  const std::string also = printed.empty() ? "" : "; it printed: " + first_line(printed);
  if (!report.empty() && report.front() == kFailed) {
    return {Kind::kFailed, report.substr(1)};
  }
  if (!in_time) {
    return {Kind::kFailed,
            fmt::format("{} after {} s{}",
                        report.empty() ? "the case has not ended" : "the process has not ended",
                        limit.count(), also),
            true};
  }
  if (WIFSIGNALED(status)) {
    return {Kind::kFailed, fmt::format("the process was ended by signal {} ({}){}{}",
                                       WTERMSIG(status), strsignal(WTERMSIG(status)),
                                       report.empty() ? "" : " while it exited", also)};
  }
  if (report.empty()) {
    return {Kind::kFailed, fmt::format("the plugin ended the process, with status {}{}",
                                       WEXITSTATUS(status), also)};
  }
  if (!printed.empty() && !tested.may_print) {
    return {Kind::kFailed, "the plugin printed: " + first_line(printed)};
  }
  if (report.front() == kSkipped) {
    return {Kind::kSkipped, report.substr(1)};
  }
  return WEXITSTATUS(status) == EXIT_SUCCESS
             ? Outcome{}
             : Outcome{Kind::kFailed,
                       fmt::format("exit() ended with status {}", WEXITSTATUS(status))};
}

} // namespace

void fail(std::string_view text) {
  write_report(kFailed, text);
  _exit(EXIT_FAILURE);
}

void skip(std::string_view reason) {
  write_report(kSkipped, reason);
  _exit(EXIT_SUCCESS);
}

std::vector<Case> all_cases() {
  std::vector<Case> all;
  for (const std::span<const Case> cases : {lifecycle_cases(), memory_cases(), image_cases(),
                                            launch_cases(), queue_cases(), fault_cases()}) {
    all.insert(all.end(), cases.begin(), cases.end());
  }
  return all;
}

Outcome run(const Case& tested, const Load& load, std::chrono::seconds limit) {
  const int report = memfd_create("plugin-check-report", MFD_CLOEXEC);
  const int output = memfd_create("plugin-check-output", MFD_CLOEXEC);
  if (report < 0 || output < 0) {
    return {Outcome::Kind::kFailed, "no memory file can be made for the case"};
  }
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  const pid_t process = fork();
  if (process == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    report_descriptor = report;
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    run_here(tested, load);
  }
  Outcome outcome = {Outcome::Kind::kFailed, "no process can be started for the case"};
  if (process > 0) {
    int status = 0;
    const bool in_time = wait_for(process, limit, status);
    outcome = outcome_of(tested, in_time, limit, status, content_of(report), content_of(output));
    if (end_orphans() && outcome.kind != Outcome::Kind::kFailed) {
      outcome = {Outcome::Kind::kFailed, "the plugin left a process behind that does not end"};
    }
  }
  close(report);
  close(output);
  return outcome;
}

} // namespace gantry::plugin_check
