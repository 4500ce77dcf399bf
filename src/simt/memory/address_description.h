// Describes what memory is at an address that a kernel may not access, or near it.
#pragma once

#include "simt/memory/device_memory.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::simt {

struct AddressReport {
  std::vector<std::string> lines;
  std::string hint; ///< what the program may do about it; empty if there is nothing to say
};

/// What an interface calls kinds of memory, and what its programs may do about wrong addresses.
struct MemoryWords {
  /// In the order of MemoryKind: "device memory".
  std::array<std::string_view, static_cast<std::size_t>(MemoryKind::kReserved) + 1> kinds;
  std::string_view host_hint;     ///< about host memory that is not mapped for the device
  std::string_view reserved_hint; ///< about addresses that are reserved and have no memory
};

/// What is at [address, address + size), a global address of a kernel on the device: null, host
/// memory, or which allocation is nearest, be it live or freed.
[[nodiscard]] AddressReport describe_memory(const DeviceMemory& memory, std::int32_t device,
                                            std::uint64_t address, std::uint32_t size,
                                            const MemoryWords& words);

/// "the address is 4 bytes past the end of NAME": where [offset, offset + size) lies in a window of
/// `window_size` bytes of that name. The offset may be negative.
[[nodiscard]] std::string describe_in_window(std::uint64_t offset, std::uint32_t size,
                                             std::uint64_t window_size, std::string name);

/// "1 byte", "4 bytes".
[[nodiscard]] std::string bytes_text(std::uint64_t count);

} // namespace gantry::simt
