#include "plugins/mpi/testing/simulated_job.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace gantry::mpi {

struct SimulatedJob::Moving {
  std::span<const std::byte> from;
  std::span<std::byte> to;
  std::uint64_t arrives = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t begun = 0; ///< when it was sent
};

class SimulatedJob::End final : public Transport {
public:
  End(SimulatedJob& job, int self) : job_(job), self_(self) {}

  int self() const override { return self_; }
  int processes() const override { return static_cast<int>(job_.processes_.size()); }
  std::uint64_t now() const override {
    return job_.now_ + job_.processes_[static_cast<std::size_t>(self_)].clock_ahead;
  }

  Status send(int to, std::span<const std::byte> message) override {
    if (message.size() > kLongestMessage) {
      return fail("a message is too long");
    }
    Process& own = job_.processes_[static_cast<std::size_t>(self_)];
    Process& other = job_.processes_[static_cast<std::size_t>(to)];
    own.sent.messages += 1;
    own.sent.message_bytes += message.size();
    const std::uint64_t arrives = job_.send(own, message.size());
    if (!own.is_cut && !other.is_cut) {
      other.inbox.push_back({arrives, self_, {message.begin(), message.end()}});
      std::ranges::stable_sort(other.inbox, {}, &Message::arrives);
    }
    return {};
  }

  Result<bool> receive(const Receiver& receiver) override {
    bool any = take(receiver);
    if (!any && self_ == 0 && !job_.is_working_) {
      job_.let_others_work();
      any = take(receiver);
    }
    return any;
  }

  Result<std::unique_ptr<Transfer>> send_bytes(int to, std::uint32_t number,
                                               std::span<const std::byte> bytes) override {
    auto moving = std::make_shared<Moving>();
    moving->from = bytes;
    Process& own = job_.processes_[static_cast<std::size_t>(self_)];
    own.sent.transfers += 1;
    own.sent.transfer_bytes += bytes.size();
    moving->begun = job_.send(own, bytes.size());
    job_.transfers_[{self_, to, number}].sent.push_back(moving);
    job_.match(self_, to, number);
    return std::make_unique<Under>(moving);
  }
  Result<std::unique_ptr<Transfer>> receive_bytes(int from, std::uint32_t number,
                                                  std::span<std::byte> bytes) override {
    auto moving = std::make_shared<Moving>();
    moving->to = bytes;
    job_.transfers_[{from, self_, number}].awaited.push_back(moving);
    job_.match(from, self_, number);
    return std::make_unique<Under>(moving);
  }
  Result<bool> is_done(Transfer& transfer) override {
    return static_cast<Under&>(transfer).moving->arrives <= job_.now_;
  }

private:
  struct Under final : Transfer {
    explicit Under(std::shared_ptr<Moving> of) : moving(std::move(of)) {}
    std::shared_ptr<Moving> moving;
  };

  bool take(const Receiver& receiver) {
    auto& inbox = job_.processes_[static_cast<std::size_t>(self_)].inbox;
    bool any = false;
    while (!inbox.empty() && inbox.front().arrives <= job_.now_) {
      const Message message = std::move(inbox.front());
      inbox.pop_front();
      receiver(message.from, message.bytes);
      any = true;
    }
    return any;
  }

  SimulatedJob& job_;
  const int self_;
};

SimulatedJob::SimulatedJob(int processes, const Network& network)
    : network_(network), processes_(static_cast<std::size_t>(processes)) {}
SimulatedJob::~SimulatedJob() = default;

std::unique_ptr<Transport> SimulatedJob::transport(int process) {
  return std::make_unique<End>(*this, process);
}

void SimulatedJob::set_turn(int process, Turn turn) {
  processes_[static_cast<std::size_t>(process)].turn = std::move(turn);
}

SimulatedJob::Counts SimulatedJob::sent() const {
  Counts all;
  for (const Process& process : processes_) {
    all.messages += process.sent.messages;
    all.message_bytes += process.sent.message_bytes;
    all.transfers += process.sent.transfers;
    all.transfer_bytes += process.sent.transfer_bytes;
  }
  return all;
}

void SimulatedJob::forget() {
  for (Process& process : processes_) {
    process.sent = {};
  }
}

std::uint64_t SimulatedJob::send(Process& from, std::size_t bytes) {
  from.free = std::max(from.free, now_) + static_cast<std::uint64_t>(static_cast<double>(bytes) /
                                                                     network_.bytes_per_nanosecond);
  return from.free + network_.latency + from.delay;
}

void SimulatedJob::match(int from, int to, std::uint32_t number) {
  const auto ends = transfers_.find({from, to, number});
  while (!ends->second.sent.empty() && !ends->second.awaited.empty()) {
    const auto sent = ends->second.sent.front();
    const auto awaited = ends->second.awaited.front();
    ends->second.sent.pop_front();
    ends->second.awaited.pop_front();
    const bool is_cut = processes_[static_cast<std::size_t>(from)].is_cut ||
                        processes_[static_cast<std::size_t>(to)].is_cut;
    if (!is_cut && sent->from.size() == awaited->to.size()) {
      std::ranges::copy(sent->from, awaited->to.data());
      sent->arrives = awaited->arrives = std::max(sent->begun, now_);
      moving_.push_back(sent);
    }
  }
  if (ends->second.sent.empty() && ends->second.awaited.empty()) {
    transfers_.erase(ends);
  }
}

void SimulatedJob::let_others_work() {
  is_working_ = true;
  bool any = false;
  const auto let_work = [&](Process& process) {
    while (process.turn && !process.is_cut && process.turn()) {
      any = true;
    }
  };
  // Of a thousand, few have anything to do.
  for (Process& process : processes_) {
    if (!process.inbox.empty() && process.inbox.front().arrives <= now_) {
      let_work(process);
    }
  }
  if (!any) {
    std::ranges::for_each(processes_, let_work);
  }
  is_working_ = false;
  if (any) {
    return;
  }
  std::uint64_t next = std::numeric_limits<std::uint64_t>::max();
  for (const Process& process : processes_) {
    if (!process.inbox.empty()) {
      next = std::min(next, process.inbox.front().arrives);
    }
  }
  std::erase_if(moving_, [&](const auto& moving) { return moving->arrives <= now_; });
  for (const auto& moving : moving_) {
    next = std::min(next, moving->arrives);
  }
  if (next != std::numeric_limits<std::uint64_t>::max()) {
    now_ = std::max(now_, next);
  }
}

} // namespace gantry::mpi
