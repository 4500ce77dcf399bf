// Host memory on simulated devices that may access all of it, like a GPU with
// CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS. Accesses to what the process has mapped are allowed;
// others, for example through null pointers, are faults.
//
// The list of what is mapped (/proc/self/maps) is read when an address is not in the last one and
// when a grid begins, so that what the host maps while a kernel runs is found. Host memory that is
// unmapped while a kernel that uses it runs is not noticed: no program may do that.
//
// All functions may be called from any thread.
#pragma once

#include <cstdint>

namespace gantry::simt {

/// From now on kernels on the device may access the process's memory.
void open_host_memory(std::int32_t device);

[[nodiscard]] bool may_use_host_memory(std::int32_t device);

/// A grid begins on a device that may use host memory: forgets what was mapped.
void look_at_host_memory_anew();

/// Whether all of [address, address + size) is mapped, and may be written if `for_write`.
[[nodiscard]] bool is_mapped_on_host(std::uint64_t address, std::uint64_t size, bool for_write);

} // namespace gantry::simt
