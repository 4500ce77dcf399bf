// A transport by way of a relay (relay.h).
#pragma once

#include "plugins/mpi/relay.h"
#include "plugins/mpi/transport.h"

#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace gantry::mpi {

/// Nothing waits for the relay: what the socket does not take at once is kept until it does.
class RelayTransport final : public Transport {
public:
  /// Owns the socket, over which the relay has said that it is the process `self` of `processes`.
  RelayTransport(int socket, int self, int processes)
      : socket_(socket), self_(self), processes_(processes) {}
  /// Says that all is over, and waits until the relay knows.
  ~RelayTransport() override;

  [[nodiscard]] int self() const override { return self_; }
  [[nodiscard]] int processes() const override { return processes_; }
  [[nodiscard]] Status send(int to, std::span<const std::byte> message) override;
  [[nodiscard]] Result<bool> receive(const Receiver& receiver) override;
  [[nodiscard]] Result<std::unique_ptr<Transfer>>
  send_bytes(int to, std::uint32_t number, std::span<const std::byte> bytes) override;
  [[nodiscard]] Result<std::unique_ptr<Transfer>>
  receive_bytes(int from, std::uint32_t number, std::span<std::byte> bytes) override;
  [[nodiscard]] Result<bool> is_done(Transfer& transfer) override;

private:
  struct Move;
  /// What is to be written: a frame, and bytes that are kept here or are a transfer's.
  struct Outgoing {
    std::vector<std::byte> kept;
    std::span<const std::byte> lent;
    Move* move = nullptr;
  };
  struct Message {
    int from;
    std::vector<std::byte> bytes;
  };

  // Under the lock:
  void put(const Frame& frame, std::span<const std::byte> kept, std::span<const std::byte> lent,
           Move* move);
  Status write_out();
  Status read_in();
  /// The frame whose head has come: where its bytes go.
  Status begin(const Frame& frame);
  void end();
  Status fail_for_ever(std::string why);
  Status go_on();

  const int socket_;
  const int self_, processes_;

  std::mutex mutex_; ///< of the socket and all below
  std::optional<Error> failure_;
  std::deque<Outgoing> outgoing_;
  std::size_t written_ = 0; ///< of the first
  std::vector<Move*> expected_;
  // What is being read:
  Frame frame_ = {};
  std::size_t head_read_ = 0;
  std::span<std::byte> body_; ///< what is missing
  std::vector<std::byte> message_;
  Move* received_ = nullptr;
  std::deque<Message> messages_; ///< that have come
};

} // namespace gantry::mpi
