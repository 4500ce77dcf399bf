// Copies between original and corresponding storage (OpenMP 5.2, section 5.8.3): a construct plans
// them while it holds the lock of the data environment, and makes them without it.
#pragma once

#include "base/result.h"
#include "runtime/core/data/map_item.h"
#include "runtime/core/data/mapping_table.h"
#include "runtime/core/queues/queue.h"

#include <absl/container/inlined_vector.h>

namespace gantry::core {

/// The number of copies that a construct may make without an allocation.
inline constexpr std::size_t kInlineTransfers = 16;

/// Copies to be made for one construct, in order. The mappings they concern are marked while they
/// are outstanding; who holds a mark has the mapping's corresponding storage and its list of
/// attached pointers to itself.
class Transfers {
public:
  enum class Direction : std::uint8_t { kToDevice, kFromDevice };

  /// A copy of [begin, begin + size) as far as `mapping` has it. `clause` is the item's, for
  /// events. Attached pointers keep their value on either side.
  void copy(Mapping& mapping, std::uintptr_t begin, std::uint64_t size, Direction direction,
            std::uint16_t clause = 0);

  /// The same for every piece of `item`, all of which `mapping` has.
  void copy(Mapping& mapping, const MapItem& item, Direction direction);

  /// The first value of a private copy.
  void initialise(std::uintptr_t device_address, const void* original, std::uint64_t size);

  /// Makes the pointer at `device_slot`, which is the corresponding pointer of `host_slot`, have
  /// `value`. What is left of its `size` is as on the host: a descriptor's extents.
  void point(std::uintptr_t device_slot, std::uintptr_t host_slot, std::uint64_t size,
             std::uintptr_t value);

  /// Calls `visit` with the mapping, the host address and the size of every piece that is copied of
  /// one; attached pointers are in them.
  template <typename Visitor>
  void for_each_piece(Visitor visit) const {
    for (const Transfer& transfer : transfers_) {
      for (std::uint64_t i = 0; transfer.mapping != nullptr && i < transfer.pieces; ++i) {
        visit(*transfer.mapping, transfer.host + i * transfer.stride, transfer.size);
      }
    }
  }

  [[nodiscard]] bool empty() const { return transfers_.empty() && pointers_.empty(); }

  /// Puts the copies, then the pointers, into the queue; `wait` says whether the queue is waited
  /// for behind them. A failure does not keep the others from being made; the first one is the
  /// answer. No lock is held.
  [[nodiscard]] Status run(Queue& queue, Queue::Wait wait) const;
  /// The copies of `mapping` before the others: run() leaves them out then. No lock is held.
  [[nodiscard]] Status run_of(const Mapping& mapping, Queue& queue);

private:
  struct Transfer {
    Mapping* mapping; ///< null for a private copy
    std::uintptr_t host;
    std::uintptr_t device; ///< of a private copy
    std::uint64_t size;
    Direction direction;
    std::uint16_t clause = 0;
    std::uint64_t pieces = 1; ///< one every `stride` bytes
    std::uint64_t stride = 0;
    bool done = false; ///< by run_of()
  };
  struct Pointer {
    std::uintptr_t device_slot;
    std::uintptr_t host_slot;
    std::uint64_t size;
    std::uintptr_t value;
  };

  static Status run(Queue& queue, const Transfer& transfer, Queue::Wait wait = Queue::Wait::kLater);
  static Status run(Queue& queue, const Pointer& pointer);

  absl::InlinedVector<Transfer, kInlineTransfers> transfers_;
  absl::InlinedVector<Pointer, kInlineTransfers> pointers_;
};

} // namespace gantry::core
