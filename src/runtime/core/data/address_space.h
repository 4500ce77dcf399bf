// What an address means to the devices of the process, in words: the storage of a mapping or an
// allocation that has it, had it or is near it.
#pragma once

#include "runtime/core/data/storage_names.h"
#include "runtime/core/devices/allocation_table.h"

#include <cstdint>
#include <string>

namespace gantry::core {

/// The addresses of one device. Any thread; no lock of a device data environment is held.
class AddressSpace {
public:
  /// All outlive the object. From now on the process knows it.
  AddressSpace(const DeviceName& device, const StorageNames& names,
               const AllocationTable& allocations);
  AddressSpace(const AddressSpace&) = delete;
  AddressSpace& operator=(const AddressSpace&) = delete;
  ~AddressSpace();

  /// What holds or held a device address, as "'Y' at offset 8, which has 8192 bytes and was mapped
  /// at app.cpp:9"; empty if nothing is known of it.
  [[nodiscard]] std::string inside(std::uintptr_t address) const;
  /// The same or, if there is none, what it is near.
  [[nodiscard]] std::string around(std::uintptr_t address) const;

  /// The first of the devices that knows something `around` an address, but not `but`: "memory of
  /// device 1 (worker): …". Empty if none does.
  [[nodiscard]] static std::string device_around(std::uintptr_t address, const AddressSpace& but);
  /// The same of `inside`, for any device.
  [[nodiscard]] static std::string holder_of(std::uintptr_t address);

private:
  const DeviceName& device_;
  const StorageNames& names_;
  const AllocationTable& allocations_;
};

} // namespace gantry::core
