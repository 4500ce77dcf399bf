// What moves bytes between the processes of a job. Messages are small, come in the order in which a
// process sent them to another one, and are copied. Transfers are of any size, from the sender's
// memory to the receiver's, and told apart by numbers that both sides know.
#pragma once

#include "base/monotonic.h"
#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

namespace gantry::mpi {

/// Bytes that are under way. Nothing happens to a transfer while nobody calls the transport.
class Transfer {
public:
  Transfer() = default;
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;
  /// The transfer is done. If the transport has failed, it may be destroyed too, but the bytes stay
  /// where they are until the process ends.
  virtual ~Transfer() = default;
};

/// Any thread may use it. After an error it answers everything with that one. It ends when all that
/// was begun here is done, for which its destructor waits where that is messages.
class Transport {
public:
  Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;
  virtual ~Transport() = default;

  /// The most bytes of a message.
  static constexpr std::size_t kLongestMessage = 72 << 10;
  /// Records are gathered into messages of at most so many bytes; a longer record has one for
  /// itself. From 8 KiB on MPICH asks the receiver before it sends, which takes 80 us over TCP.
  static constexpr std::size_t kUsualMessage = 7680;

  /// This process's number, and how many there are. They are numbered from 0.
  [[nodiscard]] virtual int self() const = 0;
  [[nodiscard]] virtual int processes() const = 0;

  /// Nanoseconds of the clock by which this process tells times: its machine's CLOCK_MONOTONIC. In
  /// a simulation it is another.
  [[nodiscard]] virtual std::uint64_t now() const { return monotonic_now(); }

  /// Sends a message, which may be changed when the call returns. It does not wait for the
  /// receiver.
  [[nodiscard]] virtual Status send(int to, std::span<const std::byte> message) = 0;

  /// A message is valid during the call, in which the transport may be used for anything else.
  using Receiver = std::function<void(int from, std::span<const std::byte> message)>;
  /// Goes on with all that is under way, and calls `receiver` for messages that have come, some of
  /// them if there are many. The result: whether there were any. One thread at a time receives.
  [[nodiscard]] virtual Result<bool> receive(const Receiver& receiver) = 0;

  /// Begin the transfer number `number`, of as many bytes on both sides, which stay where they are
  /// until it is done. Of two processes and one direction, a number is used again when the transfer
  /// is done on both sides, or begins behind it on both; and all that are under way lie within
  /// 32768 of each other.
  [[nodiscard]] virtual Result<std::unique_ptr<Transfer>>
  send_bytes(int to, std::uint32_t number, std::span<const std::byte> bytes) = 0;
  [[nodiscard]] virtual Result<std::unique_ptr<Transfer>>
  receive_bytes(int from, std::uint32_t number, std::span<std::byte> bytes) = 0;
  /// Goes on with all that is under way, and says whether the transfer is done. Then it may be
  /// destroyed.
  [[nodiscard]] virtual Result<bool> is_done(Transfer& transfer) = 0;
};

} // namespace gantry::mpi
