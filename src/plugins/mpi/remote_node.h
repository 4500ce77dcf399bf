// A node as the program sees it: what it is told, and what it answers.
//
// Records for it are collected and sent as one message when somebody waits for what they come to,
// when many have come together, or by the job's thread. What it says is taken in by whichever
// thread of the program receives (job.h).
#pragma once

#include "base/monotonic.h"
#include "plugins/mpi/node_clock.h"
#include "plugins/mpi/protocol.h"
#include "plugins/mpi/strand.h"
#include "plugins/mpi/transport.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace gantry::mpi {

/// What a request came to.
struct Answer {
  gantry_status status = GANTRY_SUCCESS;
  std::string message;
  std::vector<std::byte> values;
};

/// Any thread.
class RemoteNode {
public:
  /// `host` is its machine's name. The transport outlives the node.
  RemoteNode(Transport& transport, int process, std::string host)
      : transport_(transport), process_(process), host_(std::move(host)),
        name_(fmt::format("node {} ({})", process, host_)) {}

  [[nodiscard]] int process() const { return process_; }
  [[nodiscard]] const std::string& host() const { return host_; }
  /// For people: "node 2 (host)".
  [[nodiscard]] const std::string& name() const { return name_; }

  /// The node is gone, or cannot be talked to: why.
  [[nodiscard]] bool is_lost() const { return is_lost_.load(std::memory_order_acquire); }
  [[nodiscard]] std::string why_lost();
  void lose(std::string why);
  /// At the program's end: loses the node, and returns when no thread sends by the transport.
  void leave_transport();
  /// True once, when the node is lost: the others are to be told.
  [[nodiscard]] bool take_loss() { return is_lost() && !is_loss_told_.exchange(true); }
  /// When the node was heard of last, in nanoseconds of the monotonic clock.
  [[nodiscard]] std::uint64_t heard() const { return heard_.load(std::memory_order_relaxed); }
  void set_heard(std::uint64_t when) { heard_.store(when, std::memory_order_relaxed); }

  /// Calls `write` with where records go, of which there is room for `bytes` and what a record has
  /// besides.
  template <typename Write>
  void put(std::size_t bytes, Write write) {
    const std::lock_guard lock(out_mutex_);
    make_room(bytes);
    write(out_);
    has_records_.store(true, std::memory_order_relaxed);
  }
  /// Sees to it that the node says when all that was put into the strand is done.
  void ask_for(Strand& strand);
  /// Puts an operation into the strand. `write` gets the record.
  template <typename Write>
  void put_operation(Strand& strand, Kind kind, std::size_t bytes, Write write,
                     std::uint16_t flags = 0) {
    if ((flags & kTimed) != 0 && strand.timed.fetch_add(1) == 0) {
      strand.timed_since = now();
    }
    const std::lock_guard lock(out_mutex_);
    make_room(bytes);
    strand.last_record = out_.size();
    strand.last_message = message_;
    Record record(out_, kind, strand.number, flags);
    write(record);
    ++strand.posted;
    has_records_.store(true, std::memory_order_relaxed);
  }
  void flush();

  /// Begins a request; `write` gets its record.
  template <typename Write>
  std::uint32_t ask(Kind kind, std::size_t bytes, Write write) {
    std::uint32_t number = 0;
    {
      const std::lock_guard lock(mutex_);
      number = next_request_++;
      requests_.emplace(number, std::nullopt);
    }
    put(bytes, [&](std::vector<std::byte>& out) {
      Record record(out, kind, number);
      write(record);
    });
    flush();
    return number;
  }
  /// The answer, if it is there.
  [[nodiscard]] std::optional<Answer> take_answer(std::uint32_t request);

  /// The first of as many numbers for transfers with this node as the copy has pieces.
  [[nodiscard]] std::uint32_t next_transfers(const CopyFacts& copy) {
    return next_transfer_.fetch_add(static_cast<std::uint32_t>(copy.pieces()));
  }

  /// The bytes of an operation that is about to be put in will come.
  void expect(Strand& strand, const Strand::Retrieval& retrieval);
  /// The strand's failure, which it has no more. All that was put in is done.
  [[nodiscard]] std::pair<gantry_status, std::string> take_failure(Strand& strand);
  /// What the node has told since it was asked last.
  struct Times {
    std::vector<gantry_interval> intervals; ///< of operations in order, by the node's clock
    /// When the first of them was put in, and when the last was told of, by the program's clock.
    std::uint64_t put_in = 0;
    std::uint64_t told = 0;
  };
  [[nodiscard]] Times take_times(Strand& strand);

  [[nodiscard]] NodeClock& clock() { return clock_; }
  /// The program's time, in nanoseconds; 0 if the node is lost, as the transport may be gone then.
  [[nodiscard]] std::uint64_t now() const { return is_lost() ? 0 : transport_.now(); }

  /// The node has done all and said its last word.
  [[nodiscard]] bool has_ended() const { return has_ended_.load(std::memory_order_acquire); }

  /// The node has said that it has the image's bytes.
  [[nodiscard]] bool has_image(const ImageName& name);

  /// Whose device `far` is: what the node says of the device is its. Null: nobody's any more.
  void watch(std::uint32_t far, gantry_device* device);

  void add(Strand& strand);
  void remove(Strand& strand);

  /// Takes in what the node says.
  Status take(Bytes message);
  /// Goes on with transfers; true: one has ended.
  Result<bool> go_on_with_transfers();
  [[nodiscard]] bool has_transfers() const {
    return transfer_count_.load(std::memory_order_relaxed) != 0;
  }
  /// Sends bytes that belong to an operation of the strand.
  void send_bytes(Strand& strand, const CopyFacts& copy, std::span<const std::byte> bytes);

private:
  void make_room(std::size_t bytes);
  void send_out();
  Status take_record(const Head& head, Reader body);
  Status take_of_device(const Head& head, Reader body);
  Status take_of_strand(const Head& head, Reader body);
  Status take_times(Strand& strand, Reader body);
  void add_transfer(Strand& strand, Result<std::unique_ptr<Transfer>> begun);

  Transport& transport_;
  const int process_;
  const std::string host_, name_;
  std::atomic<std::uint32_t> next_transfer_{0};
  std::atomic<bool> is_lost_{false};
  std::atomic<bool> is_loss_told_{false};
  std::atomic<bool> has_ended_{false};
  std::atomic<std::uint64_t> heard_{monotonic_now()};
  NodeClock clock_;

  std::mutex out_mutex_; ///< of what is to be sent
  std::vector<std::byte> out_;
  std::uint64_t message_ = 1; ///< the number of the one that out_ becomes
  std::atomic<bool> has_records_{false};

  std::mutex mutex_; ///< of all below, and of what strand.h says
  std::string why_lost_;
  std::vector<ImageName> images_;
  std::uint32_t next_request_ = 1;
  std::unordered_map<std::uint32_t, std::optional<Answer>> requests_;
  std::uint32_t next_strand_ = 1;
  std::unordered_map<std::uint32_t, Strand*> strands_;
  std::unordered_map<std::uint32_t, gantry_device*> devices_;
  struct Moving {
    Strand* strand; ///< null: it is no more
    std::unique_ptr<Transfer> transfer;
  };
  std::vector<Moving> transfers_;
  std::atomic<std::size_t> transfer_count_{0};
};

} // namespace gantry::mpi
