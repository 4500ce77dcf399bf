// How a program that is in no job with its nodes talks to them: it starts a job of its own, whose
// first process, the relay, hands on what the program sends over a socket, and the other way round.
// Programs that use MPI themselves need it: their MPI is not touched, whichever threads it is for,
// and there is no node among its processes.
#pragma once

#include <cstdint>

namespace gantry::mpi {

/// The name of the program's socket, in the environment of its relay.
inline constexpr const char* kRelaySocket = "_GANTRY_MPI_RELAY";

enum class FrameKind : std::uint32_t {
  // To the relay:
  kMessage = 1, ///< for a process; its bytes
  kSend,        ///< a transfer to a process; its bytes
  kReceive,     ///< a transfer from a process, of `size` bytes; nothing
  kClose,       ///< the last: all nodes have ended, and MPI is to be finalised
  // From it:
  kNode,     ///< a process is a node; its machine's name
  kStarted,  ///< the last of the nodes was told of; `process` is the relay's number, `number` says
             ///< how many processes there are
  kRefused,  ///< the relay ends; why
  kReceived, ///< a transfer from a process is done; its bytes
};

/// What is in front of everything on the socket.
struct Frame {
  FrameKind kind;
  std::int32_t process; ///< the sender or the receiver
  std::uint32_t number; ///< of the transfer
  std::uint32_t padding = 0;
  std::uint64_t size; ///< in bytes, of what follows; of kReceive: of the transfer
};
static_assert(sizeof(Frame) == 24);

} // namespace gantry::mpi
