// A plugin for tests: devices whose memory is really apart from the host's, calls that are counted,
// and any call made to fail.
//
// A device address of it is the address of host memory with kDeviceBit set, so that code which
// takes one for a host address crashes. Every access is checked against what is allocated. Where
// the devices have queues, what is put into one happens when the host waits for it and no earlier.
// An image is text that begins with "fake image\n" and has a line for each symbol: `kernel NAME`,
// `variable NAME SIZE`, or `function NAME VALUE` for the variable of a function that is called by
// pointer; `broken` makes its loading fail.
#pragma once

#include "runtime/core/devices/plugin_device.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::core::testing {

inline constexpr std::uintptr_t kDeviceBit = std::uintptr_t{1} << 62;

/// What a test asks of the plugin's devices.
enum class Memory : std::uint8_t {
  kSeparate, ///< the device sees none of the host's memory
  kShared,   ///< corresponding storage may be the original storage
};

/// Whether devices have queues. Tests that do not say run with both: where GANTRY_TEST_QUEUES is
/// set, all of them have.
[[nodiscard]] bool queues_by_default();

/// One at a time in a process: plugins are functions without a context. Any thread.
class FakePlugin {
public:
  /// `quick`: with memory for what launches use, and with what is waited for at once done directly,
  /// as GPUs' plugins have it.
  explicit FakePlugin(Memory memory = Memory::kSeparate, bool queues = queues_by_default(),
                      bool quick = false);
  FakePlugin(const FakePlugin&) = delete;
  FakePlugin& operator=(const FakePlugin&) = delete;
  /// Fails the test if device memory, an image or an open device is still there.
  ~FakePlugin();

  [[nodiscard]] const Plugin& plugin() const { return plugin_; }
  /// An open device.
  [[nodiscard]] const PluginDevice& device() const { return *device_; }
  /// Another one, which uses the same memory.
  [[nodiscard]] PluginDevice open(int number = 0) const;

  /// Makes the `nth` call from now of a function that can fail do so, counted from 1. `status`: of
  /// copies to the host and waits.
  void fail_call(int nth, gantry_status status = GANTRY_FAILURE) {
    fails_in_ = nth;
    failure_ = status;
  }
  /// True if the call that was to fail has come.
  [[nodiscard]] bool has_failed() const { return fails_in_ == 0; }

  /// Called at the start of every copy with its host address; may block. Set while no thread
  /// copies.
  std::function<void(const void* host)> before_copy;

  /// Called at the start of every allocation of device memory; may block. Set while no thread
  /// allocates.
  std::function<void()> before_allocation;

  /// Called at the start of every kernel; may block. Changed while none runs, or by itself.
  std::function<void()> before_launch;

  /// Calls that succeeded.
  struct Counts {
    int allocations = 0;
    int submits = 0;
    int retrieves = 0;
    std::uint64_t bytes_submitted = 0;
    std::uint64_t bytes_retrieved = 0;
    int images_created = 0;
    int images_loaded = 0;
    int launches = 0;
    int synchronizations = 0;

    bool operator==(const Counts&) const = default;
  };
  Counts counts;
  /// The last table of functions called by pointer, if there was one.
  std::optional<std::vector<std::pair<std::int64_t, std::int64_t>>> functions;
  /// What the last launch handed over.
  std::vector<void*> arguments;

  [[nodiscard]] std::size_t live_allocations() const { return allocations_.size(); }
  [[nodiscard]] std::size_t live_images() const { return images_.size(); }

  /// Queues that were created and not destroyed.
  [[nodiscard]] std::size_t live_queues() const { return queues_.size(); }

  /// Host memory that stands for device memory; null if not all of it is allocated.
  [[nodiscard]] std::byte* memory(std::uintptr_t device_address, std::uint64_t size);
  /// The value of type T at a device address.
  template <typename T>
  [[nodiscard]] T read(const void* device_address) {
    return *reinterpret_cast<T*>(
        memory(reinterpret_cast<std::uintptr_t>(device_address), sizeof(T)));
  }
  template <typename T>
  void write(const void* device_address, T value) {
    *reinterpret_cast<T*>(memory(reinterpret_cast<std::uintptr_t>(device_address), sizeof(T))) =
        value;
  }

private:
  friend struct FakeFunctions;

  struct Allocation {
    std::unique_ptr<std::byte[]> bytes;
    std::uint64_t size;
  };

  void free_launch_data();
  /// Whether the function at work, which can fail, is to.
  bool fails(std::string_view function);
  std::int32_t fail_with(std::int32_t code, std::string message);
  /// Device memory of a size, at a device address.
  std::uintptr_t take(std::uint64_t size);

  mutable std::recursive_mutex mutex_;
  Memory memory_;
  bool has_queues_;
  bool quick_;
  int fails_in_ = -1;
  gantry_status failure_ = GANTRY_FAILURE;
  int open_devices_ = 0;
  std::string message_;
  std::map<std::uintptr_t, Allocation> allocations_; ///< by host address of their first byte
  std::map<gantry_image*, std::unique_ptr<struct FakeImage>> images_;
  /// What is put into each queue and has not happened yet.
  std::map<gantry_queue*, std::unique_ptr<std::deque<std::function<std::int32_t()>>>> queues_;
  /// When what was put into a queue has happened, of queues whose times are recorded.
  std::map<gantry_queue*, std::vector<gantry_interval>> times_;
  std::uint64_t clock_ = 0;
  /// What launches use: on the host, and its device address.
  std::vector<std::uint64_t> launch_data_;
  std::uintptr_t launch_data_on_device_ = 0;
  Plugin plugin_;
  std::unique_ptr<PluginDevice> device_;
};

} // namespace gantry::core::testing
