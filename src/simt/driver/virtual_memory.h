// Memory that a program maps itself: ranges of addresses that are reserved, memory objects that
// have none, and mappings of the one into the other. An object is a file in memory of the system,
// so that two mappings of it are the same bytes.
//
// All members may be called from any thread.
#pragma once

#include "gantry/cuda_driver.h"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include <tl/expected.hpp>

namespace gantry::simt::driver {

class Device;

/// What cuMemCreate makes. Lives as long as its handle is held or it is mapped.
class MemoryObject {
public:
  /// Takes memory of the device. The size is a multiple of VirtualMemory::kGranularity.
  [[nodiscard]] static tl::expected<std::shared_ptr<MemoryObject>, CUresult>
  create(Device& device, std::uint64_t bytes, const CUmemAllocationProp& properties);
  ~MemoryObject();
  MemoryObject(const MemoryObject&) = delete;
  MemoryObject& operator=(const MemoryObject&) = delete;

  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  [[nodiscard]] const CUmemAllocationProp& properties() const { return properties_; }
  [[nodiscard]] int file() const { return file_; }
  [[nodiscard]] Device& device() const { return device_; }

private:
  MemoryObject(Device& device, std::uint64_t bytes, int file, const CUmemAllocationProp& properties)
      : device_(device), bytes_(bytes), file_(file), properties_(properties) {}

  Device& device_;
  const std::uint64_t bytes_;
  const int file_;
  const CUmemAllocationProp properties_;
};

class VirtualMemory {
public:
  /// Addresses and sizes are multiples of it.
  static constexpr std::uint64_t kGranularity = 2 << 20;

  [[nodiscard]] static VirtualMemory& instance();

  [[nodiscard]] tl::expected<CUdeviceptr, CUresult> reserve(std::uint64_t bytes,
                                                            std::uint64_t alignment);
  /// The whole of a reservation in which nothing is mapped.
  [[nodiscard]] CUresult free(CUdeviceptr address, std::uint64_t bytes);

  /// Maps the object into a part of a reservation where nothing is. It cannot be accessed yet.
  [[nodiscard]] CUresult map(CUdeviceptr address, std::shared_ptr<MemoryObject> object);
  /// Whole mappings, or none.
  [[nodiscard]] CUresult unmap(CUdeviceptr address, std::uint64_t bytes);
  /// A range that is mapped without gaps. Reading alone counts as reading and writing.
  [[nodiscard]] CUresult set_access(CUdeviceptr address, std::uint64_t bytes,
                                    CUmemAccess_flags access);

  struct Mapping {
    CUdeviceptr address = 0;
    std::uint64_t bytes = 0;
    std::shared_ptr<MemoryObject> object;
    CUmemAccess_flags access = CU_MEM_ACCESS_FLAGS_PROT_NONE; ///< of its first byte
  };
  /// The mapping that the address is in.
  [[nodiscard]] std::optional<Mapping> find(CUdeviceptr address) const;

  /// The program's references to an object: the handle is the same for all of them.
  [[nodiscard]] CUmemGenericAllocationHandle retain(const std::shared_ptr<MemoryObject>& object);
  [[nodiscard]] std::shared_ptr<MemoryObject> object(CUmemGenericAllocationHandle handle) const;
  /// False if it is no handle.
  [[nodiscard]] bool release(CUmemGenericAllocationHandle handle);

  VirtualMemory(const VirtualMemory&) = delete;
  VirtualMemory& operator=(const VirtualMemory&) = delete;

private:
  struct Reservation {
    std::uint64_t bytes = 0;
    std::uint64_t block = 0; ///< of DeviceMemory, which it is in
  };
  struct Reference {
    std::shared_ptr<MemoryObject> object;
    std::uint64_t count = 0;
  };
  using Mappings = std::map<CUdeviceptr, Mapping>;

  VirtualMemory() = default;
  [[nodiscard]] bool is_reserved(CUdeviceptr address, std::uint64_t bytes) const;
  [[nodiscard]] Mappings::const_iterator mapping_of(CUdeviceptr address) const;

  mutable std::mutex mutex_;
  std::map<CUdeviceptr, Reservation> reservations_;
  Mappings mappings_;
  std::map<CUmemGenericAllocationHandle, Reference> references_;
  CUmemGenericAllocationHandle next_handle_ = 1;
};

} // namespace gantry::simt::driver
