#include "plugins/mpi/node/relay.h"

#include "base/monotonic.h"
#include "plugins/mpi/library.h"
#include "plugins/mpi/mpi_transport.h"
#include "plugins/mpi/node/guardian.h"
#include "plugins/mpi/node/handing_on.h"
#include "plugins/mpi/relay.h"
#include "plugins/mpi/roles.h"
#include "plugins/mpi/silence.h"
#include "plugins/mpi/start_watch.h"

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace gantry::mpi {

namespace {

Result<ProgramSocket> connect_to(std::string_view name) {
  sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = {}};
  if (name.size() + 1 > sizeof address.sun_path) {
    return fail("the name of the program's socket is too long");
  }
  name.copy(address.sun_path + 1, name.size()); // behind a 0: it is no file
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  const int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0 ||
      connect(descriptor, reinterpret_cast<const sockaddr*>(&address), length) != 0) {
    return fail("the program cannot be reached ({}); the relay has to be started on its machine",
                std::strerror(errno));
  }
  return ProgramSocket(descriptor);
}

Status tell_nodes(const ProgramSocket& socket, std::span<const Role> roles, const Parts& parts,
                  int self) {
  for (const int node : parts.nodes) {
    const std::string host = roles[static_cast<std::size_t>(node)].host_name();
    GANTRY_TRY(
        socket.write({.kind = FrameKind::kNode, .process = node, .number = 0, .size = host.size()},
                     std::as_bytes(std::span(host))));
  }
  return socket.write({.kind = FrameKind::kStarted,
                       .process = self,
                       .number = static_cast<std::uint32_t>(roles.size()),
                       .size = 0},
                      {});
}

/// Tells the nodes that the program is gone.
void send_away(Transport& transport, const Parts& parts) {
  constexpr std::chrono::milliseconds kGrace{200};
  for (const int node : parts.nodes) {
    std::vector<std::byte> message;
    Record(message, Kind::kLeave, 0).put(std::uint32_t{0});
    (void)transport.send(node, message);
  }
  const auto end = std::chrono::steady_clock::now() + kGrace;
  while (std::chrono::steady_clock::now() < end) {
    (void)transport.receive([](int, Bytes) {}); // what is under way goes on
  }
}

/// Until MPI is to be finalised.
Status hand_on(const ProgramSocket& socket, Library& library) {
  const std::uint64_t patience = GANTRY_TRY(read_patience());
  show_life(monotonic_now(), patience_of_start(patience));
  auto watch = std::make_unique<StartWatch>("gantry-node", library.name(), patience);
  GANTRY_TRY(library.initialise());
  const Communicator world = library.world();
  const auto roles = GANTRY_TRY(gather_roles(library, world, Role::What::kProgram));
  const int self = library.rank(world);
  const Parts parts = GANTRY_TRY(parts_of(roles, self));
  const auto transport = GANTRY_TRY(MpiTransport::make(library, world));
  watch.reset();
  GANTRY_TRY(tell_nodes(socket, roles, parts, self));
  HandingOn handing_on(socket, *transport, patience);
  if (const auto is_closed = handing_on.work(); !is_closed.value_or(false)) {
    if (!is_closed) {
      std::fprintf(stderr, "gantry-node: error: %s\n", is_closed.error().message.c_str());
    }
    send_away(*transport, parts);
    std::fflush(stdout);
    _exit(EXIT_FAILURE); // MPI would wait for what is under way
  }
  return {};
}

} // namespace

Status run_relay(const char* name) {
  const ProgramSocket socket = GANTRY_TRY(connect_to(name));
  const auto refuse = [&](const Error& error) -> Status {
    (void)socket.write(
        {.kind = FrameKind::kRefused, .process = 0, .number = 0, .size = error.message.size()},
        std::as_bytes(std::span(error.message)));
    return tl::unexpected(error);
  };
  auto opened = open_library(secure_getenv("GANTRY_MPI"));
  if (!opened) {
    return refuse(opened.error());
  }
  if (const auto done = hand_on(socket, **opened); !done) {
    return refuse(done.error());
  }
  return (*opened)->finalise();
}

} // namespace gantry::mpi
