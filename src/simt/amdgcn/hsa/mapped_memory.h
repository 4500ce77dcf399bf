// Memory that a program maps itself: addresses that are reserved, memory that has none, and
// mappings of the one into the other. Memory is a file of the system's, so that two mappings of it
// are the same bytes.
#pragma once

#include "simt/amdgcn/hsa/agents.h"
#include "simt/amdgcn/hsa/handles.h"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include <hsa/hsa.h>

namespace gantry::simt::hsa {

/// All members may be called from any thread.
class MappedMemory {
public:
  static constexpr std::uint64_t kGranule = 4096;

  [[nodiscard]] static MappedMemory& instance();

  [[nodiscard]] hsa_status_t reserve(std::uint64_t bytes, std::uint64_t alignment, void** address);
  /// Only what is not mapped may be freed.
  [[nodiscard]] hsa_status_t free(std::uint64_t address, std::uint64_t bytes);

  [[nodiscard]] hsa_status_t create(const Pool& pool, std::uint64_t bytes, std::uint64_t* handle);
  /// The memory goes when it is mapped nowhere as well.
  [[nodiscard]] hsa_status_t release(std::uint64_t handle);

  [[nodiscard]] hsa_status_t map(std::uint64_t address, std::uint64_t bytes, std::uint64_t offset,
                                 std::uint64_t handle);
  [[nodiscard]] hsa_status_t unmap(std::uint64_t address, std::uint64_t bytes);
  /// Of a whole mapping. Before, nobody may access it.
  [[nodiscard]] hsa_status_t set_access(std::uint64_t address, std::uint64_t bytes, bool allowed);

  /// Ends all.
  void clear();

  MappedMemory(const MappedMemory&) = delete;
  MappedMemory& operator=(const MappedMemory&) = delete;

private:
  MappedMemory() = default;
  class Object;
  struct Reservation {
    std::uint64_t bytes = 0;
    std::uint64_t block = 0; ///< of DeviceMemory
  };
  struct Mapping {
    std::uint64_t bytes = 0;
    std::shared_ptr<Object> object;
  };
  [[nodiscard]] bool is_mapped(std::uint64_t address, std::uint64_t bytes) const;
  /// The mapping that begins at the address and has the size, or none.
  [[nodiscard]] std::map<std::uint64_t, Mapping>::iterator mapping(std::uint64_t address,
                                                                   std::uint64_t bytes);

  Handles<Object> objects_;
  std::mutex mutex_;
  std::map<std::uint64_t, Reservation> reservations_;
  std::map<std::uint64_t, Mapping> mappings_;
};

} // namespace gantry::simt::hsa
