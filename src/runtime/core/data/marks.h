// A device data environment's table with what protects it: a lock for short steps, and marks for
// long ones.
//
// A construct marks the mappings to or from which it copies, or that it makes, and then lets go of
// the lock: until it takes the mark off, the corresponding storage and the list of attached
// pointers are its own. Others wait for the marks on what their items concern before they begin,
// and hold none meanwhile, so constructs cannot wait for each other in a circle.
#pragma once

#include "runtime/core/data/map_item.h"
#include "runtime/core/data/mapping_table.h"
#include "runtime/core/host/lock.h"

#include <cstddef>
#include <span>
#include <vector>

#include <absl/container/inlined_vector.h>

namespace gantry::core {

/// All functions with the lock held.
class Marks {
public:
  /// Mappings that one construct has marked.
  using Mine = absl::InlinedVector<Mapping*, 16>;

  Marks() = default;
  Marks(const Marks&) = delete;
  Marks& operator=(const Marks&) = delete;

  /// Marks a mapping, unless it is marked: `mine` are the construct's, which has waited for others.
  void set(Mapping& mapping, Mine& mine) {
    if (!mapping.marked) {
      mapping.marked = true;
      ++count_;
      mine.push_back(&mapping);
    }
  }

  /// Takes off the marks of a construct, but for the first `kept`.
  void take_off(Mine& mine, std::size_t kept = 0) {
    if (mine.size() > kept) {
      take_all_off(mine, kept);
    }
  }

  /// Waits until some construct takes marks off.
  void wait(Lock& lock);

  /// Waits, without the lock, while a construct has marked what the items concern.
  void settle(Lock& lock, MappingTable& table, Items items);

  /// True if nothing is marked and nobody waits: for tests.
  [[nodiscard]] bool idle() const { return count_ == 0 && waiting_ == 0; }

private:
  void take_all_off(Mine& mine, std::size_t kept);

  Condition taken_off_;
  int count_ = 0;
  int waiting_ = 0;
};

/// What the parts of a device data environment have in common.
struct GuardedTable {
  Mutex mutex{LockRank::kDataEnvironment};
  MappingTable table;
  Marks marks;
};

/// Whether `predicate` is true of some mapping that the items concern: the copies of a construct
/// with these items, or its pointers, may be in it.
template <typename Predicate>
bool any_concerned(MappingTable& table, Items items, Predicate predicate) {
  const auto number = [](const std::byte* pointer) {
    return reinterpret_cast<std::uintptr_t>(pointer);
  };
  const auto holds = [&](const std::byte* begin, std::uint64_t size) {
    const Lookup lookup = table.find(number(begin), size);
    return lookup.mapping != nullptr && predicate(*lookup.mapping);
  };
  const auto some_piece = [&](const MapItem& item) {
    // What lies between the pieces need not be present.
    if (item.pieces == 1 ||
        table.find(number(item.begin), item.span()).presence == Presence::kPresent) {
      return false;
    }
    const std::byte* piece = item.begin;
    for (std::uint64_t i = 0; i < item.pieces; ++i, piece += item.stride) {
      if (holds(piece, item.size)) {
        return true;
      }
    }
    return false;
  };
  for (const MapItem& item : items) {
    switch (item.kind) {
    case MapKind::kStorage:
      if (holds(item.begin, item.span()) || some_piece(item)) {
        return true;
      }
      break;
    case MapKind::kPointee:
    case MapKind::kAttachment:
    case MapKind::kCapture:
      if (holds(item.base, sizeof(void*)) ||
          holds(item.begin, item.kind == MapKind::kPointee ? item.size : 0)) {
        return true;
      }
      break;
    case MapKind::kPrivate:
    case MapKind::kValue:
      break;
    }
  }
  return false;
}

} // namespace gantry::core
