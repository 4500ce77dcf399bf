// A job in one process, for tests: a transport for each process, which threads of its own use, in
// real time.
#pragma once

#include "plugins/mpi/transport.h"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <utility>
#include <vector>

namespace gantry::mpi {

class ThreadedJob {
public:
  explicit ThreadedJob(int processes) : inboxes_(static_cast<std::size_t>(processes)) {}

  [[nodiscard]] std::unique_ptr<Transport> transport(int process) {
    return std::make_unique<End>(*this, process);
  }

private:
  using Buffer = std::vector<std::byte>;
  using Key = std::tuple<int, int, std::uint32_t>;

  class End final : public Transport {
  public:
    End(ThreadedJob& job, int self) : job_(job), self_(self) {}

    int self() const override { return self_; }
    int processes() const override { return static_cast<int>(job_.inboxes_.size()); }
    Status send(int to, std::span<const std::byte> message) override {
      const std::lock_guard lock(job_.mutex_);
      job_.inboxes_[static_cast<std::size_t>(to)].emplace_back(
          self_, Buffer(message.begin(), message.end()));
      return {};
    }
    Result<bool> receive(const Receiver& receiver) override {
      std::deque<std::pair<int, Buffer>> received;
      {
        const std::lock_guard lock(job_.mutex_);
        received.swap(job_.inboxes_[static_cast<std::size_t>(self_)]);
      }
      for (const auto& [from, message] : received) {
        receiver(from, message);
      }
      return !received.empty();
    }
    Result<std::unique_ptr<Transfer>> send_bytes(int to, std::uint32_t number,
                                                 std::span<const std::byte> bytes) override {
      const std::lock_guard lock(job_.mutex_);
      job_.transfers_[{self_, to, number}].emplace_back(bytes.begin(), bytes.end());
      return std::make_unique<Awaited>(Key(), std::span<std::byte>());
    }
    Result<std::unique_ptr<Transfer>> receive_bytes(int from, std::uint32_t number,
                                                    std::span<std::byte> bytes) override {
      return std::make_unique<Awaited>(Key(from, self_, number), bytes);
    }
    Result<bool> is_done(Transfer& transfer) override {
      auto& awaited = static_cast<Awaited&>(transfer);
      const std::lock_guard lock(job_.mutex_);
      if (awaited.bytes.empty()) {
        return true;
      }
      auto& sent = job_.transfers_[awaited.key];
      if (sent.empty()) {
        return false;
      }
      std::ranges::copy(sent.front(), awaited.bytes.begin());
      sent.pop_front();
      awaited.bytes = {};
      return true;
    }

  private:
    struct Awaited final : Transfer {
      Awaited(Key of, std::span<std::byte> to) : key(std::move(of)), bytes(to) {}
      Key key;
      std::span<std::byte> bytes; ///< empty: they are there
    };

    ThreadedJob& job_;
    const int self_;
  };

  std::mutex mutex_;
  std::vector<std::deque<std::pair<int, Buffer>>> inboxes_;
  std::map<Key, std::deque<Buffer>> transfers_;
};

} // namespace gantry::mpi
