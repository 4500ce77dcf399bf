// Describes what is at an address that a kernel may not access.
#pragma once

#include "simt/exec/warp/warp.h"
#include "simt/memory/address_description.h"

#include <cstdint>
#include <string>

namespace gantry::simt::exec {

/// What is at [address, address + size), a generic address of a thread of `lane`: null, a function,
/// host memory, shared or local memory, or which allocation is nearest, be it live or freed.
[[nodiscard]] AddressReport describe_address(const Warp& warp, unsigned lane, std::uint64_t address,
                                             std::uint32_t size);
/// The same for offsets in the block's shared memory and a thread's local memory.
[[nodiscard]] AddressReport describe_shared(const Warp& warp, std::uint64_t offset,
                                            std::uint32_t size);
[[nodiscard]] AddressReport describe_local(const Warp& warp, std::uint64_t offset,
                                           std::uint32_t size);

/// The variable of the program at an offset in the block's shared memory, or at an address of
/// global memory; empty if there is none.
[[nodiscard]] std::string shared_variable_at(const Warp& warp, std::uint64_t offset);
[[nodiscard]] std::string global_variable_at(std::uint64_t address);

} // namespace gantry::simt::exec
