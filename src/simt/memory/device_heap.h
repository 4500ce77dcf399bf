// malloc and free of device code: one heap for each device, and the limits that cuCtxSetLimit sets.
//
// A heap is one allocation of DeviceMemory, of the size that cuCtxSetLimit gives, made at the first
// malloc. Its blocks begin at multiples of 16 and have at least 16 inaccessible bytes after them;
// what is freed stays inaccessible and waits before it is handed out again.
//
// All functions may be called from any thread.
#pragma once

#include <cstdint>
#include <optional>

namespace gantry::simt {

/// The limits of a device that cuCtxSetLimit sets. Process-wide, by device ordinal.
struct Limits {
  /// The local memory of a thread that every GPU has, and the most that cuCtxSetLimit gives.
  static constexpr std::uint64_t kMostLocalBytes = 512 << 10;
  std::uint64_t heap_bytes = 8 << 20;
  std::uint64_t local_bytes = 64 << 10; ///< of each thread: at least
};
[[nodiscard]] Limits limits_of(std::int32_t device);
/// Clamps the local memory to kMostLocalBytes. False if the device's heap is in use and its size
/// would change.
bool set_limits(std::int32_t device, const Limits& limits);

/// The address of a new block; 0 if the heap is exhausted. A block of no bytes has an address too.
[[nodiscard]] std::uint64_t device_malloc(std::int32_t device, std::uint64_t size);

enum class FreeResult : std::uint8_t {
  kFreed,        ///< or the address was null
  kFreedAlready, ///< a block began there and was freed
  kInside,       ///< in a live block, but not its beginning
  kNotFromHeap,
};
FreeResult device_free(std::int32_t device, std::uint64_t address);

/// Gives the device's heap back, with all blocks that were not freed; a later malloc begins a new
/// one. No kernel of the device may be running.
void release_heap(std::int32_t device);

/// The block of any device's heap that `address` is in or nearest to, for reports; one that was
/// freed not long ago only if `address` is in it.
struct HeapBlock {
  std::uint64_t address = 0;
  std::uint64_t size = 0; ///< bytes asked for
  bool freed = false;
};
[[nodiscard]] std::optional<HeapBlock> nearest_heap_block(std::uint64_t address);

} // namespace gantry::simt
