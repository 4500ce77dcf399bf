#include "runtime/abi/clang/decode.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace gantry::abi::clang {

namespace {

core::MapKind kind_of(std::uint64_t type) {
  const bool pointee = (type & kPointerAndObject) != 0;
  if ((type & kLiteral) != 0) {
    return pointee ? core::MapKind::kCapture : core::MapKind::kValue;
  }
  if ((type & kPrivate) != 0) {
    return core::MapKind::kPrivate;
  }
  if ((type & kAttach) != 0) {
    return core::MapKind::kAttachment;
  }
  return pointee ? core::MapKind::kPointee : core::MapKind::kStorage;
}

/// The object, private or mapped, that a pointer at `address` is in. It is the parent that the
/// entry's type numbers, but by entries, and an entry with a mapper stands for any number of items.
std::optional<std::uint32_t> object_around(const std::byte* address, std::size_t list_begin,
                                           const MapItems& items) {
  for (std::size_t i = items.size() - 1; i > list_begin; --i) {
    const core::MapItem& item = items[i - 1];
    const auto offset =
        reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(item.begin);
    const bool is_object =
        item.kind == core::MapKind::kPrivate || item.kind == core::MapKind::kStorage;
    if (is_object && offset < item.size && sizeof(void*) <= item.size - offset) {
      return static_cast<std::uint32_t>(i - 1);
    }
  }
  return std::nullopt;
}

/// Enlarges the entry of a struct so that it has the storage of a member that comes after it. Works
/// around Clang 19 and 22, which give the struct too few bytes where members of its members, or of
/// its base classes, are list items too; it may go when no supported Clang does.
void enlarge_struct(const core::MapItem& member, std::size_t list_begin, MapItems& items) {
  for (std::size_t i = items.size() - 1; i > list_begin; --i) {
    core::MapItem& item = items[i - 1];
    if (!item.member && item.kind == core::MapKind::kStorage) {
      if (item.base == member.base) {
        std::byte* const end = std::max(item.begin + item.size, member.begin + member.size);
        item.begin = std::min(item.begin, member.begin);
        item.size = static_cast<std::uint64_t>(end - item.begin);
      }
      return;
    }
  }
}

} // namespace

Status decode_entry(void* base, void* begin, std::int64_t size, std::uint64_t type, void* name,
                    std::size_t list_begin, MapItems& items) {
  // In its place: a copy would wait for the writes of its parts.
  core::MapItem& item = items.emplace_back();
  item.base = static_cast<std::byte*>(base);
  item.begin = static_cast<std::byte*>(begin);
  item.size = static_cast<std::uint64_t>(size);
  item.name = static_cast<const char*>(name);
  item.kind = kind_of(type);
  item.to = (type & kTo) != 0;
  item.from = (type & kFrom) != 0;
  item.always = (type & kAlways) != 0;
  item.remove = (type & kDelete) != 0;
  item.present = (type & kPresent) != 0;
  item.close = (type & kClose) != 0;
  item.hold = (type & kHold) != 0;
  item.implicit = (type & kImplicit) != 0;
  item.argument = (type & kTargetParameter) != 0;
  item.member = type >> kMemberOfShift != 0;
  if (item.kind == core::MapKind::kCapture) {
    const auto parent = object_around(item.base, list_begin, items);
    if (!parent) {
      return fail("map entry {} of type {:#x} is a pointer in no object before it",
                  items.size() - 1 - list_begin, type);
    }
    item.parent = *parent;
    if (begin == base) {
      // A captured `this`, which Clang 19 and 22 give as the place where it stands.
      std::memcpy(&item.begin, base, sizeof item.begin);
    }
  }
  if ((type & kNonContiguous) != 0) {
    const core::MapItem whole = item;
    items.pop_back();
    return expand_noncontiguous(whole, begin, whole.size, items);
  }
  if (item.member && item.kind == core::MapKind::kStorage) {
    enlarge_struct(item, list_begin, items);
  }
  return {};
}

Status decode_maps(const MapArrays& arrays, MapItems& items) {
  const std::size_t list_begin = items.size();
  for (std::uint32_t i = 0; i < arrays.count; ++i) {
    const auto type = static_cast<std::uint64_t>(arrays.types[i]);
    void* name = arrays.names == nullptr ? nullptr : arrays.names[i];
    void* mapper = arrays.mappers == nullptr ? nullptr : arrays.mappers[i];
    const std::size_t first = items.size();
    GANTRY_TRY(mapper == nullptr
                   ? decode_entry(arrays.bases[i], arrays.begins[i], arrays.sizes[i], type, name,
                                  list_begin, items)
                   : expand_mapper(reinterpret_cast<MapperFunction>(mapper), arrays.bases[i],
                                   arrays.begins[i], arrays.sizes[i], type, name, items));
    // Compiled code reads the corresponding base from where it put the base.
    if ((type & kReturnParameter) != 0 && items.size() > first) {
      items[first].returned_base = &arrays.bases[i];
    }
  }
  return {};
}

} // namespace gantry::abi::clang
