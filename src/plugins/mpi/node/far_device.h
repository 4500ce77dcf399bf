// A device of a node, as another plugin drives it.
#pragma once

#include "plugins/mpi/protocol.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

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

struct FarImage {
  std::uint32_t device = 0;
  gantry_image* handle = nullptr;
  const std::vector<std::byte>* bytes = nullptr;
  std::vector<std::uint32_t> kernels; ///< their numbers in the device
};

/// A device that was listed, and perhaps opened.
struct FarDevice {
  const gantry_plugin* plugin = nullptr;
  std::string kind;
  std::int32_t index = 0;

  gantry_device* handle = nullptr; ///< null: not open
  std::uint32_t capabilities = 0;
  GivenMemory memory;
  std::vector<gantry_kernel*> kernels; ///< null: of an image that is no more

  [[nodiscard]] bool has_kernel(std::uint32_t number) const {
    return number < kernels.size() && kernels[number] != nullptr;
  }
  [[nodiscard]] bool has_queues() const { return (capabilities & GANTRY_CAPABILITY_QUEUES) != 0; }
  /// This process can access what is in the device's memory.
  [[nodiscard]] bool is_in_process() const {
    return (capabilities & GANTRY_CAPABILITY_HOST_ACCESSIBLE) != 0 && !has_queues();
  }
};

} // namespace gantry::mpi
