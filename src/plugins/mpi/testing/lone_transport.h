// A transport without anybody at the other end: what is sent is gone, what is received is given to
// it beforehand, and transfers are done at once, until there were more bytes than anybody has. Any
// thread.
#pragma once

#include "plugins/mpi/transport.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

namespace gantry::mpi {

class LoneTransport final : public Transport {
public:
  LoneTransport(int self, int processes) : self_(self), processes_(processes) {}

  /// The next message that is received.
  void give(int from, std::span<const std::byte> message) {
    const std::lock_guard lock(mutex_);
    given_.emplace_back(from, std::vector(message.begin(), message.end()));
  }

  int self() const override { return self_; }
  int processes() const override { return processes_; }
  Status send(int /*to*/, std::span<const std::byte> message) override {
    return message.size() <= kLongestMessage ? Status() : fail("a message is too long");
  }
  Result<bool> receive(const Receiver& receiver) override {
    std::unique_lock lock(mutex_);
    if (given_.empty()) {
      return false;
    }
    const auto [from, message] = std::move(given_.front());
    given_.pop_front();
    lock.unlock();
    receiver(from, message);
    return true;
  }
  Result<std::unique_ptr<Transfer>> send_bytes(int /*to*/, std::uint32_t /*number*/,
                                               std::span<const std::byte> bytes) override {
    auto transfer = std::make_unique<Lone>(take(bytes.size()));
    // Reads them, so that a sanitizer sees whether they may be.
    volatile std::byte last{};
    for (std::size_t i = 0; transfer->is_done && i < bytes.size(); i += 512) {
      last = bytes[i];
    }
    (void)last;
    return transfer;
  }
  Result<std::unique_ptr<Transfer>> receive_bytes(int /*from*/, std::uint32_t /*number*/,
                                                  std::span<std::byte> bytes) override {
    auto transfer = std::make_unique<Lone>(take(bytes.size()));
    for (std::size_t i = 0; transfer->is_done && i < bytes.size(); i += 512) {
      bytes[i] = std::byte{}; // so that a sanitizer sees whether they may be written
    }
    return transfer;
  }
  Result<bool> is_done(Transfer& transfer) override {
    return dynamic_cast<Lone&>(transfer).is_done;
  }

private:
  struct Lone final : Transfer {
    explicit Lone(bool is_done) : is_done(is_done) {}
    const bool is_done;
  };

  bool take(std::uint64_t bytes) {
    constexpr std::uint64_t kMost = std::uint64_t{16} << 20;
    const std::lock_guard lock(mutex_);
    moved_ = bytes > kMost - moved_ ? kMost : moved_ + bytes;
    return moved_ < kMost;
  }

  const int self_;
  const int processes_;
  std::mutex mutex_; ///< of the two below
  std::deque<std::pair<int, std::vector<std::byte>>> given_;
  std::uint64_t moved_ = 0; ///< bytes of transfers that are done
};

} // namespace gantry::mpi
