#include "plugins/mpi/node/guardian.h"

#include "base/guarded_status.h"
#include "base/monotonic.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace gantry::mpi {

namespace {

/// What both share; null without a guardian.
struct Life {
  std::atomic<std::uint64_t> shown;
  std::atomic<std::uint64_t> patience;
};
Life* life = nullptr;

void do_nothing(int /*signal*/) {}

/// Signals that are handed on, most of which ask the process to end; and the child's end.
sigset_t signals_of_interest() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal :
       {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGCONT, SIGCHLD}) {
    sigaddset(&signals, signal);
  }
  return signals;
}

bool is_stale() {
  const std::uint64_t patience = life == nullptr ? 0 : life->patience.load();
  const std::uint64_t now = monotonic_now();
  const std::uint64_t shown = patience == 0 ? now : life->shown.load();
  return now > shown && now - shown > patience;
}

/// The child's status, when it has ended.
int guard(pid_t child, bool is_program, bool& was_asked) {
  constexpr timespec kLook = {.tv_sec = 0, .tv_nsec = 200'000'000};
  constexpr std::uint64_t kGrace = 3'000'000'000;
  const sigset_t signals = signals_of_interest();
  std::uint64_t asked = 0; // to end
  for (int status = 0;;) {
    const pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child || (ended < 0 && errno != EINTR)) {
      return status;
    }
    const int signal = sigtimedwait(&signals, nullptr, &kLook);
    if (signal > 0 && signal != SIGCHLD) {
      kill(child, signal);
      const bool asks =
          signal == SIGTERM || signal == SIGINT || signal == SIGHUP || signal == SIGQUIT;
      was_asked |= asks;
      // A program may take its time to end.
      asked = asks && asked == 0 && !is_program ? monotonic_now() : asked;
    }
    // With MPICH the job would end with the node, which ends it with the job in any case.
    const bool ends_job = std::getenv("PMI_FD") != nullptr;
    if ((is_stale() && !ends_job) || (asked != 0 && monotonic_now() - asked > kGrace)) {
      kill(child, SIGKILL);
    }
  }
}

void explain_end(pid_t child, int signal) {
  std::array<char, 256> host = {};
  gethostname(host.data(), host.size() - 1);
  const char* const why = signal == SIGKILL && is_stale()
                              ? ", because it was stopped, or waited for something for too long"
                              : "";
  std::fprintf(stderr,
               "gantry-node: error: the node's process %d on %s was ended by signal %d (%s)%s\n",
               static_cast<int>(child), host.data(), signal, strsignal(signal), why);
  std::fflush(stderr);
}

} // namespace

void become_guarded(const char* word) {
  void* const shared =
      mmap(nullptr, sizeof(Life), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) {
    return; // it works without a guardian too
  }
  life = new (shared) Life{};
  const pid_t guardian = getpid();
  const pid_t child = fork();
  if (child < 0) {
    life = nullptr;
    return;
  }
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != guardian) {
      _exit(EXIT_FAILURE);
    }
    return;
  }
  prctl(PR_SET_NAME, "gantry-guardian");
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  const sigset_t signals = signals_of_interest();
  sigprocmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGCHLD, do_nothing); // ignored, it would not be waited for
  bool was_asked = false;
  const int status = guard(child, word != nullptr, was_asked);
  if (word != nullptr) {
    const int code = WIFSIGNALED(status) ? kSignalled + WTERMSIG(status) : WEXITSTATUS(status);
    std::fprintf(stderr, "%s %d%s\n", word, code, was_asked ? kAsked : "");
    std::fflush(stderr);
    _exit(code);
  }
  if (WIFSIGNALED(status)) {
    if (!was_asked) {
      explain_end(child, WTERMSIG(status));
    }
    _exit(EXIT_FAILURE);
  }
  _exit(WEXITSTATUS(status));
}

void show_life(std::uint64_t now, std::uint64_t patience) {
  if (life != nullptr) {
    life->shown.store(now, std::memory_order_relaxed);
    life->patience.store(patience, std::memory_order_relaxed);
  }
}

} // namespace gantry::mpi
