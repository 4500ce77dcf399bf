#include "plugins/mpi/node/guardian.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace gantry::mpi {

namespace {

volatile pid_t guarded = 0;

void hand_on(int signal) {
  kill(guarded, signal);
}

/// What the launcher is to see of a node that was killed: with 0 it goes on with the others, if it
/// does so at all.
constexpr int kStatusOfKilled = EXIT_SUCCESS;

} // namespace

void become_guarded() {
  const pid_t guardian = getpid();
  const pid_t child = fork();
  if (child < 0) {
    return; // it works without one too
  }
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != guardian) {
      _exit(EXIT_FAILURE);
    }
    return;
  }
  guarded = child;
  prctl(PR_SET_NAME, "gantry-guardian");
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2}) {
    std::signal(signal, hand_on);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFSIGNALED(status)) {
    _exit(WEXITSTATUS(status));
  }
  std::array<char, 256> host = {};
  gethostname(host.data(), host.size() - 1);
  std::fprintf(stderr,
               "gantry-node: error: the node's process %d on %s was ended by signal %d (%s)\n",
               static_cast<int>(child), host.data(), WTERMSIG(status), strsignal(WTERMSIG(status)));
  std::fflush(stderr);
  _exit(std::getenv("GANTRY_X") ? atoi(std::getenv("GANTRY_X")) : kStatusOfKilled);
}

} // namespace gantry::mpi
