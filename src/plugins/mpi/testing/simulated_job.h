// A job in one process, for tests: processes that are numbered from 0, one thread, and a network
// with a clock of its own that counts what goes over it.
//
// Process 0 is the program. When it receives and there is nothing, the others have their turn; when
// nobody has anything to do, the clock goes on to when the next bytes arrive.
#pragma once

#include "plugins/mpi/transport.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

namespace gantry::mpi {

struct Network {
  std::uint64_t latency = 0;         ///< nanoseconds from one process to another
  double bytes_per_nanosecond = 1e9; ///< that a process sends
};

class SimulatedJob {
public:
  explicit SimulatedJob(int processes, const Network& network = {});
  SimulatedJob(const SimulatedJob&) = delete;
  SimulatedJob& operator=(const SimulatedJob&) = delete;
  ~SimulatedJob();

  [[nodiscard]] std::unique_ptr<Transport> transport(int process);
  /// Gives a process its turn; true: it has done something.
  using Turn = std::function<bool()>;
  void set_turn(int process, Turn turn);

  /// From now on nothing that it sends arrives, and nothing arrives there.
  void cut(int process) {
    processes_[static_cast<std::size_t>(process)].is_cut = true;
    processes_[static_cast<std::size_t>(process)].inbox.clear();
  }

  [[nodiscard]] std::uint64_t now() const { return now_; }
  /// Time passes in which a process does something.
  void pass(std::uint64_t nanoseconds) { now_ += nanoseconds; }
  /// A process's clock is so far ahead of the network's.
  void set_clock(int process, std::uint64_t ahead) {
    processes_[static_cast<std::size_t>(process)].clock_ahead = ahead;
  }
  /// What a process sends takes so much longer.
  void set_delay(int process, std::uint64_t nanoseconds) {
    processes_[static_cast<std::size_t>(process)].delay = nanoseconds;
  }
  struct Counts {
    std::uint64_t messages = 0;
    std::uint64_t message_bytes = 0;
    std::uint64_t transfers = 0;
    std::uint64_t transfer_bytes = 0;
  };
  /// What a process has sent.
  [[nodiscard]] const Counts& sent_by(int process) const {
    return processes_[static_cast<std::size_t>(process)].sent;
  }
  /// What all have sent.
  [[nodiscard]] Counts sent() const;
  /// Counts from 0 again.
  void forget();

private:
  class End;
  struct Moving;
  struct Message {
    std::uint64_t arrives = 0;
    int from = 0;
    std::vector<std::byte> bytes;
  };
  struct Process {
    std::deque<Message> inbox; ///< in the order in which they arrive
    std::uint64_t free = 0;    ///< when it has sent what it was given
    bool is_cut = false;
    std::uint64_t clock_ahead = 0;
    std::uint64_t delay = 0;
    Turn turn;
    Counts sent;
  };
  /// When so many bytes that are sent now have arrived.
  std::uint64_t send(Process& from, std::size_t bytes);
  void let_others_work();
  void match(int from, int to, std::uint32_t number);

  const Network network_;
  std::uint64_t now_ = 0;
  bool is_working_ = false;
  std::vector<Process> processes_;
  struct Ends {
    std::deque<std::shared_ptr<Moving>> sent, awaited;
  };
  std::map<std::tuple<int, int, std::uint32_t>, Ends> transfers_;
  std::vector<std::shared_ptr<Moving>> moving_; ///< that have not arrived
};

} // namespace gantry::mpi
