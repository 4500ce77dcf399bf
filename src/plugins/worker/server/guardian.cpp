#include "plugins/worker/server/guardian.h"

#include "plugins/worker/server/lifetime.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace gantry::worker {

void guard(Control& control, char** command, int program, int alive) {
  register_life(control);
  const pid_t own = getpid();
  const pid_t worker = fork();
  if (worker == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    // QEMU needs the signals that memory is found out by; the plugin has blocked all.
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    if (getppid() == own) {
      execv(command[0], command);
      fail_start(control, fmt::format("'{}' cannot be run: {}", command[0], std::strerror(errno)));
    }
    _exit(EXIT_FAILURE);
  }
  const int process = worker < 0 ? -1 : static_cast<int>(syscall(SYS_pidfd_open, worker, 0));
  if (process < 0) {
    fail_start(control,
               fmt::format("no process can be had for '{}': {}", command[0], std::strerror(errno)));
  } else {
    wait_for_end(control, program, alive, process, nullptr);
  }
  if (worker > 0) {
    kill(worker, SIGKILL);
    waitpid(worker, nullptr, 0); // who takes over the guardian's children may not bury them
  }
  _exit(EXIT_SUCCESS);
}

} // namespace gantry::worker
