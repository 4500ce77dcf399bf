// The device data environment's table: which host storage has corresponding storage on one device,
// where it is and how often it is referenced (OpenMP 5.2, section 5.8; [5.2:152]).
//
// Entries never overlap in host storage. They stay where they are until erased, so a Mapping* is
// good for as long as its entry is in the table. The table is not thread-safe: its user holds the
// lock of the device data environment. Erased entries are kept for reuse, so that a construct which
// maps and unmaps in a loop allocates nothing.
#pragma once

#include "runtime/core/data/copied_values.h"
#include "runtime/core/data/extent_index.h"
#include "runtime/core/data/pool.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace gantry::core {

/// A pointer in corresponding storage that was made to point to corresponding storage
/// (OpenMP 5.2, section 5.8.3, "attached pointer"). Copies in either direction leave it alone.
struct AttachedPointer {
  std::uintptr_t host_slot; ///< address of the original pointer
  std::uint64_t size;       ///< bytes of the pointer, more than 8 for a descriptor
  std::uintptr_t pointee;   ///< what the original pointer points to
  std::uintptr_t value;     ///< what the device's pointer points to
};

/// What all mappings have.
struct alignas(64) MappingFacts {
  static constexpr std::uint64_t kInfinite = ~std::uint64_t{0};

  // What every construct reads is in one line of the cache.

  std::uintptr_t host_begin = 0;
  std::uintptr_t host_end = 0;
  /// The corresponding storage of host_begin.
  std::uintptr_t device_begin = 0;
  /// Reference count of the standard; kInfinite for declare target variables and associated
  /// pointers.
  std::uint64_t references = 0;
  /// References of ompx_hold.
  std::uint64_t holds = 0;
  /// Number of the enter call that made the entry: storage is "new" throughout that call.
  std::uint64_t created_by = 0;
  /// Number of the enter or exit call that has counted items with MapItem::once.
  std::uint64_t counted_by = 0;
  /// A construct copies to or from the corresponding storage, without the lock; others wait.
  bool marked = false;
  /// It has no corresponding storage yet: the construct that made the entry is about to allocate
  /// it, and has it marked.
  bool pending = false;
  /// Made for a member that no item of its whole covers: then members hold references themselves.
  bool made_for_member = false;
  /// A declare target variable, not an association that a program made.
  bool declared = false;
  /// A declare target variable by which the device's code uses a link variable.
  bool link_pointer = false;
  /// The original storage cannot be written, so nothing is copied back.
  bool read_only = false;
  /// So many of the references are of target regions at work.
  std::uint32_t of_regions = 0;

  /// Number of the exit call that is removing the entry, so that it is removed once.
  std::uint64_t removed_by = 0;
  /// Where the variable begins that the storage is part of; at most host_begin.
  std::uintptr_t host_base = 0;
  /// What has to be freed with the entry; null if the storage is not the table's own.
  void* allocation = nullptr;
  /// For messages: the compiler's map name and the position of the construct that mapped it, in the
  /// module's own memory, or in `kept`.
  const char* name = nullptr;
  const char* mapped_at = nullptr;
};

/// One present piece of host storage.
struct Mapping : MappingFacts {
  /// Copies of the two strings when their module is gone.
  struct KeptStrings {
    std::string name;
    std::string mapped_at;
  };
  std::unique_ptr<KeptStrings> kept;
  /// GANTRY_CHECK=map: what both copies were when they were last the same; null: they never were.
  std::unique_ptr<CopiedValues> copied_values;
  std::vector<AttachedPointer> attached;

  [[nodiscard]] std::uint64_t size() const { return host_end - host_begin; }
  [[nodiscard]] bool infinite() const { return references == kInfinite; }
  [[nodiscard]] bool referenced() const { return references != 0 || holds != 0; }
  /// The corresponding address of a host address relative to this storage.
  [[nodiscard]] std::uintptr_t device_address(std::uintptr_t host) const {
    return device_begin + (host - host_begin);
  }
  /// Notes an attached pointer; they are kept in order of address, one for each address.
  void attach(const AttachedPointer& pointer);
  /// The attached pointer at a host address; null if there is none.
  [[nodiscard]] const AttachedPointer* attached_at(std::uintptr_t host_slot) const;
  /// True if the pointer at a host address is attached to what the host's points to.
  [[nodiscard]] bool has_attached(std::uintptr_t host_slot, std::uintptr_t pointee) const {
    const AttachedPointer* const pointer = attached_at(host_slot);
    return pointer != nullptr && pointer->pointee == pointee;
  }
  /// True if the corresponding storage is the original storage.
  [[nodiscard]] bool shared() const { return device_begin == host_begin; }
  /// True if a copy to the device, or back, is one: not onto itself, and nothing back to constants.
  [[nodiscard]] bool is_copied(bool to_device) const {
    return !shared() && (to_device || !read_only);
  }
};

enum class Presence : std::uint8_t { kAbsent, kPresent, kPartial };

/// What the items of a construct were found in when it was executed last: most times they are
/// again.
using FoundLast = std::vector<Mapping*>;

/// What a look-up finds: the entry for kPresent, the first one overlapped for kPartial.
struct Lookup {
  Presence presence = Presence::kAbsent;
  Mapping* mapping = nullptr;
};

class MappingTable {
public:
  MappingTable() = default;
  MappingTable(const MappingTable&) = delete;
  MappingTable& operator=(const MappingTable&) = delete;

  /// Whether [begin, begin + size) is present. A size of 0 asks for the address: present in an
  /// entry, or in the stretch between an entry's base and its first mapped byte (which is how a
  /// pointer is found of whose array only a part is mapped).
  [[nodiscard]] Lookup find(std::uintptr_t begin, std::uint64_t size);

  /// `guess`, an entry of this table at some time or null, if it is one now and has all of
  /// [begin, begin + size); else null.
  [[nodiscard]] static Mapping* confirm(Mapping* guess, std::uintptr_t begin, std::uint64_t size) {
    // What is not in the table has no bytes.
    return guess != nullptr && begin >= guess->host_begin && begin < guess->host_end &&
                   size <= guess->host_end - begin
               ? guess
               : nullptr;
  }

  /// Adds an entry for host storage that overlaps none; the caller fills in what the key does not.
  /// `device_begin` is where its corresponding storage is, 0 if that is separate and to be made.
  Mapping& insert(std::uintptr_t begin, std::uint64_t size, std::uintptr_t device_begin = 0);

  void erase(Mapping& mapping);

  /// Copies the strings that entries hold inside [begin, end), which is about to be unmapped.
  void intern_strings(std::uintptr_t begin, std::uintptr_t end);

  /// Calls `visit` for every entry in order of host address.
  void for_each(const std::function<void(Mapping&)>& visit) const;

  [[nodiscard]] std::size_t size() const { return index_.size(); }

  /// The number of entries whose corresponding storage is not the original storage.
  [[nodiscard]] std::size_t separate() const { return separate_; }

  /// What does not hold of what must hold between two calls, or null: for tests.
  [[nodiscard]] const char* broken_invariant() const;

  /// The numbers that Mapping::created_by and removed_by hold.
  std::uint64_t next_call() { return ++last_call_; }

private:
  /// After a change; where GANTRY_CHECKED is defined.
  void check_invariants();

  ExtentIndex index_;
  Pool<Mapping> mappings_;
  std::size_t separate_ = 0;
  std::uint64_t last_call_ = 0;
  [[maybe_unused]] std::uint64_t changes_ = 0; ///< counted by check_invariants()
};

} // namespace gantry::core
