// libexec/gantry-node: the process of a job that has devices for the program. It is started by the
// launcher of an MPI, in the same job as the program.
#include "plugins/mpi/library.h"
#include "plugins/mpi/mpi_transport.h"
#include "plugins/mpi/node/far_plugins.h"
#include "plugins/mpi/node/guardian.h"
#include "plugins/mpi/node/loop.h"
#include "plugins/mpi/node/node.h"
#include "plugins/mpi/node/relay.h"
#include "plugins/mpi/relay.h"
#include "plugins/mpi/roles.h"
#include "plugins/mpi/silence.h"
#include "plugins/mpi/start_watch.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <sys/prctl.h>
#include <unistd.h>

using namespace gantry;
using namespace gantry::mpi;

namespace {

constexpr const char* kHelp =
    "gantry-node: a node of an MPI job, whose devices a program uses that is started with it\n"
    "\n"
    "    mpirun -n 1 ./app : -n 3 gantry-node\n"
    "\n"
    "with GANTRY_DEVICES=mpi in the program's environment; `gantry mpirun` writes such lines.\n"
    "It has no options. GANTRY_MPI names the MPI library, if the launcher's is not to be found.\n";

/// The program that this node works for.
Result<int> program_of(std::span<const Role> roles, int self) {
  const Parts parts = GANTRY_TRY(parts_of(roles, self));
  if (parts.programs.empty()) {
    return fail("there is no program in the job; start one with it, as in mpirun -n 1 ./app : -n 3 "
                "gantry-node, with GANTRY_DEVICES=mpi");
  }
  return parts.program_of(self);
}

Status work() {
  const auto library = GANTRY_TRY(open_library(secure_getenv("GANTRY_MPI")));
  auto watch =
      std::make_unique<StartWatch>("gantry-node", library->name(), GANTRY_TRY(read_patience()));
  GANTRY_TRY(library->initialise());
  {
    const auto roles = GANTRY_TRY(gather_roles(*library, library->world(), Role::What::kNode));
    const int program = GANTRY_TRY(program_of(roles, library->rank(library->world())));
    const auto transport = GANTRY_TRY(MpiTransport::make(*library, library->world()));
    watch.reset();
    InstalledPlugins plugins;
    Loop loop;
    Node node(*transport, program, plugins, loop);
    constexpr std::chrono::seconds kGrace{1};
    if (const Status outcome = loop.work(node); !outcome) {
      // Where the program has ended, its launcher ends this process meanwhile: that MPI fails then
      // is no news.
      std::this_thread::sleep_for(kGrace);
      std::fprintf(stderr, "gantry-node: error: %s\n", outcome.error().message.c_str());
      std::fflush(stdout);
      _exit(EXIT_FAILURE); // workers may be at work still
    }
    if (!node.finalises()) {
      std::fflush(stdout);
      // Some are gone, and MPI would wait for them. MPICH ends the job when one leaves without MPI:
      // that is to be the program.
      std::this_thread::sleep_for(kGrace);
      _exit(EXIT_SUCCESS);
    }
  }
  return library->finalise();
}

} // namespace

int main(int count, char** words) {
  if (count > 3 && std::string_view(words[1]) == "--program") {
    // Of `gantry mpirun`.
    become_guarded(words[2]);
    execvp(words[3], words + 3);
    const int why = errno;
    std::array<char, 256> host = {};
    gethostname(host.data(), host.size() - 1);
    std::fprintf(stderr, "gantry: error: mpirun: '%s' cannot be started on %s: %s\n", words[3],
                 host.data(), std::strerror(why));
    _exit(127);
  }
  const char* const socket = secure_getenv(kRelaySocket);
  const bool is_relay = count > 1 && std::string_view(words[1]) == "--relay" && socket != nullptr;
  if (count > 1 && !is_relay) {
    const std::string_view word = words[1];
    const bool is_help = word == "--help" || word == "-h";
    std::fputs(kHelp, is_help ? stdout : stderr);
    return is_help ? EXIT_SUCCESS : 2;
  }
  // Whole lines, so that what kernels print is seen in order.
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
  if (!is_launched()) {
    std::fputs(kHelp, stderr);
    return 2;
  }
  become_guarded();
  prctl(PR_SET_NAME, "gantry-node");
  if (const Status status = is_relay ? run_relay(socket) : work(); !status) {
    std::fprintf(stderr, "gantry-node: error: %s\n", status.error().message.c_str());
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
