// Finds a kernel by the host address that the compiler hands to a launch.
//
// Look-ups happen at every launch, on any thread, and take no lock; changes happen when programs
// are loaded and unloaded, one at a time. The table is open-addressed with linear probing. A slot
// is written kernel first, then key; since a slot of an erased key is used again, a reader that was
// between the two loads could see another key's kernel, so it checks that the kernel is its own.
// When the table grows, the old array stays until the table dies, because a reader may still be in
// it: sizes double, so the old ones together are smaller than the new one.
#pragma once

#include "runtime/core/data/mapping_table.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

struct gantry_kernel;

namespace gantry::core {

/// A kernel of a loaded program on one device. Owned by the program; immutable but for what is
/// said.
struct Kernel {
  /// What the compiler hands to a launch; unique in a process, but for inline functions.
  const void* host_address = nullptr;
  gantry_kernel* handle = nullptr;
  const char* name = "";
  /// Its program has variables on the device, whose values differ from device to device. Known
  /// while regions are spread alone (is_spreading()).
  bool keeps_state = false;
  /// Of the device's data environment, under its lock.
  mutable FoundLast found_last = {};
  /// The plugin was asked for its hint. Through std::atomic_ref.
  mutable bool asked_for_hint = false;
};

class KernelTable {
public:
  KernelTable();
  KernelTable(const KernelTable&) = delete;
  KernelTable& operator=(const KernelTable&) = delete;

  /// The kernel of a host address, or null. Lock-free.
  [[nodiscard]] const Kernel* find(const void* host_address) const;

  /// Makes kernel.host_address, which is not null, stand for `kernel`, which outlives its entry.
  /// One writer at a time.
  void set(const Kernel& kernel);

  /// Forgets `host_address`. One writer at a time.
  void erase(const void* host_address);

  /// Number of slots, for tests.
  [[nodiscard]] std::size_t capacity() const { return generations_.back()->mask + 1; }

private:
  struct Slot {
    std::atomic<const void*> key{nullptr};
    std::atomic<const Kernel*> kernel{nullptr}; ///< null: the key is erased
  };
  struct Slots {
    explicit Slots(std::size_t count) : mask(count - 1), slots(new Slot[count]) {}
    std::size_t mask; ///< number of slots, a power of two, less one
    std::unique_ptr<Slot[]> slots;

    [[nodiscard]] Slot& first(const void* key) const;
    [[nodiscard]] Slot& after(const Slot& slot) const;
    [[nodiscard]] Slot& before(const Slot& slot) const;
    /// The slot of `key`, else the first one on its way that is free for it.
    [[nodiscard]] Slot& place_for(const void* key) const;
  };

  void grow();

  std::atomic<const Slots*> current_;
  std::vector<std::unique_ptr<Slots>> generations_;
  std::size_t used_ = 0; ///< slots with a key, erased ones included
};

} // namespace gantry::core
