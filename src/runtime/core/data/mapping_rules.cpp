#include "runtime/core/data/mapping_rules.h"

#include "runtime/core/data/attachment.h"
#include "runtime/core/reports/text.h"

#include <algorithm>
#include <utility>

namespace gantry::core {

namespace {

/// Section 5.8.3, restrictions on the map clause: storage that is mapped in part cannot be
/// extended.
tl::unexpected<Error> partly_mapped(const MapItem& item, std::uintptr_t begin, std::uint64_t size,
                                    const Mapping& mapping) {
  return fail("mapping of {} extends past {} already mapped{}; map the whole object first",
              named_extent(item.name, begin, size),
              named_extent(mapping.name, mapping.host_begin, mapping.size()),
              at_position(mapping.mapped_at));
}

tl::unexpected<Error> not_present(const MapItem& item) {
  return fail("{} is not present on the device, as its present modifier demands; map it first, "
              "with target enter data for instance",
              named_extent(item.name, address(item.begin), item.size));
}

/// What no object can be: a null pointer with a length, or an extent that passes the last address.
Status check_extent(const MapItem& item, std::uintptr_t begin, std::uint64_t size) {
  if (size > 0 && begin == 0) {
    return fail("{} is a null pointer, of which {} bytes are named; map what it is to point to, or "
                "a length of 0",
                quoted_name(item.name), size);
  }
  if (size > ~begin) {
    return fail("{} extends past the end of the address space; is its length negative?",
                named_extent(item.name, begin, size));
  }
  return {};
}

/// An address of memory that the program allocated on the device: no original storage.
Status check_original(const MapItem& item, std::uintptr_t begin, std::uint64_t size,
                      const AllocationTable& allocations) {
  const auto allocation = allocations.holding(begin);
  if (!allocation || allocation->kind != MemoryKind::kDevice) {
    return {};
  }
  return fail("mapping of {}, which lies in device memory: the allocation {}; name the pointer in "
              "is_device_ptr or has_device_addr instead of mapping it",
              named_extent(item.name, begin, size), extent(allocation->begin, allocation->size));
}

/// The alignment that an address shows, between that of device memory and a page.
std::uintptr_t alignment_of(std::uintptr_t begin) {
  return std::clamp<std::uintptr_t>(begin & (~begin + 1), PluginDevice::kAlignment, 4096);
}

/// A pointer that the compiler mapped by itself for use in a region: it asks for translation and
/// holds no reference.
bool only_translates(const MapItem& item) {
  return item.implicit && item.size == 0;
}

bool is_part_of_item(const MapItem& item) {
  return item.member && item.kind == MapKind::kStorage;
}

/// A member's storage is counted by the item that maps the whole; a pointee's always by itself. A
/// section without length that lies before the first mapped byte is translated by the mapping and
/// no part of it.
bool counts(const MapItem& item, std::uintptr_t begin, const Mapping& mapping) {
  return (!is_part_of_item(item) || mapping.made_for_member) && !only_translates(item) &&
         (item.size > 0 || begin >= mapping.host_begin);
}

/// True if another item of the construct has counted for this one too.
bool is_counted(const MapItem& item, Mapping& mapping, std::uint64_t call) {
  return item.once && std::exchange(mapping.counted_by, call) == call;
}

std::uint64_t& count_of(Mapping& mapping, const MapItem& item) {
  return item.hold ? mapping.holds : mapping.references;
}

/// The mapping that holds item `i`, if it is the one of the last time.
Mapping* found_again(std::size_t i, const MapItem& item, const ConstructWork& work) {
  return work.last != nullptr && i < work.last->size()
             ? MappingTable::confirm((*work.last)[i], address(item.begin), item.size)
             : nullptr;
}

} // namespace

Status MappingRules::enter(Items items, ConstructWork& work) {
  bool translations = false;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const MapItem& item = items[i];
    work.found.push_back(nullptr);
    if (item.kind == MapKind::kStorage) {
      if (only_translates(item)) {
        translations = true;
        continue;
      }
      if (Mapping* const mapping = found_again(i, item, work); mapping != nullptr) {
        enter_present(*mapping, item, address(item.begin), item.size, work);
        work.found[i] = mapping;
        continue;
      }
    }
    if (item.kind == MapKind::kPointee && !item.member) {
      MapItem pointer = item;
      pointer.to = pointer.from = pointer.present = false;
      if (auto entered = enter_storage(items, pointer, address(item.base), sizeof(void*), work);
          !entered) {
        return tl::unexpected(entered.error());
      }
    }
    if (item.has_storage()) {
      auto entered = enter_storage(items, item, address(item.begin), item.size, work);
      if (!entered) {
        return tl::unexpected(entered.error());
      }
      work.found[i] = *entered;
    }
  }
  // Pointers are translated when everything is in place, whatever the order of the items.
  for (std::size_t i = 0; translations && i < items.size(); ++i) {
    const MapItem& item = items[i];
    if (item.kind == MapKind::kStorage && only_translates(item)) {
      auto entered = enter_storage(items, item, address(item.begin), item.size, work);
      if (!entered) {
        return tl::unexpected(entered.error());
      }
      work.found[i] = *entered;
    }
  }
  if (work.last != nullptr) {
    work.last->assign(work.found.begin(), work.found.end());
  }
  return {};
}

void MappingRules::attach_pointers(Items items, ConstructWork& work) {
  for (const MapItem& item : items) {
    if (item.kind == MapKind::kPointee || item.kind == MapKind::kAttachment) {
      attach(table_, item, work);
    }
  }
}

void MappingRules::enter_present(Mapping& mapping, const MapItem& item, std::uintptr_t begin,
                                 std::uint64_t size, ConstructWork& work) {
  const bool is_new = mapping.created_by == work.call;
  if (!mapping.infinite() && (counts(item, begin, mapping) || !mapping.referenced()) &&
      !is_counted(item, mapping, work.call)) {
    ++count_of(mapping, item);
    mapping.of_regions += work.is_region && !item.hold ? 1 : 0;
    work.references.emplace_back(&mapping, mapping.created_by, item.hold);
  }
  if (!is_new) {
    work.note(PresenceChange::What::kWasPresent, mapping, item.name, begin, size, item.clause());
  }
  // Section 5.8.3: a to item is copied if its corresponding storage is new, or always.
  if (item.to && (is_new || item.always)) {
    work.transfer(mapping, begin, size, Transfers::Direction::kToDevice, item.clause());
  }
}

Result<Mapping*> MappingRules::enter_storage(Items items, const MapItem& item, std::uintptr_t begin,
                                             std::uint64_t size, ConstructWork& work) {
  if (Status status = check_extent(item, begin, size); !status) {
    return tl::unexpected(status.error());
  }
  if (begin == 0) {
    return nullptr;
  }
  const Lookup lookup = table_.find(begin, size);
  Mapping* mapping = lookup.mapping;
  if (lookup.presence == Presence::kPartial && !item.implicit) {
    return partly_mapped(item, begin, size, *mapping);
  }
  if (lookup.presence == Presence::kAbsent) {
    if (item.present) {
      return not_present(item);
    }
    if (size == 0) {
      return nullptr;
    }
    auto created = create(items, item, begin, size, work);
    if (!created) {
      return created;
    }
    mapping = *created;
  }
  enter_present(*mapping, item, begin, size, work);
  return mapping;
}

Result<Mapping*> MappingRules::create(Items items, const MapItem& item, std::uintptr_t begin,
                                      std::uint64_t size, ConstructWork& work) {
  const bool is_section = item.kind == MapKind::kStorage && address(item.base) < begin;
  const bool close = item.close && !device_.shares_memory();
  const std::uintptr_t of_image = links_.empty() ? 0 : links_.storage_of(begin, size);
  const bool is_allocated =
      of_image == 0 &&
      (!unified_ || close || points_to_own_storage(table_, items, begin, size, work));
  if (is_allocated) {
    if (Status status = check_original(item, begin, size, allocations_); !status) {
      return tl::unexpected(status.error());
    }
  }
  Mapping& mapping = table_.insert(begin, size,
                                   is_allocated    ? 0
                                   : of_image != 0 ? of_image
                                                   : begin);
  mapping.host_base = is_section ? address(item.base) : begin;
  mapping.created_by = work.call;
  mapping.made_for_member = is_part_of_item(item);
  mapping.name = item.name;
  mapping.mapped_at = work.construct().location;
  mapping.pending = is_allocated;
  // The corresponding storage is aligned as the whole variable is, up to a page.
  const std::uintptr_t alignment = alignment_of(mapping.host_base);
  work.created.emplace_back(&mapping, alignment, begin % alignment, item.clause());
  return &mapping;
}

Status MappingRules::exit(Items items, ConstructWork& work) {
  // An error does not keep the other items on the device; the first one is the answer.
  Status outcome;
  const auto left = [&](Result<Mapping*> result) -> Mapping* {
    if (!result && outcome) {
      outcome = tl::unexpected(result.error());
    }
    return result.value_or(nullptr);
  };
  // Counts first, so that every item knows whether its storage goes; then copies back.
  for (std::size_t i = 0; i < items.size(); ++i) {
    const MapItem& item = items[i];
    work.found.push_back(nullptr);
    if (item.kind == MapKind::kPointee && !item.member) {
      MapItem pointer = item;
      pointer.present = false;
      left(leave(pointer, address(item.base), sizeof(void*), work));
    }
    if (Mapping* const mapping =
            item.kind == MapKind::kStorage ? found_again(i, item, work) : nullptr;
        mapping != nullptr) {
      leave_present(*mapping, item, address(item.begin), work);
      work.found[i] = mapping;
    } else if (item.has_storage()) {
      work.found[i] = left(leave(item, address(item.begin), item.size, work));
    }
  }
  for (std::size_t i = 0; i < items.size(); ++i) {
    // Section 5.8.3: a from item is copied back if its storage goes, or always.
    const MapItem& item = items[i];
    if (item.from && work.found[i] != nullptr && (item.always || !work.found[i]->referenced())) {
      work.transfer(*work.found[i], address(item.begin), item.size,
                    Transfers::Direction::kFromDevice, item.clause());
    }
  }
  return outcome;
}

Result<Mapping*> MappingRules::leave(const MapItem& item, std::uintptr_t begin, std::uint64_t size,
                                     ConstructWork& work) {
  const Lookup lookup = begin == 0 ? Lookup{} : table_.find(begin, size);
  if (lookup.presence == Presence::kAbsent) {
    // OpenMP 5.2, 5.8.3: at an exit, what is not present is ignored.
    return item.present && !only_translates(item) ? not_present(item) : Result<Mapping*>(nullptr);
  }
  Mapping& mapping = *lookup.mapping;
  if (lookup.presence == Presence::kPartial && !item.implicit) {
    return partly_mapped(item, begin, size, mapping);
  }
  leave_present(mapping, item, begin, work);
  return &mapping;
}

void MappingRules::leave_present(Mapping& mapping, const MapItem& item, std::uintptr_t begin,
                                 ConstructWork& work) {
  // Section 5.8.3: delete leaves no reference, also where the item around a member counts for it.
  const bool counted = counts(item, begin, mapping) || (item.remove && item.member);
  if (!counted || mapping.infinite()) {
    return;
  }
  std::uint64_t& count = count_of(mapping, item);
  if (item.remove || count == 0) {
    count = 0;
  } else if (!is_counted(item, mapping, work.call)) {
    --count;
  }
  if (!mapping.referenced() && mapping.removed_by != work.call) {
    mapping.removed_by = work.call;
    work.gone.push_back(&mapping);
  }
  mapping.of_regions -= work.is_region && !item.hold && mapping.of_regions > 0 ? 1 : 0;
  mapping.of_regions =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(mapping.of_regions, mapping.references));
}

Status MappingRules::update(Items items, ConstructWork& work) {
  for (const MapItem& item : items) {
    if (!item.has_storage() || item.size == 0 || (!item.to && !item.from)) {
      continue;
    }
    if (Status status = update(item, work); !status) {
      return status;
    }
  }
  return {};
}

Status MappingRules::update(const MapItem& item, ConstructWork& work) {
  const std::uintptr_t begin = address(item.begin);
  if (Status status = check_extent(item, begin, item.span()); !status) {
    return status;
  }
  const Lookup lookup = table_.find(begin, item.span());
  if (lookup.presence == Presence::kAbsent) {
    // Section 13.9: an item that is not present is left alone.
    return item.present ? not_present(item) : Status();
  }
  if (lookup.presence == Presence::kPartial) {
    if (item.pieces == 1) {
      return partly_mapped(item, begin, item.size, *lookup.mapping);
    }
    // What lies between the pieces need not be present.
    MapItem piece = item;
    piece.pieces = 1;
    for (std::uint64_t i = 0; i < item.pieces; ++i, piece.begin += item.stride) {
      if (Status status = update(piece, work); !status) {
        return status;
      }
    }
    return {};
  }
  if (table_.separate() == 0) {
    // All corresponding storage is the original storage. The mapping, which may be in no cache, is
    // not read.
    return {};
  }
  const auto direction =
      item.to ? Transfers::Direction::kToDevice : Transfers::Direction::kFromDevice;
  if (lookup.mapping->is_copied(item.to)) {
    work.transfers.copy(*lookup.mapping, item, direction);
    work.mark(*lookup.mapping);
  }
  return {};
}

} // namespace gantry::core
