// Queues of the runtime's, into which packets for kernels are written. There are few of them, which
// the queues of the program share.
#pragma once

#include "plugins/hsa/library.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace gantry::hsa {

using Device = ::gantry_device;

/// Any thread.
class HardwareQueue {
public:
  explicit HardwareQueue(Device& device) : device_(device) {}
  HardwareQueue(const HardwareQueue&) = delete;
  HardwareQueue& operator=(const HardwareQueue&) = delete;

  // Functions with a status return GANTRY_SUCCESS or an error, kept.

  std::int32_t create();
  std::int32_t destroy();

  /// Puts a kernel in behind all that is there. If `after` is a signal, it waits for that too, and
  /// so does what is put in later. `index` is where it lies, for left().
  std::int32_t put(const hsa_kernel_dispatch_packet_t& packet, hsa_signal_t after,
                   const gantry_kernel* kernel, std::uint64_t& index);
  /// The kernel there has ended, and its signal may be used for something else.
  void left(std::uint64_t index);

  /// The kernel that is at work; null if none is known.
  [[nodiscard]] const gantry_kernel* kernel_at_work() const;
  [[nodiscard]] const hsa_queue_t* handle() const { return queue_; }
  std::int32_t record_times() const;

private:
  struct Entry {
    std::atomic<const gantry_kernel*> kernel = nullptr; ///< null: nothing is there
    std::atomic<std::uint64_t> index = 0;
    std::atomic<std::uint64_t> signal = 0;
  };

  /// Waits until there is room for the packets that end before `end`.
  std::int32_t wait_for_room(std::uint64_t end) const;

  Device& device_;
  hsa_queue_t* queue_ = nullptr;
  std::vector<Entry> entries_;         ///< of the packets, by their index modulo its size
  std::atomic<std::uint64_t> end_ = 0; ///< of what was put in
};

/// Those of one device. Any thread.
class HardwareQueues {
public:
  explicit HardwareQueues(Device& device) : device_(device) {}
  HardwareQueues(const HardwareQueues&) = delete;
  HardwareQueues& operator=(const HardwareQueues&) = delete;

  /// One for a queue of the program's; each gets another one in turn.
  std::int32_t choose(HardwareQueue*& queue);
  std::int32_t destroy();
  /// The kernel that is at work on the device; null if none is known. With a queue of the
  /// runtime's: in that alone.
  [[nodiscard]] const gantry_kernel* kernel_at_work(const hsa_queue_t* queue = nullptr);

private:
  Device& device_;
  std::mutex mutex_; ///< for all below
  std::vector<std::unique_ptr<HardwareQueue>> queues_;
  std::size_t turn_ = 0;
};

} // namespace gantry::hsa
