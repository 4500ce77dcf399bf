// libFuzzer's entry point for the socket between a program and its relay: what the input has behind
// its first byte is all that comes over it, to the relay, to the program at its start or later.
#include "plugins/mpi/node/handing_on.h"
#include "plugins/mpi/own_job.h"
#include "plugins/mpi/relay_transport.h"
#include "plugins/mpi/testing/lone_transport.h"

#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <thread>
#include <vector>

#include <sys/socket.h>
#include <unistd.h>

using namespace gantry;
using namespace gantry::mpi;

namespace {

constexpr int kSelf = 0;
constexpr int kProcesses = 3;

void be_the_relay(int socket) {
  LoneTransport nodes(kSelf, kProcesses);
  const std::vector<std::byte> message(100);
  nodes.give(1, message);
  HandingOn handing_on(ProgramSocket(socket), nodes, 0);
  (void)handing_on.work();
  close(socket);
}

void begin_the_program(int socket) {
  const auto met = OwnJob::meet_over(socket);
  if (!met) {
    return;
  }
  for (const OwnJob::FoundNode& node : met->nodes) {
    if (node.process < 0 || node.process >= met->transport->processes() ||
        node.process == met->transport->self()) {
      std::abort();
    }
  }
}

void be_the_program(int socket) {
  RelayTransport transport(socket, kSelf, kProcesses);
  std::vector<std::vector<std::byte>> rooms;
  std::vector<std::unique_ptr<Transfer>> transfers;
  for (const std::size_t size : {0, 1, 64, 4096}) {
    auto begun =
        transport.receive_bytes(1 + static_cast<int>(size % 2), 5, rooms.emplace_back(size));
    if (!begun) {
      return;
    }
    transfers.push_back(std::move(*begun));
  }
  for (bool goes_on = true; goes_on;) {
    goes_on =
        transport
            .receive([](int from, std::span<const std::byte> message) {
              if (from < 0 || from >= kProcesses || message.size() > Transport::kLongestMessage) {
                std::abort();
              }
            })
            .has_value();
    for (const auto& transfer : transfers) {
      (void)transport.is_done(*transfer);
    }
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::array<int, 2> ends = {};
  if (size == 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) != 0) {
    return 0;
  }
  // The input fits the socket's buffer.
  if (write(ends[0], data + 1, size - 1) != static_cast<ssize_t>(size - 1)) {
    std::abort();
  }
  shutdown(ends[0], SHUT_WR);
  std::thread reader([&] {
    std::array<char, 4096> room = {};
    while (read(ends[0], room.data(), room.size()) > 0) {
    }
  });
  constexpr std::array<void (*)(int), 3> kEnds = {be_the_relay, begin_the_program, be_the_program};
  kEnds[data[0] % kEnds.size()](ends[1]);
  reader.join();
  close(ends[0]);
  return 0;
}
