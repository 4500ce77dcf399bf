// What a construct has found out about its items and decided to do while it held the lock of the
// data environment, so that copies can be made without it.
#pragma once

#include "runtime/core/data/map_item.h"
#include "runtime/core/data/mapping_table.h"
#include "runtime/core/data/marks.h"
#include "runtime/core/data/transfers.h"
#include "runtime/core/events/events.h"
#include "runtime/core/queues/queue.h"

#include <algorithm>
#include <optional>

#include <absl/container/inlined_vector.h>

namespace gantry::core {

using Mappings = absl::InlinedVector<Mapping*, kInlineItems>;

struct ConstructWork {
  /// With the lock of `guarded`.
  enum class Of : std::uint8_t { kOther, kRegion };
  ConstructWork(GuardedTable& guarded, Queue& of_construct, Of kind = Of::kOther,
                FoundLast* before = nullptr)
      : marks(guarded.marks), queue(of_construct), call(guarded.table.next_call()),
        is_region(kind == Of::kRegion), last(before) {}

  void mark(Mapping& mapping) { marks.set(mapping, marked); }

  /// Plans a copy, unless the storage is the original storage itself, or it would go to constants,
  /// which compilers map like variables.
  void transfer(Mapping& mapping, std::uintptr_t begin, std::uint64_t size,
                Transfers::Direction direction, std::uint16_t clause) {
    if (size > 0 && mapping.is_copied(direction == Transfers::Direction::kToDevice)) {
      transfers.copy(mapping, begin, size, direction, clause);
      mark(mapping);
    }
  }

  [[nodiscard]] const Construct& construct() const { return queue.construct(); }

  /// Notes what is to be told when the lock is given up, if it is wanted.
  void note(PresenceChange::What what, const Mapping& mapping, const char* name,
            std::uintptr_t begin, std::uint64_t size, std::uint16_t clause = 0) {
    if (construct().tells(Event::kPresence)) [[unlikely]] {
      add_change(what, mapping, name, begin, size, clause);
    }
  }
  /// Tells of what was noted. Without the lock.
  void tell_changes() {
    if (!changes.empty()) [[unlikely]] {
      tell_noted();
    }
  }

  Marks& marks;
  Queue& queue;
  /// Numbers the enter and exit calls of a data environment: storage made by this one is new.
  std::uint64_t call;
  bool is_region; ///< a target region's begin or end
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
    std::uint16_t clause = 0; ///< of the item that it was made for
    PluginDevice::Place place = {};
    bool read_only = false; ///< a constant of the program
  };
  absl::InlinedVector<Created, kInlineTransfers> created;
  std::size_t mapped = 0; ///< so many of them have their storage, and it is told
  [[nodiscard]] bool is_mapped(const Mapping& mapping) const {
    return std::any_of(created.begin(), created.begin() + static_cast<std::ptrdiff_t>(mapped),
                       [&](const Created& made) { return made.mapping == &mapping; });
  }
  /// The mappings that this construct has marked.
  Marks::Mine marked;

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

  /// What has changed and is not told yet; without an allocation for the few of most constructs.
  absl::InlinedVector<PresenceChange, 2> changes;

private:
  void add_change(PresenceChange::What what, const Mapping& mapping, const char* name,
                  std::uintptr_t begin, std::uint64_t size, std::uint16_t clause);
  void tell_noted();
};

} // namespace gantry::core
