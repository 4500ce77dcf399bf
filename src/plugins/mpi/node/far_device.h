// A device of a node, as another plugin drives it.
#pragma once

#include "plugins/mpi/protocol.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gantry/plugin.h>

namespace gantry::mpi {

/// What of a device's memory the program may name: what it has allocated, and variables.
class GivenMemory {
public:
  void add(std::uint64_t begin, std::uint64_t bytes) {
    std::uint64_t& known = ranges_[begin];
    known = std::max(known, bytes);
  }
  void remove(std::uint64_t begin) { ranges_.erase(begin); }
  [[nodiscard]] bool contains(std::uint64_t begin, std::uint64_t bytes) const {
    auto range = ranges_.upper_bound(begin);
    if (range == ranges_.begin()) {
      return false;
    }
    --range;
    const std::uint64_t offset = begin - range->first;
    return offset <= range->second && bytes <= range->second - offset;
  }

private:
  std::map<std::uint64_t, std::uint64_t> ranges_; ///< sizes by beginnings
};

/// Of texts that the program is sent.
inline constexpr std::size_t kLongestText = 2048;

/// What is wrong with a copy.
[[nodiscard]] inline std::string not_given(std::uint64_t address, std::uint64_t bytes) {
  return fmt::format("{} bytes at {:#x} are not memory that the device has given", bytes, address);
}

struct FarDevice;

struct FarImage {
  FarDevice* device = nullptr;
  gantry_image* handle = nullptr;
  const std::vector<std::byte>* bytes = nullptr;
  std::vector<std::uint32_t> kernels; ///< their numbers in the device
};

/// A device that was listed, and perhaps opened.
struct FarDevice {
  std::uint32_t number = 0; ///< among the process's
  const gantry_plugin* plugin = nullptr;
  std::string kind;
  std::int32_t index = 0;

  gantry_device* handle = nullptr; ///< null: not open
  std::uint32_t capabilities = 0;
  bool has_times = false; ///< its queues note when operations begin and end
  GivenMemory memory;
  std::unordered_set<std::uint64_t> blocks;               ///< that were allocated
  std::vector<__omp_offloading_fptr_map_ty> function_map; ///< as far as it has come
  std::vector<gantry_kernel*> kernels;                    ///< null: of an image that is no more

  [[nodiscard]] bool has_kernel(std::uint32_t kernel) const {
    return kernel < kernels.size() && kernels[kernel] != nullptr;
  }
  [[nodiscard]] bool has_queues() const { return (capabilities & GANTRY_CAPABILITY_QUEUES) != 0; }
  /// Frees what was allocated. Any thread, if no other uses the device.
  void release_blocks() {
    for (const std::uint64_t block : std::exchange(blocks, {})) {
      (void)plugin->release(handle, reinterpret_cast<void*>(block));
    }
    memory = {};
  }
  /// Where this process finds device memory; null: it cannot access that.
  [[nodiscard]] std::byte* view_of(std::uint64_t address, std::uint64_t bytes) const {
    auto* const at = reinterpret_cast<void*>(address);
    if ((capabilities & GANTRY_CAPABILITY_HOST_ACCESSIBLE) != 0 && !has_queues()) {
      return static_cast<std::byte*>(at);
    }
    void* host = nullptr;
    return plugin->find_host_view != nullptr &&
                   plugin->find_host_view(handle, at, bytes, &host) == GANTRY_SUCCESS
               ? static_cast<std::byte*>(host)
               : nullptr;
  }
};

} // namespace gantry::mpi
