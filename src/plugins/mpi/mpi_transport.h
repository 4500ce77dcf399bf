// A transport through an MPI library.
#pragma once

#include "plugins/mpi/library.h"
#include "plugins/mpi/transport.h"

#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace gantry::mpi {

/// All its calls of the library are made under one lock, whatever level of threads that has:
/// libraries that promise the highest one were seen to abort in concurrent tests of requests. So
/// it is alone in calling the library, unless that is for several threads.
class MpiTransport final : public Transport {
public:
  /// Between all processes of `among`, each of which makes one. `library` is initialised and
  /// outlives the transport. Transfers are in pieces of `largest_piece` bytes, the same everywhere.
  [[nodiscard]] static Result<std::unique_ptr<MpiTransport>>
  make(Library& library, Communicator among, std::size_t largest_piece = Library::kMost);
  /// No process sends anything more to this one. Each of them ends its transport.
  ~MpiTransport() override;

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
  struct Pieces;
  /// Memory that the library uses.
  struct Buffer {
    std::unique_ptr<std::byte[]> bytes;
    Request request;
  };

  MpiTransport(Library& library, std::size_t largest_piece)
      : library_(library), largest_piece_(largest_piece) {}
  // Under the lock:
  /// What comes next, behind what the other rooms wait for, goes into this memory.
  Status post(std::unique_ptr<std::byte[]> bytes);
  /// Frees messages that have been sent.
  Status collect(std::deque<Buffer>& sent);
  Status collect_all();
  /// What `work` returns, unless there was an error before; an error of it is kept.
  template <typename Work>
  auto unless_failed(Work work) -> decltype(work());
  template <typename Byte, typename Begin>
  Result<std::unique_ptr<Transfer>> in_pieces(std::span<Byte> bytes, Begin begin);
  [[nodiscard]] int tag_of(std::uint32_t number) const {
    return static_cast<int>(number % (static_cast<std::uint32_t>(largest_tag_) + 1));
  }

  Library& library_;
  const std::size_t largest_piece_;
  int self_ = 0;
  int processes_ = 0;
  int largest_tag_ = 0;
  std::optional<Communicator> messages_, transfers_;

  std::mutex mutex_; ///< of the library and all below
  std::optional<Error> failure_;
  std::deque<Buffer> rooms_;             ///< in the order in which messages come
  std::vector<std::deque<Buffer>> sent_; ///< to each process, the oldest first
};

} // namespace gantry::mpi
