// The memory that the program has allocated through the driver: whose it is, and what a range of
// addresses that the program gives is.
#pragma once

#include "gantry/cuda_driver.h"
#include "simt/memory/device_memory.h"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include <tl/expected.hpp>

namespace gantry::simt::driver {

class Device;
class MemoryPool;

/// What the driver keeps of an allocation beside what DeviceMemory does.
struct AllocationRecord {
  std::uint64_t address = 0; ///< to allocate(): where it is to begin; 0: where there is room
  std::uint64_t bytes = 0;
  MemoryKind kind = MemoryKind::kDevice;
  Device* device = nullptr;
  std::uint64_t context = 0;
  std::uint64_t id = 0;             ///< of no other allocation of the process
  unsigned flags = 0;               ///< that cuMemHostAlloc or cuMemHostRegister was given
  std::shared_ptr<MemoryPool> pool; ///< that it counts for
};

/// All members may be called from any thread.
class Allocations {
public:
  [[nodiscard]] static Allocations& instance();

  /// Allocates what the record describes (the id is given by the call). Device memory
  /// counts as used on its device.
  [[nodiscard]] tl::expected<std::uint64_t, CUresult> allocate(AllocationRecord record);
  /// Registers the program's memory; its address is that of the record.
  [[nodiscard]] CUresult register_host(AllocationRecord record);

  /// Frees, or unregisters, what starts at the address and is of one of the kinds.
  [[nodiscard]] bool release(std::uint64_t address, std::initializer_list<MemoryKind> kinds);
  void free_of_context(std::uint64_t context);

  /// The allocation that the address is in.
  [[nodiscard]] std::optional<AllocationRecord> find(std::uint64_t address) const;

  Allocations(const Allocations&) = delete;
  Allocations& operator=(const Allocations&) = delete;

private:
  Allocations() = default;
  static void give_back(const AllocationRecord& record);

  mutable std::mutex mutex_;
  std::map<std::uint64_t, AllocationRecord> records_;
  std::uint64_t next_id_ = 1;
};

/// As what the program gives a range.
enum class RangeSide : std::uint8_t { kDevice, kHost, kEither };

/// What a range is, and so how copies with it are ordered.
enum class RangeKind : std::uint8_t {
  kDevice,
  kPinned, ///< the driver's host memory, or registered
  kManaged,
  kPageable, ///< memory that the driver does not know
};

/// What the `bytes` > 0 bytes at the address are; CUDA_ERROR_INVALID_VALUE if they cannot stand on
/// that side of a copy: a range that is not inside one live allocation where one is needed.
[[nodiscard]] tl::expected<RangeKind, CUresult> classify(std::uint64_t address, std::uint64_t bytes,
                                                         RangeSide side);

} // namespace gantry::simt::driver
