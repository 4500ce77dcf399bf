// A plugin for tests of nodes: devices with memory of this process, and kernels that are functions
// here. An image is a text, the names of its kernels with a space between them.
#pragma once

#include "plugins/mpi/node/far_plugins.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include <gantry/plugin.h>

namespace gantry::mpi {

/// Written by several threads.
template <typename T>
struct Shared : std::atomic<T> {
  using std::atomic<T>::operator=;
  Shared() : std::atomic<T>(T()) {}
  Shared(const Shared& other) : std::atomic<T>(other.load()) {}
  Shared& operator=(const Shared& other) {
    this->store(other.load());
    return *this;
  }
};

/// What the devices are like; the same for all.
struct FakeDevices {
  std::uint32_t capabilities = GANTRY_CAPABILITY_HOST_ACCESSIBLE;
  int queries = 0; ///< how often a queue with something in it is not done when it is asked
  int devices = 1; ///< that a node has
  std::uint64_t memory = ~std::uint64_t{0}; ///< bytes that can be allocated
  /// Not null: queues have times, by this clock.
  std::function<std::uint64_t()> clock;
  /// Not null: called when a kernel runs, which so takes its time.
  std::function<void()> at_launch;

  std::uint64_t functions = 0; ///< of the last table
  Shared<int> launches;        ///< that there have been
  int recorded = 0;            ///< how often a queue was told to note times
  Shared<void*> last_block;    ///< that was allocated
  Shared<int> open;            ///< devices, images, queues and blocks that there are
};
/// Of all devices; a test sets it before it opens one.
FakeDevices& fake_devices();

/// Finds the plugin under every name but "none".
class FakePlugins final : public PluginSource {
public:
  [[nodiscard]] Result<const gantry_plugin*> find(std::string_view name) override;
};

/// The kernels: `add` adds argument 1 to the int at argument 0; `fail` fails; `end` ends its
/// device; `nothing`. A variable `table` of 256 bytes is in every image.
inline constexpr std::string_view kFakeImage = "fake: add fail end nothing";

} // namespace gantry::mpi
