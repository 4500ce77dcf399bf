// Streams: queues of operations that run in order inside one and at once between several.
//
// Whoever claims a stream runs its operations one by one: a thread of Executors, or a thread of the
// program that waits for the stream and finds that nobody has begun. A stream whose next operation
// waits for another stream is left alone until that one has come so far. An operation can only wait
// for positions that exist when it is appended, so streams never wait for each other in a circle.
#pragma once

#include "simt/driver/graphs/stream_capture.h"
#include "simt/driver/stream_operation.h"
#include "simt/exec/warp/fault.h"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace gantry::simt::driver {

/// The streams of one context: what the legacy default stream waits for, and the error that ends
/// the work of all of them. All members may be called from any thread.
class StreamGroup {
public:
  explicit StreamGroup(std::uint64_t context_id) : context_id_(context_id) {}

  [[nodiscard]] std::uint64_t context_id() const { return context_id_; }

  /// The first error of an operation stays until the context ends.
  [[nodiscard]] CUresult error() const {
    return static_cast<CUresult>(error_.load(std::memory_order_acquire));
  }
  /// True for the first one, whose facts are kept.
  bool fail(CUresult error, exec::FaultFacts facts = {});
  /// Of the first error, if a kernel's fault was that; null if there is none. What it points to
  /// lives as long as this.
  [[nodiscard]] const exec::FaultFacts* fault() const {
    return error() == CUDA_SUCCESS || fault_.kernel.empty() ? nullptr : &fault_;
  }

  /// The streams that have not ended; the result is `streams`, emptied before.
  void list(std::vector<std::shared_ptr<Stream>>& streams) const;
  /// Whether there are streams that the legacy default stream waits for.
  [[nodiscard]] bool has_blocking() const { return blocking_.load(std::memory_order_acquire) != 0; }
  [[nodiscard]] std::shared_ptr<Stream> legacy() const { return legacy_.lock(); }

private:
  friend class Stream;
  const std::uint64_t context_id_;
  std::atomic<int> error_ = CUDA_SUCCESS;
  exec::FaultFacts fault_; ///< written before error_, once
  mutable std::mutex mutex_;
  std::vector<std::pair<Stream*, std::weak_ptr<Stream>>> streams_;
  std::atomic<std::uint32_t> blocking_ = 0;
  std::weak_ptr<Stream> legacy_; ///< set once, before the context is known to anybody else
};

class Stream : public std::enable_shared_from_this<Stream> {
public:
  enum class Kind : std::uint8_t {
    kLegacy, ///< waits for all blocking streams, and they for it
    kBlocking,
    kNonBlocking, ///< does not know of the legacy stream
  };

  [[nodiscard]] static std::shared_ptr<Stream> create(std::shared_ptr<StreamGroup> group, Kind kind,
                                                      int priority);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] int priority() const { return priority_; }
  [[nodiscard]] std::uint64_t id() const { return id_; }
  [[nodiscard]] StreamGroup& group() const { return *group_; }
  [[nodiscard]] const std::shared_ptr<StreamGroup>& shared_group() const { return group_; }

  /// Where operations run.
  enum class Runs : std::uint8_t { kAnywhere, kOnDriverThread };

  /// Appends an operation, after what its kind of stream has to wait for.
  template <typename Work>
  Position enqueue(Work&& work, Runs runs = Runs::kAnywhere) {
    const Waits waits(*this);
    std::unique_lock lock(mutex_);
    append_waits(waits);
    StreamOperation& operation = append();
    operation.driver_thread = runs == Runs::kOnDriverThread;
    operation.set(std::forward<Work>(work));
    const std::uint64_t sequence = operation.sequence;
    begin(std::move(lock));
    return {shared_from_this(), sequence};
  }

  /// Notes for the race check what an operation that is appended now waits for because of its
  /// stream's kind (queue_order.h).
  void note_order() const;
  /// What follows waits for the position.
  void enqueue_wait(const Position& position);

  /// Where the stream is now: after everything that was appended, and what that kind of stream has
  /// to wait for. Nothing need be appended for it if all of that has ended.
  [[nodiscard]] Position mark();

  /// Behind everything that was appended so far.
  [[nodiscard]] Position end() { return {shared_from_this(), last()}; }

  /// Nothing that a new operation would wait for is still to be done.
  [[nodiscard]] bool settled() const;

  [[nodiscard]] bool reached(std::uint64_t sequence) const {
    return completed_.load(std::memory_order_acquire) >= sequence;
  }
  [[nodiscard]] std::uint64_t last() const { return appended_.load(std::memory_order_acquire); }

  /// Returns when the position is reached; runs operations itself if nobody does.
  void wait(std::uint64_t sequence);
  /// Whether a thread is in wait().
  [[nodiscard]] bool is_awaited() const { return awaited_.load(std::memory_order_relaxed) != 0; }
  /// Waits for what was appended so far.
  void synchronize();

  // Attributes are kept for those who ask for them, and have no effect. False for what is none of a
  // stream.
  [[nodiscard]] bool get(CUlaunchAttributeID attribute, CUlaunchAttributeValue& value) const;
  [[nodiscard]] bool set(CUlaunchAttributeID attribute, const CUlaunchAttributeValue& value);
  void copy_attributes(const Stream& from);

  /// For Executors: runs operations if nobody has begun to.
  void run_queued();

  StreamCapture capture;

private:
  friend class Executors;
  enum class State : std::uint8_t {
    kIdle,    ///< no operations
    kQueued,  ///< handed to the executors; may be claimed
    kRunning, ///< claimed
    kBlocked, ///< the first operation waits for another stream, which knows
  };
  struct Waiter {
    std::shared_ptr<Stream> stream;
    std::uint64_t sequence = 0;
  };
  /// What an operation that is appended now has to wait for, because of its stream's kind. The
  /// memory is the calling thread's, used again: one of them at a time.
  class Waits {
  public:
    explicit Waits(const Stream& stream);
    ~Waits();
    Waits(const Waits&) = delete;
    Waits& operator=(const Waits&) = delete;
    [[nodiscard]] const std::vector<Position>& positions() const { return positions_; }

  private:
    std::vector<Position>& positions_;
  };

  Stream(std::shared_ptr<StreamGroup> group, Kind kind, int priority);

  void append_waits(const Waits& waits);
  StreamOperation& append();
  void begin(std::unique_lock<std::mutex> lock);
  void drain(std::uint64_t until, bool driver_thread);
  void perform(StreamOperation& operation);
  void release_waiters(std::unique_lock<std::mutex>& lock);
  void hand_over(std::unique_lock<std::mutex> lock);
  bool add_waiter(const std::shared_ptr<Stream>& stream, std::uint64_t sequence);
  void unblock();
  void sleep_until(std::uint64_t sequence);

  const std::shared_ptr<StreamGroup> group_;
  const Kind kind_;
  const int priority_;
  const std::uint64_t id_;

  mutable std::mutex mutex_;
  std::map<CUlaunchAttributeID, CUlaunchAttributeValue> attributes_;
  std::condition_variable progress_;
  State state_ = State::kIdle;
  StreamOperation* first_ = nullptr;
  StreamOperation* last_ = nullptr;
  StreamOperation* spare_ = nullptr; ///< nodes to use again
  std::vector<Waiter> waiters_;
  std::uint32_t sleepers_ = 0;
  std::atomic<std::uint32_t> awaited_ = 0;
  std::atomic<std::uint64_t> appended_ = 0;
  std::atomic<std::uint64_t> completed_ = 0;

  // Of Executors, under its mutex.
  std::shared_ptr<Stream> next_ready_;
  bool ready_listed_ = false;
};

/// Has the program's function called on a thread of the driver; left out after an error.
void enqueue_host_function(Stream& stream, CUhostFn function, void* argument);

} // namespace gantry::simt::driver
