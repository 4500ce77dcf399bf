// An open device of a plugin: the functions of include/gantry/plugin.h that take one, with errors
// as values.
#pragma once

#include "runtime/core/devices/plugin.h"
#include "runtime/core/events/events.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace gantry::core {

/// Destroys an image through its plugin. A device that cannot is lost, and its next use says so.
struct ImageDeleter {
  const Plugin* plugin;
  void operator()(gantry_image* image) const { (void)plugin->functions().destroy_image(image); }
};
using ImageHandle = std::unique_ptr<gantry_image, ImageDeleter>;

/// Owns the open device. Any thread may use it; its plugin outlives it.
class PluginDevice {
public:
  /// What the device is to be; the members of gantry_device_settings.
  struct Settings {
    std::int32_t openmp_number = 0;
    std::string options = {};
    std::uint64_t time_limit = 0; ///< of a kernel, in milliseconds; 0: none
    bool check_memory = false;
    std::span<const unsigned long> processors = {};
    gantry_function_check* function_check = nullptr;
  };

  /// Opens device number `index` of `plugin`.
  [[nodiscard]] static Result<PluginDevice> open(const Plugin& plugin, std::int32_t index,
                                                 const Settings& settings);
  PluginDevice(PluginDevice&& other) noexcept;
  PluginDevice& operator=(PluginDevice&&) = delete;
  /// Closes the device: its images and queues are gone, and nothing is at work on it.
  ~PluginDevice();

  [[nodiscard]] const Plugin& plugin() const { return *plugin_; }
  /// The plugin's own number of the device.
  [[nodiscard]] std::int32_t index() const { return index_; }
  [[nodiscard]] bool shares_memory() const { return can(GANTRY_CAPABILITY_SHARES_MEMORY); }
  /// May become true: see use_host_memory().
  [[nodiscard]] bool host_accessible() const { return can(GANTRY_CAPABILITY_HOST_ACCESSIBLE); }
  /// Makes host memory accessible to code on the device, if it is not and the device can.
  [[nodiscard]] Status use_host_memory();
  [[nodiscard]] bool has_queues() const { return can(GANTRY_CAPABILITY_QUEUES); }
  /// launch(), submit() and retrieve() are the way of what is waited for at once.
  [[nodiscard]] bool works_directly() const {
    return !has_queues() || can(GANTRY_CAPABILITY_DIRECT);
  }
  /// A word with the device takes long: see GANTRY_CAPABILITY_POSTED_COPIES.
  [[nodiscard]] bool is_far() const { return can(GANTRY_CAPABILITY_POSTED_COPIES); }
  static constexpr std::uint64_t kPostedBytes = GANTRY_POSTED_BYTES;
  [[nodiscard]] std::string_view description() const { return description_; }
  /// The name of the clock of its queues' times; null if there are none.
  [[nodiscard]] const char* clock() const { return clock_; }
  /// What events and messages call it.
  [[nodiscard]] const DeviceName& name() const { return name_; }
  /// What is its own among all devices: "cuda-0".
  [[nodiscard]] std::string uid() const {
    return own_name_.empty() ? fmt::format("{}-{}", plugin_->name(), index_) : own_name_;
  }

  /// How well an image of the plugin's suits this device: the larger the better, 0 not at all.
  [[nodiscard]] std::uint32_t rank(std::span<const std::byte> image) const {
    auto* const rank_image = call().rank_image;
    return rank_image == nullptr ? 1 : rank_image(handle_, image.data(), image.size());
  }
  /// `file` is where a copy is kept for debuggers; empty: nowhere.
  [[nodiscard]] Result<ImageHandle> create_image(std::span<const std::byte> bytes,
                                                 const std::string& file) const;
  [[nodiscard]] Status load_image(gantry_image* image) const;
  /// Looks up all of `symbols`. What is not found is said in their `status`; `why_not_found` is
  /// then the plugin's message for the first of them.
  [[nodiscard]] Status find_symbols(gantry_image* image, std::span<gantry_symbol> symbols,
                                    std::string& why_not_found) const;

  [[nodiscard]] bool has_function_map() const {
    return plugin_->founding_map() != nullptr || call().set_function_map != nullptr;
  }
  /// See set_function_map of gantry/plugin.h.
  [[nodiscard]] Status set_function_map(std::span<__omp_offloading_fptr_map_ty> table) const;

  [[nodiscard]] Result<void*> allocate(std::uint64_t size) const;
  /// Device memory, and where in it something begins that is aligned otherwise than blocks are.
  struct Place {
    void* allocation = nullptr; ///< what release() takes
    std::uintptr_t begin = 0;
  };
  /// Room for `size` bytes, `offset` more than a multiple of `alignment`, which is a power of two
  /// from kAlignment to a page.
  [[nodiscard]] Result<Place> place(std::uint64_t size, std::uint64_t alignment,
                                    std::uint64_t offset) const;
  static constexpr std::uint64_t kAlignment = 64; ///< of every block at least
  Status release(void* device_address) const;
  [[nodiscard]] Status submit(void* device_address, const void* host, std::uint64_t size) const;
  [[nodiscard]] Status retrieve(void* host, const void* device_address, std::uint64_t size) const;
  [[nodiscard]] Status launch(gantry_kernel* kernel, const gantry_launch& launch) const;
  /// What the program should know of such a launch; empty: nothing.
  [[nodiscard]] std::string launch_hint(gantry_kernel* kernel, const gantry_launch& launch) const;

  /// Whether send() can copy to `device`.
  [[nodiscard]] bool reaches(const PluginDevice& device) const {
    return plugin_ == device.plugin_ && call().copy_between != nullptr;
  }
  /// Copies between this device's memory and another's; within one the two do not overlap.
  [[nodiscard]] Status send(const void* from, const PluginDevice& device, void* to,
                            std::uint64_t size) const {
    return plugin_->check(call().copy_between(handle_, from, device.handle_, to, size));
  }

  /// Whether a queue of this device can copy to `device`.
  [[nodiscard]] bool queues_reach(const PluginDevice& device) const {
    return has_queues() && plugin_ == device.plugin_ && call().queue_copy_between != nullptr;
  }
  /// The same as send(), in a queue of this device.
  [[nodiscard]] Status put_send(gantry_queue* queue, const void* from, const PluginDevice& device,
                                void* to, std::uint64_t size) const {
    return queued(call().queue_copy_between, queue, from, device.handle_, to, size);
  }

  /// Of a device with queues; `function` is one of the plugin's that take one.
  template <typename... Parameters, typename... Arguments>
  [[nodiscard]] Status queued(gantry_status (*function)(gantry_queue*, Parameters...),
                              gantry_queue* queue, Arguments... arguments) const {
    return plugin_->check(function(queue, arguments...));
  }
  [[nodiscard]] Result<gantry_queue*> create_queue() const;

  /// Whether the plugin, asked for a queue, says that the device is lost. False if it has none.
  [[nodiscard]] bool is_lost() const;

  /// What ended the device, if it is lost and its plugin knows.
  [[nodiscard]] std::optional<gantry_fault> fault() const;

private:
  PluginDevice(const Plugin& plugin, std::int32_t index, gantry_device* handle, int number)
      : plugin_(&plugin), index_(index), handle_(handle),
        name_{number, fmt::format("device {} ({})", number, plugin.name())} {}

  [[nodiscard]] const gantry_plugin& call() const { return plugin_->functions(); }
  [[nodiscard]] bool can(std::uint32_t capability) const {
    return (capabilities_.load(std::memory_order_relaxed) & capability) != 0;
  }
  Status read_properties();
  [[nodiscard]] Result<void*> allocate(const gantry_allocation& request) const;

  const Plugin* plugin_;
  std::int32_t index_;
  gantry_device* handle_; ///< null: moved from
  std::atomic<std::uint32_t> capabilities_ = 0;
  const char* description_ = ""; ///< the plugin's, as is the next
  const char* clock_ = nullptr;
  std::string own_name_; ///< if it has one
  DeviceName name_;
};

} // namespace gantry::core
