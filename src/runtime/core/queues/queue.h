// The order in which the copies and the launch of a construct happen on a device.
//
// Where a device has queues (GANTRY_CAPABILITY_QUEUES), what is put into one happens in order and
// later: the host waits once, in synchronize(), for all of it. Where it has none, everything is
// done when the call returns and there is nothing to wait for. Constructs do not see the
// difference.
//
// Every construct at work has a queue of its own, so those of different threads, and target tasks
// that are running, do not wait for each other.
#pragma once

#include "runtime/core/devices/plugin_device.h"
#include "runtime/core/events/events.h"
#include "runtime/core/host/lock.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

namespace gantry::core {

/// The queues of one device that no construct uses. Those that were of no use for long are
/// destroyed when another is given back: a queue has memory of the plugin's. Any thread.
class QueuePool {
public:
  static constexpr std::chrono::milliseconds kPatience = std::chrono::seconds(10);

  /// `device` outlives the pool.
  explicit QueuePool(const PluginDevice& device, std::chrono::milliseconds patience = kPatience)
      : device_(device), patience_(patience.count()) {}
  QueuePool(const QueuePool&) = delete;
  QueuePool& operator=(const QueuePool&) = delete;
  ~QueuePool();

  [[nodiscard]] const PluginDevice& device() const { return device_; }

  /// An idle queue, the one used last if there are several, or a new one.
  [[nodiscard]] Result<gantry_queue*> take();
  void give_back(gantry_queue* idle);

private:
  struct Idle {
    gantry_queue* queue;
    std::int64_t since; ///< in milliseconds
  };
  void destroy_old(std::int64_t now);

  const PluginDevice& device_;
  const std::int64_t patience_; ///< in milliseconds
  /// The one given back last, if it is there: most times no lock is needed.
  std::atomic<gantry_queue*> latest_{nullptr};
  /// When the first of the others is old, in milliseconds.
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
  std::atomic<std::int64_t> first_is_old_{kNever};
  Mutex mutex_{LockRank::kQueuePool};
  std::vector<Idle> idle_; ///< the others; the first was of no use for longest
};

/// One construct's use of a queue; one thread at a time. A device's queue is taken from the pool
/// when something is put in and goes back when the object does.
class Queue {
public:
  /// Both outlive the queue.
  Queue(QueuePool& pool, const Construct& construct)
      : pool_(pool), device_(pool.device()), construct_(construct) {}
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;
  /// Waits for what is in the queue.
  ~Queue() {
    if (queue_ != nullptr) {
      give_back();
    }
  }

  [[nodiscard]] const Construct& construct() const { return construct_; }
  [[nodiscard]] const DeviceName& device_name() const { return device_.name(); }

  enum class Wait : std::uint8_t {
    kLater,  ///< more is put in before synchronize()
    kAtOnce, ///< synchronize() comes next: it may be found done
  };
  /// Copies to the device. The bytes at `host` stay as they are until synchronize(). `id`: what
  /// tell_copy() answered, if it was asked; Completion is told of that.
  [[nodiscard]] Status submit(void* device_address, const void* host, std::uint64_t size,
                              Wait wait = Wait::kLater, EventId id = 0);
  /// Copies from the device: the bytes are there after synchronize().
  [[nodiscard]] Status retrieve(void* host, const void* device_address, std::uint64_t size,
                                Wait wait = Wait::kLater, EventId id = 0);
  /// Copies to another device that the queue's reaches (PluginDevice::queues_reach).
  [[nodiscard]] Status send(const void* device_address, const PluginDevice& device, void* to,
                            std::uint64_t size, EventId id = 0);
  /// On a device that is_far(): brings bytes of device memory along, behind what was put in, that a
  /// retrieve() is expected to ask for when the queue was waited for. That one takes them then.
  void expect(const void* device_address, std::uint64_t size);

  /// Memory that the next launch alone uses: the host writes it, then the kernel finds it on the
  /// device. Good until synchronize().
  struct LaunchData {
    std::byte* host = nullptr;
    std::uintptr_t device = 0;
  };
  [[nodiscard]] bool has_launch_data() const {
    return device_.has_queues() && device_.plugin().functions().queue_launch_data != nullptr;
  }
  [[nodiscard]] Result<LaunchData> launch_data(std::uint64_t size);

  /// Runs a kernel. `launch` may vanish after the call.
  [[nodiscard]] Status launch(gantry_kernel* kernel, const gantry_launch& launch, EventId id = 0) {
    if (device_.has_queues()) {
      return put(id, &gantry_plugin::queue_launch, kernel, &launch);
    }
    return told(id, device_.launch(kernel, launch));
  }

  /// True if something was put in that is not known to be done.
  [[nodiscard]] bool busy() const { return busy_; }

  /// Waits until everything is done; the first failure is the answer.
  [[nodiscard]] Status synchronize() {
    return busy_ || !failure_ || under_way_ != nullptr ? wait() : Status();
  }

  /// True if everything is done, so that synchronize() would not wait. Failures are its to tell.
  [[nodiscard]] bool done();

  [[nodiscard]] bool tells(Event kind) const { return construct_.tells(kind); }
  /// Tells of a copy that is about to be put in, and numbers it. See Copied; `operation` is begun
  /// if such are told, and the copy is from or to `original` if that is not `host`.
  [[nodiscard]] EventId tell_copy(Copied::What what, bool to_device, const char* name,
                                  std::uintptr_t host, std::uintptr_t device_address,
                                  std::uint64_t size, OperationScope& operation,
                                  std::uintptr_t original = 0, std::uint16_t clause = 0) const;

private:
  void give_back();
  Status wait();

  /// A copy to the device is on its way behind the call, and in front of all that comes.
  [[nodiscard]] bool posts(std::uint64_t size) const {
    return !busy_ && size <= PluginDevice::kPostedBytes && device_.is_far();
  }
  /// The bytes that were brought along, if these are among them; null otherwise.
  [[nodiscard]] const std::byte* brought(const void* device_address, std::uint64_t size) const;
  /// A copy need not be put into the device's queue.
  [[nodiscard]] bool directly(Wait wait) const {
    return !device_.has_queues() || (wait == Wait::kAtOnce && !busy_ && device_.works_directly());
  }

  /// Puts something into the device's queue by one of the plugin's functions, or otherwise.
  template <typename Function, typename... Arguments>
  Status put(EventId id, Function gantry_plugin::* function, Arguments... arguments) {
    return put_by(id, [&] {
      return device_.queued(device_.plugin().functions().*function, queue_, arguments...);
    });
  }
  template <typename Call>
  Status put_by(EventId id, Call call);
  Status take();
  void note_under_way(EventId id);
  /// Whether the plugin notes the times of what is put in.
  [[nodiscard]] bool has_times() const {
    return tells(Event::kCompletion) && device_.plugin().functions().record_times != nullptr;
  }
  /// The outcome of what was done directly; tells that it is done, if it is.
  [[nodiscard]] Status told(EventId id, Status outcome) const {
    if (id != 0) [[unlikely]] {
      tell_done(id, outcome);
    }
    return outcome;
  }
  void tell_done(EventId id, const Status& status) const;
  /// Tells of what was put in, when the queue was waited for: of all of it, or if that has failed
  /// of what the device says has happened.
  void tell_completions(bool succeeded);

  QueuePool& pool_;
  const PluginDevice& device_;
  const Construct& construct_;
  gantry_queue* queue_ = nullptr;
  bool busy_ = false;
  /// What was put in since it was waited for: the operations' numbers. Null unless completions are
  /// told.
  std::unique_ptr<std::vector<EventId>> under_way_;
  /// A failure that done() met.
  Status failure_;
  struct Brought {
    std::uintptr_t device;
    std::vector<std::byte> bytes;
  };
  std::vector<Brought> brought_; ///< see expect()
};

template <typename Call>
Status Queue::put_by(EventId id, Call call) {
  if (queue_ == nullptr) {
    if (Status taken = take(); !taken) {
      return taken;
    }
  }
  busy_ = true;
  if (tells(Event::kCompletion)) [[unlikely]] {
    note_under_way(id);
  }
  return call();
}

} // namespace gantry::core
