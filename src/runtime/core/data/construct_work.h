// What a construct has found out about its items and decided to do while it held the lock of the
// data environment, so that copies can be made without it.
#pragma once

#include "base/result.h"
#include "runtime/core/reports/diagnostics.h"
#include "runtime/core/data/map_item.h"
#include "runtime/core/data/mapping_table.h"
#include "runtime/core/devices/plugin.h"
#include "runtime/core/queues/queue.h"

#include <optional>
#include <span>

#include <absl/container/inlined_vector.h>

namespace gantry::core {

/// The number of items that a construct may have without an allocation.
inline constexpr std::size_t kInlineItems = 64;
/// The same for what is copied.
inline constexpr std::size_t kInlineTransfers = 16;

using MapItems = absl::InlinedVector<MapItem, kInlineItems>;

/// The values of a kernel's parameters.
using KernelArguments = absl::InlinedVector<void*, kInlineItems + 1>;

/// How the values of a construct's items reach its kernel.
enum class ParameterForm : std::uint8_t {
  kValues, ///< each as a parameter
  kBlock,  ///< one parameter: the address of an array of them on the device, null if there are none
};

/// Where the values of a kernel's parameters, if it takes them as a block, and the private copies
/// of its items lie, in one piece.
struct PrivateLayout {
  PrivateLayout(std::span<const MapItem> items, ParameterForm form);

  bool block;
  std::size_t values = 0; ///< parameters
  std::uint64_t size = 0; ///< bytes of all of it
  /// Of each item's private copy; empty if there is none.
  absl::InlinedVector<std::uint64_t, kInlineItems> offsets;
};

using Mappings = absl::InlinedVector<Mapping*, kInlineItems>;

/// Copies to be made for one construct, in order. The mappings they concern are marked while they
/// are outstanding; who holds a mark has the mapping's corresponding storage and its list of
/// attached pointers to itself.
class Transfers {
public:
  enum class Direction : std::uint8_t { kToDevice, kFromDevice };

  /// A copy of [begin, begin + size) as far as `mapping` has it. Attached pointers keep their value
  /// on either side.
  void copy(Mapping& mapping, std::uintptr_t begin, std::uint64_t size, Direction direction);

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
  [[nodiscard]] Status run(Queue& queue, const Construct& construct, Queue::Wait wait) const;

private:
  struct Transfer {
    Mapping* mapping; ///< null for a private copy
    std::uintptr_t host;
    std::uintptr_t device; ///< of a private copy
    std::uint64_t size;
    Direction direction;
    std::uint64_t pieces = 1; ///< one every `stride` bytes
    std::uint64_t stride = 0;
  };
  struct Pointer {
    std::uintptr_t device_slot;
    std::uintptr_t host_slot;
    std::uint64_t size;
    std::uintptr_t value;
  };

  static Status run(Queue& queue, const Construct& construct, const Transfer& transfer,
                    Queue::Wait wait = Queue::Wait::kLater);
  static Status run(Queue& queue, const Construct& construct, const Pointer& pointer);

  absl::InlinedVector<Transfer, kInlineTransfers> transfers_;
  absl::InlinedVector<Pointer, kInlineTransfers> pointers_;
};

struct ConstructWork {
  ConstructWork(const Construct& at, Queue& of_construct, std::uint64_t number,
                FoundLast* before = nullptr)
      : construct(at), queue(of_construct), call(number), last(before) {}

  const Construct& construct;
  Queue& queue;
  /// Numbers the enter and exit calls of a data environment: storage made by this one is new.
  std::uint64_t call;
  /// For each item the mapping that held it when the construct was executed last; may be null, and
  /// of another length.
  FoundLast* last;
  /// For each item the mapping that holds it, or null.
  Mappings found;
  Transfers transfers;
  /// The items that attach a pointer, by the pointer's address; once they were asked for.
  std::optional<absl::InlinedVector<const MapItem*, kInlineTransfers>> attaching;
  /// The mappings that this construct has made. Those that are pending are to be allocated at
  /// `offset` more than a multiple of `alignment`.
  struct Created {
    Mapping* mapping;
    std::uint64_t alignment;
    std::uint64_t offset;
    PluginDevice::Place place;
    bool read_only; ///< a constant of the program
  };
  absl::InlinedVector<Created, kInlineTransfers> created;
  /// The mappings that this construct has marked.
  absl::InlinedVector<Mapping*, kInlineTransfers> marked;

  /// The references that enter made, for the case that it fails.
  struct Reference {
    Mapping* mapping;
    std::uint64_t created_by; ///< of the mapping, which may be another one's by then
    bool hold;
  };
  absl::InlinedVector<Reference, kInlineItems> references;
  /// The pointers that are attached when the transfers are done.
  struct Attachment {
    Mapping* mapping;
    AttachedPointer pointer;
  };
  absl::InlinedVector<Attachment, kInlineTransfers> attachments;

  /// The mappings that exit takes off the device.
  Mappings gone;
};

} // namespace gantry::core
