// A plugin as the core sees it: the functions of include/gantry/plugin.h, bound, with errors as
// values. One Plugin for each kind of device, one PluginDevice for each device opened.
#pragma once

#include "base/result.h"
#include "runtime/core/lock.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <gantry/plugin.h>

// Every function of a plugin: one list, from which the table below, its binding to the linked-in
// plugin and the look-up in a loaded one are made.
#define GANTRY_PLUGIN_FUNCTIONS(X)                                                                 \
  X(api_version)                                                                                   \
  X(error_message)                                                                                 \
  X(number_of_devices)                                                                             \
  X(init_device)                                                                                   \
  X(capabilities)                                                                                  \
  X(device_description)                                                                            \
  X(is_valid_binary)                                                                               \
  X(create_image)                                                                                  \
  X(load_image)                                                                                    \
  X(destroy_image)                                                                                 \
  X(find_kernel)                                                                                   \
  X(find_variable)                                                                                 \
  X(data_alloc)                                                                                    \
  X(data_delete)                                                                                   \
  X(data_submit)                                                                                   \
  X(data_retrieve)                                                                                 \
  X(launch_kernel)

// Those that only devices with GANTRY_CAPABILITY_QUEUES need.
#define GANTRY_QUEUE_FUNCTIONS(X)                                                                  \
  X(create_queue)                                                                                  \
  X(destroy_queue)                                                                                 \
  X(data_submit_async)                                                                             \
  X(data_retrieve_async)                                                                           \
  X(launch_kernel_async)                                                                           \
  X(synchronize_queue)                                                                             \
  X(query_queue)

// Those that a plugin may have.
#define GANTRY_OPTIONAL_FUNCTIONS(X)                                                               \
  X(data_exchange)                                                                                 \
  X(data_place)                                                                                    \
  X(device_fault)                                                                                  \
  X(launch_data)                                                                                   \
  X(launch_hint)                                                                                   \
  X(rank_image)                                                                                    \
  X(set_memory_check)                                                                              \
  X(set_processors)                                                                                \
  X(set_time_limit)                                                                                \
  X(use_host_memory)

// Those that only devices with functions called by pointer need.
#define GANTRY_INDIRECT_FUNCTIONS(X)                                                               \
  X(set_function_ptr_map)                                                                          \
  X(set_function_ptr_check)

namespace gantry::core {

/// Functions of a plugin; those of queues, of indirect calls and the optional ones are null where
/// it does not have them.
struct PluginFunctions {
#define GANTRY_MEMBER(name) decltype(&::__tgt_rtl_##name) name;
  GANTRY_PLUGIN_FUNCTIONS(GANTRY_MEMBER)
  GANTRY_QUEUE_FUNCTIONS(GANTRY_MEMBER)
  GANTRY_INDIRECT_FUNCTIONS(GANTRY_MEMBER)
  GANTRY_OPTIONAL_FUNCTIONS(GANTRY_MEMBER)
#undef GANTRY_MEMBER
};

/// A bound plugin. Immutable, so any thread may use it; lives until the process ends.
class Plugin {
public:
  Plugin(std::string name, PluginFunctions functions)
      : name_(std::move(name)), functions_(functions) {}
  Plugin(const Plugin&) = delete;
  Plugin& operator=(const Plugin&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }
  /// To be called: no lock of the core is held.
  [[nodiscard]] const PluginFunctions& functions() const {
    expect_no_lock("the plugin is called");
    return functions_;
  }

  /// Success, or the plugin's message for the call that returned `code`.
  [[nodiscard]] Status check(std::int32_t code) const {
    return code == GANTRY_SUCCESS ? Status() : failure(code);
  }

  [[nodiscard]] bool accepts(std::span<const std::byte> image) const {
    return functions().is_valid_binary(image.data(), image.size()) != 0;
  }

private:
  [[nodiscard]] Status failure(std::int32_t code) const;

  std::string name_;
  PluginFunctions functions_;
};

/// The names that GANTRY_DEVICES may hold: the linked-in plugins, then those found beside
/// libgantry.
[[nodiscard]] std::vector<std::string> known_plugins();
[[nodiscard]] bool is_known_plugin(std::string_view name);

/// A sentence for a name that is_known_plugin() does not know.
[[nodiscard]] std::string why_unknown(std::string_view name);

/// Binds the plugin called `name`, loading its library unless it is linked in.
[[nodiscard]] Result<std::unique_ptr<Plugin>> bind_plugin(std::string_view name);

/// Deletes an image through its plugin.
struct ImageDeleter {
  const Plugin* plugin;
  void operator()(gantry_image* image) const { plugin->functions().destroy_image(image); }
};
using ImageHandle = std::unique_ptr<gantry_image, ImageDeleter>;

/// One open device of a plugin. Immutable; any thread may use it.
class PluginDevice {
public:
  /// Opens device `device` of `plugin`, which outlives it.
  [[nodiscard]] static Result<PluginDevice> open(const Plugin& plugin, std::int32_t device,
                                                 std::int32_t openmp_number,
                                                 const std::string& options);

  [[nodiscard]] const Plugin& plugin() const { return *plugin_; }
  /// The plugin's own number of the device.
  [[nodiscard]] std::int32_t index() const { return device_; }
  [[nodiscard]] bool shares_memory() const {
    return (capabilities_ & GANTRY_CAPABILITY_SHARES_MEMORY) != 0;
  }
  /// May become true: see use_host_memory().
  [[nodiscard]] bool host_accessible() const {
    return (capabilities_ & GANTRY_CAPABILITY_HOST_ACCESSIBLE) != 0 ||
           (plugin_->functions().use_host_memory != nullptr &&
            (plugin_->functions().capabilities(device_) & GANTRY_CAPABILITY_HOST_ACCESSIBLE) != 0);
  }
  /// Makes host memory accessible to code on the device, if it is not and the device can.
  [[nodiscard]] Status use_host_memory() const;
  [[nodiscard]] bool has_queues() const { return (capabilities_ & GANTRY_CAPABILITY_QUEUES) != 0; }
  /// launch(), submit() and retrieve() are the way of what is waited for at once.
  [[nodiscard]] bool works_directly() const {
    return !has_queues() || (capabilities_ & GANTRY_CAPABILITY_DIRECT) != 0;
  }
  [[nodiscard]] std::string_view description() const;

  /// How well an image of the plugin's suits this device: the larger the better, 0 not at all.
  [[nodiscard]] std::uint32_t rank(std::span<const std::byte> image) const {
    decltype(&__tgt_rtl_rank_image) const rank_image = plugin_->functions().rank_image;
    return rank_image == nullptr ? 1 : rank_image(device_, image.data(), image.size());
  }
  /// `file` is where a copy is kept for debuggers; empty: nowhere.
  [[nodiscard]] Result<ImageHandle> create_image(std::span<const std::byte> bytes,
                                                 const std::string& file) const;
  [[nodiscard]] Status load_image(gantry_image* image) const;
  [[nodiscard]] Result<gantry_kernel*> find_kernel(gantry_image* image, const char* name) const;

  struct Variable {
    void* device_address = nullptr;
    std::uint64_t size = 0;
  };
  [[nodiscard]] Result<Variable> find_variable(gantry_image* image, const char* name) const;

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
    return plugin_ == device.plugin_ && plugin_->functions().data_exchange != nullptr;
  }
  /// Copies between this device's memory and another's; within one the two do not overlap.
  [[nodiscard]] Status send(const void* from, const PluginDevice& device, void* to,
                            std::uint64_t size) const {
    return plugin_->check(
        plugin_->functions().data_exchange(device_, from, device.device_, to, size));
  }

  /// Of a device with queues; `call` is one of the plugin's functions that take one.
  template <typename... Parameters, typename... Arguments>
  [[nodiscard]] Status queued(std::int32_t (*call)(gantry_queue*, Parameters...),
                              gantry_queue* queue, Arguments... arguments) const {
    return plugin_->check(call(queue, arguments...));
  }
  [[nodiscard]] Result<gantry_queue*> create_queue() const;

  /// What the plugin can do of this: the milliseconds that a kernel may take, 0 for any; memory in
  /// which mistakes show; the processors to be used. Before the device is used.
  void set_limits(std::uint64_t time_limit, bool check_memory,
                  std::span<const unsigned long> processors) const;
  /// What ended the device, if it is lost and its plugin knows.
  [[nodiscard]] std::optional<gantry_fault> fault() const;

private:
  PluginDevice(const Plugin& plugin, std::int32_t device, std::uint32_t capabilities)
      : plugin_(&plugin), device_(device), capabilities_(capabilities) {}

  const Plugin* plugin_;
  std::int32_t device_;
  std::uint32_t capabilities_;
};

} // namespace gantry::core
