#include "plugins/mpi/node/relay.h"

#include "base/monotonic.h"
#include "plugins/mpi/library.h"
#include "plugins/mpi/mpi_transport.h"
#include "plugins/mpi/node/guardian.h"
#include "plugins/mpi/pause.h"
#include "plugins/mpi/relay.h"
#include "plugins/mpi/roles.h"
#include "plugins/mpi/silence.h"
#include "plugins/mpi/start_watch.h"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace gantry::mpi {

namespace {

constexpr std::chrono::milliseconds kLongestPause{1};

/// The connection to the program; one thread writes, and one reads.
class Socket {
public:
  explicit Socket(int descriptor) : descriptor_(descriptor) {}

  Status write(const Frame& frame, std::span<const std::byte> bytes) const {
    GANTRY_TRY(write_all(std::as_bytes(std::span(&frame, 1))));
    return write_all(bytes);
  }
  /// False: the program has closed its end in front of the first byte.
  Result<bool> read(std::span<std::byte> room) const {
    const std::size_t all = room.size();
    while (!room.empty()) {
      const ssize_t count = recv(descriptor_, room.data(), room.size(), 0);
      if (count < 0 && errno == EINTR) {
        continue;
      }
      if (count == 0 && room.size() == all) {
        return false;
      }
      if (count <= 0) {
        return fail("the program is gone");
      }
      room = room.subspan(static_cast<std::size_t>(count));
    }
    return true;
  }

private:
  Status write_all(std::span<const std::byte> bytes) const {
    while (!bytes.empty()) {
      const ssize_t count = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count < 0 && errno == EINTR) {
        continue;
      }
      if (count <= 0) {
        return fail("the program is gone");
      }
      bytes = bytes.subspan(static_cast<std::size_t>(count));
    }
    return {};
  }

  int descriptor_;
};

Result<Socket> connect_to(std::string_view name) {
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
  return Socket(descriptor);
}

/// What is under way between the program and the nodes.
class Relay {
public:
  Relay(Socket socket, Transport& transport, std::uint64_t patience)
      : socket_(socket), transport_(transport), patience_(patience) {}

  /// Until the program says that it closes; whether it has.
  Result<bool> work() {
    std::thread reader([this] {
      try {
        outcome_ = read();
      } catch (const std::bad_alloc&) {
        outcome_ = fail("there is not as much memory as what the program copies");
      }
      is_over_.store(true);
    });
    const Status handed_on = write();
    if (!handed_on) {
      std::fprintf(stderr, "gantry-node: error: %s\n", handed_on.error().message.c_str());
      _exit(EXIT_FAILURE); // the reader waits for the program
    }
    reader.join();
    return outcome_;
  }

private:
  struct Move {
    int process;
    std::uint32_t number;
    std::vector<std::byte> bytes;
    std::unique_ptr<Transfer> transfer;
    bool is_receiver;
  };

  /// From the program to the nodes.
  Result<bool> read() {
    for (;;) {
      Frame frame = {};
      if (!GANTRY_TRY(socket_.read(std::as_writable_bytes(std::span(&frame, 1))))) {
        return false;
      }
      std::vector<std::byte> bytes(frame.size);
      if (frame.kind != FrameKind::kReceive && !bytes.empty() && !GANTRY_TRY(socket_.read(bytes))) {
        return false;
      }
      switch (frame.kind) {
      case FrameKind::kMessage:
        GANTRY_TRY(transport_.send(frame.process, bytes));
        break;
      case FrameKind::kSend:
      case FrameKind::kReceive: {
        const bool is_receiver = frame.kind == FrameKind::kReceive;
        auto transfer =
            GANTRY_TRY(is_receiver ? transport_.receive_bytes(frame.process, frame.number, bytes)
                                   : transport_.send_bytes(frame.process, frame.number, bytes));
        const std::lock_guard lock(mutex_);
        moves_.push_back(
            {frame.process, frame.number, std::move(bytes), std::move(transfer), is_receiver});
        moved_ = monotonic_now();
        break;
      }
      case FrameKind::kClose:
        return true;
      default:
        return fail("what the program says is damaged");
      }
    }
  }

  /// From the nodes to the program.
  Status write() {
    for (Pause pause(kLongestPause); !is_over_.load();) {
      show_life(monotonic_now(), patience_of_node(patience_));
      Status written;
      bool changed = GANTRY_TRY(transport_.receive([&](int from, Bytes message) {
        if (written) {
          written = socket_.write(
              {.kind = FrameKind::kMessage, .process = from, .number = 0, .size = message.size()},
              message);
        }
      }));
      GANTRY_TRY(std::move(written));
      GANTRY_TRY(go_on(changed));
      if (changed) {
        pause.begin_again();
      } else {
        pause.once();
      }
    }
    return {};
  }

  Status go_on(bool& changed) {
    std::vector<Move> done;
    {
      const std::lock_guard lock(mutex_);
      for (std::size_t i = 0; i < moves_.size();) {
        if (!GANTRY_TRY(transport_.is_done(*moves_[i].transfer))) {
          ++i;
          continue;
        }
        done.push_back(std::move(moves_[i]));
        moves_[i] = std::move(moves_.back());
        moves_.pop_back();
      }
      const std::uint64_t now = monotonic_now();
      moved_ = done.empty() ? moved_ : now;
      // They go on while the transport is called; those with a node that is lost do not.
      const bool may_move = patience_ == 0 || now < moved_ + patience_;
      changed |= !done.empty() || (!moves_.empty() && may_move);
    }
    for (const Move& move : done) {
      if (move.is_receiver) {
        GANTRY_TRY(socket_.write({.kind = FrameKind::kReceived,
                                  .process = move.process,
                                  .number = move.number,
                                  .size = move.bytes.size()},
                                 move.bytes));
      }
    }
    return {};
  }

  Socket socket_;
  Transport& transport_;
  const std::uint64_t patience_;
  std::mutex mutex_; ///< of the two below
  std::vector<Move> moves_;
  std::uint64_t moved_ = 0; ///< when one was begun or done last
  std::atomic<bool> is_over_{false};
  Result<bool> outcome_ = false;
};

Status tell_nodes(const Socket& socket, std::span<const Role> roles, const Parts& parts, int self) {
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
Status hand_on(const Socket& socket, Library& library) {
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
  Relay relay(socket, *transport, patience);
  if (const auto is_closed = relay.work(); !is_closed.value_or(false)) {
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
  const Socket socket = GANTRY_TRY(connect_to(name));
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
