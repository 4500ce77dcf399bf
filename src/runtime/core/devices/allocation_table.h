// The memory of one device that a program allocated itself, with omp_target_alloc and its relatives
// (OpenMP 5.2, section 18.8.1): known so that a wrong free or a copy past the end is a message that
// names the allocation, and not a damaged heap.
//
// Device memory that came from elsewhere (a mapping's corresponding storage, a foreign runtime's)
// is not in the table; accesses to it are taken on trust. Any thread may call any function: the
// table has a lock of its own, held for a look-up only.
#pragma once

#include "base/result.h"
#include "runtime/core/host/lock.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>

namespace gantry::core {

/// Where an allocation lies, which its own routine for freeing takes for granted.
enum class MemoryKind : std::uint8_t {
  kDevice, ///< of the device: omp_target_alloc, llvm_omp_target_alloc_device
  kHost,   ///< of the host, for the device to read and write: llvm_omp_target_alloc_host
  kShared, ///< of both: llvm_omp_target_alloc_shared
};

class AllocationTable {
public:
  AllocationTable() = default;
  AllocationTable(const AllocationTable&) = delete;
  AllocationTable& operator=(const AllocationTable&) = delete;

  /// Notes an allocation of `size` > 0 bytes at `begin`, which overlaps none.
  void insert(std::uintptr_t begin, std::uint64_t size, MemoryKind kind);

  /// Forgets the allocation that begins at `begin` and is of `kind`. The caller frees its memory
  /// afterwards: once it is free, another thread may be given the address. An error tells a second
  /// free from one of what was never allocated, and names the extent.
  [[nodiscard]] Status remove(std::uintptr_t begin, MemoryKind kind);

  /// Whether `size` bytes at `begin` + `offset`, whose sum does not overflow, may be accessed: not
  /// if `begin` is in an allocation and they leave it, nor if they run into one from outside.
  [[nodiscard]] Status check(std::uintptr_t begin, std::uint64_t offset, std::uint64_t size) const;

  /// True if all of [begin, begin + size) lies in one allocation.
  [[nodiscard]] bool contains(std::uintptr_t begin, std::uint64_t size) const;

  /// The allocation that holds `address`, or else the last one that did and was freed.
  struct Located {
    std::uintptr_t begin = 0;
    std::uint64_t size = 0;
    MemoryKind kind = MemoryKind::kDevice;
    bool freed = false;
  };
  [[nodiscard]] std::optional<Located> locate(std::uintptr_t address) const;
  /// The allocation that holds `address`.
  [[nodiscard]] std::optional<Located> holding(std::uintptr_t address) const;
  /// The last one that begins at `address` or before it.
  [[nodiscard]] std::optional<Located> preceding(std::uintptr_t address) const;
  /// The first one that begins behind `address`.
  [[nodiscard]] std::optional<Located> following(std::uintptr_t address) const;

  [[nodiscard]] bool empty() const;

  /// Calls `visit` for each, in order of address.
  void for_each(const std::function<void(std::uintptr_t begin, std::uint64_t size)>& visit) const;

  /// What has not been freed: a sentence for each.
  [[nodiscard]] std::vector<std::string> leaks() const;

private:
  struct Extent {
    std::uint64_t size = 0;
    MemoryKind kind = MemoryKind::kDevice;
  };
  struct Freed {
    std::uintptr_t begin = 0;
    std::uint64_t size = 0;
  };
  using Extents = std::map<std::uintptr_t, Extent>;

  /// The allocation that holds `address`, or end(). With the lock held.
  [[nodiscard]] Extents::const_iterator around(std::uintptr_t address) const;
  [[nodiscard]] std::optional<Freed> freed_at(std::uintptr_t begin) const;

  mutable Mutex mutex_{LockRank::kAllocationTable};
  Extents live_;
  /// The last allocations that were freed, for the message about a second free.
  std::array<Freed, 64> freed_{};
  std::size_t next_freed_ = 0;
};

} // namespace gantry::core
