// The memory of the simulated devices: one arena of addresses that are those of the host as well,
// so that a load of device code is a load.
//
// The arena is reserved once for the process and committed as it is allocated from. Beside it lies
// a shadow of one byte for each granule of 16: how many of its bytes, from the first on, belong to
// a live allocation (0 … 16). An access of at most 16 bytes that is aligned lies in one granule, so
// checking it is one comparison. Everything that device code may touch is in the arena: device,
// pinned and managed memory, and the blocks' shared windows and the lanes' local ones, which are
// left out of the shadow. Host memory that a program registers (cuMemHostRegister) is outside, and
// known to find() alone.
//
// All members may be called from any thread.
#pragma once

#include "simt/memory/access_cells.h"
#include "simt/memory/shadow.h"
#include "simt/memory/uninitialised_bytes.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace gantry::simt {

enum class MemoryKind : std::uint8_t {
  kDevice,     ///< cuMemAlloc
  kPinned,     ///< cuMemAllocHost, cuMemHostAlloc
  kManaged,    ///< cuMemAllocManaged
  kRegistered, ///< cuMemHostRegister: the program's own
  kGlobal,     ///< a module's .global or .const variable
  kHeap,       ///< the device's heap: what malloc in device code gives
  kShared,     ///< a block's shared window
  kLocal,      ///< a warp's local windows
  kReserved,   ///< cuMemAddressReserve: parts of it are mapped, and accessible then
};

struct Allocation {
  std::uint64_t address = 0; ///< to allocate(): where it is to begin; 0: where there is room
  std::uint64_t size = 0;    ///< bytes asked for
  MemoryKind kind = MemoryKind::kDevice;
  std::int32_t device = 0;   ///< ordinal
  std::uint64_t context = 0; ///< whose: an opaque number that the driver gives
  std::string name;          ///< of a variable; empty otherwise
  bool divided = false;      ///< not accessible, or not as a whole: see set_freed
};

class DeviceMemory {
public:
  static constexpr std::uint64_t kGranule = Shadow::kGranule;
  static constexpr std::uint64_t kAlignment = 512; ///< of what allocate() returns

  /// The process's arena; reserved at the first call. Null if the address space is too small for
  /// it.
  [[nodiscard]] static DeviceMemory* instance();

  /// Memory of `size` > 0 bytes, zeroed or not; what its kind, device and context are is
  /// remembered. A window (kShared, kLocal) is not accessible(): it is its owner's (lane_memory.h).
  /// Nothing if the arena is exhausted, or the address is taken, or is not a multiple of a granule;
  /// the limit of a device's memory is the caller's to keep.
  [[nodiscard]] std::optional<std::uint64_t> allocate(const Allocation& what);
  /// Frees what starts at `address`; false if no allocation does. The pages of large memory go back
  /// to the system.
  bool free(std::uint64_t address);
  /// The allocation, or registered host memory, that `address` is in.
  [[nodiscard]] std::optional<Allocation> find(std::uint64_t address) const;
  /// Of the allocations, the one whose bounds are nearest to `address` (for reports); freed ones
  /// that are remembered count, and are said to be (second member of the result); windows (kShared,
  /// kLocal) only if it is inside.
  struct Nearest {
    Allocation allocation;
    bool freed = false;
  };
  [[nodiscard]] std::optional<Nearest> nearest(std::uint64_t address) const;

  /// Registers host memory [address, address + size) for device code. False if part of it is
  /// already.
  bool register_host(std::uint64_t address, std::uint64_t size, std::uint64_t context);
  bool unregister_host(std::uint64_t address);

  /// Marks [address, address + size) inside one live allocation as accessible or not, for the
  /// blocks of the heap. Exact if `address` is a multiple of 16; what a granule's shadow cannot say
  /// stays as it was.
  void set_accessible(std::uint64_t address, std::uint64_t size, bool accessible);
  /// Likewise for other allocations, whose owner hands out parts of them, or keeps them for later.
  void set_freed(std::uint64_t address, std::uint64_t size, bool freed);

  /// Whether all device code may access `size` bytes at `address`: in live allocations or
  /// registered.
  [[nodiscard]] bool accessible(std::uint64_t address, std::uint64_t size) const;

  /// Addresses around `address` that all device code may access: those of an allocation or of
  /// registered memory, or of a divided allocation what lies near. Nothing if there are none, or
  /// if device code itself may free them.
  struct Range {
    std::uint64_t first = 0;
    std::uint64_t size = 0; ///< bytes
  };
  [[nodiscard]] std::optional<Range> known_range(std::uint64_t address) const;
  /// How many times something has become inaccessible.
  [[nodiscard]] std::uint64_t removals() const;

  [[nodiscard]] std::uint64_t arena() const;
  [[nodiscard]] std::uint64_t arena_size() const;
  [[nodiscard]] const std::uint8_t* shadow() const; ///< of the arena's first granule
  /// What has not been written since it was allocated; null unless GANTRY_SIMT_CHECK has init.
  [[nodiscard]] UninitialisedBytes* uninitialised() const;
  /// [to, to + size) has become a copy of [from, from + size). Memory of the host counts as
  /// written, whatever is copied there: what the host itself stores there is not seen.
  void note_copy(std::uint64_t to, std::uint64_t from, std::uint64_t size);
  /// What the race check knows of the arena; null unless GANTRY_SIMT_CHECK has race.
  [[nodiscard]] AccessCells* access_cells() const;

  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

private:
  DeviceMemory();
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace gantry::simt
