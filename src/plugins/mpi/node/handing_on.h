// What a relay does once the job has started: hands on what the program sends over its socket to
// the nodes, and the other way round.
#pragma once

#include "base/result.h"
#include "plugins/mpi/node/lazy_memory.h"
#include "plugins/mpi/relay.h"
#include "plugins/mpi/transport.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace gantry::mpi {

/// The relay's end of the connection to the program, which it does not own. One thread writes, and
/// one reads.
class ProgramSocket {
public:
  explicit ProgramSocket(int descriptor) : descriptor_(descriptor) {}

  Status write(const Frame& frame, std::span<const std::byte> bytes) const;
  /// False: the program has closed its end in front of the first byte.
  Result<bool> read(std::span<std::byte> room) const;
  /// Ends the call of read() that waits.
  void stop_reading() const;

private:
  Status write_all(std::span<const std::byte> bytes) const;

  int descriptor_;
};

/// What is under way between the program and the nodes. After work() the transport may still have
/// transfers whose memory goes with this object: unless the program has closed, the process ends.
class HandingOn {
public:
  /// `patience`: nanoseconds for which transfers may stand still before they are looked at less
  /// often; 0: without end.
  HandingOn(ProgramSocket socket, Transport& transport, std::uint64_t patience)
      : socket_(socket), transport_(transport), patience_(patience) {}

  /// Until the program says that it closes; whether it has.
  [[nodiscard]] Result<bool> work();

private:
  struct Move {
    int process;
    std::uint32_t number;
    LazyMemory memory;
    std::unique_ptr<Transfer> transfer;
    bool is_receiver;
  };

  /// From the program to the nodes.
  Result<bool> read();
  Result<bool> read_message(const Frame& frame);
  Result<bool> read_transfer(const Frame& frame);
  /// From the nodes to the program.
  Status write();
  Status go_on(bool& changed);

  const ProgramSocket socket_;
  Transport& transport_;
  const std::uint64_t patience_;
  std::mutex mutex_; ///< of the two below
  std::vector<Move> moves_;
  std::uint64_t moved_ = 0; ///< when one was begun or done last
  std::atomic<bool> is_over_{false};
};

} // namespace gantry::mpi
