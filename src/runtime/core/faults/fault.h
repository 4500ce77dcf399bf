// What ended a device, in words that a program's author understands: which region, where in it, and
// what the address means that was accessed.
#pragma once

#include "runtime/core/data/map_item.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <gantry/plugin.h>

namespace gantry::core {

class Device;

/// A sentence without its end, such as "app.cpp:14: the region of 'main' at line 12 wrote to
/// address 0x3d0000003000, right behind 'Y', which has 8192 bytes and was mapped at app.cpp:9".
/// Empty if the plugin's message says all there is. `items` are those of the region that failed,
/// and `host_address` its kernel's, if they are known. No lock of the device's data is held.
[[nodiscard]] std::string describe_fault(const gantry_fault& fault, Device& device,
                                         std::span<const MapItem> items = {},
                                         const void* host_address = nullptr);

/// What an address means to a device, but not to `but`, which may be null: "memory of device 1
/// (worker): 'Y' at offset 8, which has 8192 bytes and was mapped at app.cpp:9". Empty if none
/// knows it. No lock of a device's data is held.
[[nodiscard]] std::string memory_of_device(std::uintptr_t address, const Device* but = nullptr);

/// The same of an address inside what a device has or had there; empty for one that is only near.
[[nodiscard]] std::string held_by_device(std::uintptr_t address);

/// "the region of 'main' at line 12" for the name that Clang gives a target region. GCC's is known
/// by the host's function for it, whose address `host_address` is or null; "a region" if nothing is
/// known.
[[nodiscard]] std::string region_of_kernel(std::string_view name,
                                           const void* host_address = nullptr);

} // namespace gantry::core
