#include "runtime/abi/clang/decode.h"

namespace gantry::abi::clang {

namespace {

core::MapKind kind_of(std::uint64_t type) {
  const bool pointee = (type & kPointerAndObject) != 0;
  if ((type & kLiteral) != 0) {
    return pointee ? core::MapKind::kPrivatePointer : core::MapKind::kValue;
  }
  if ((type & kPrivate) != 0) {
    return core::MapKind::kPrivate;
  }
  if ((type & kAttach) != 0) {
    return core::MapKind::kAttachment;
  }
  return pointee ? core::MapKind::kPointee : core::MapKind::kStorage;
}

} // namespace

Status decode_entry(void* base, void* begin, std::int64_t size, std::uint64_t type, void* name,
                    std::size_t list_begin, MapItems& items) {
  core::MapItem item;
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
  item.hold = (type & kHold) != 0;
  item.implicit = (type & kImplicit) != 0;
  item.argument = (type & kTargetParameter) != 0;
  item.returns_base = (type & kReturnParameter) != 0;
  const std::uint64_t parent = type >> kMemberOfShift;
  item.member = parent != 0;
  if (item.kind == core::MapKind::kPrivatePointer) {
    const std::size_t index = list_begin + parent - 1;
    if (parent == 0 || index >= items.size() || items[index].kind != core::MapKind::kPrivate) {
      return fail("map entry {} of type {:#x} names no private object before it",
                  items.size() - list_begin, type);
    }
    item.parent = static_cast<std::uint32_t>(index);
  }
  if ((type & kNonContiguous) != 0) {
    expand_noncontiguous(item, begin, item.size, items);
  } else {
    items.push_back(item);
  }
  return {};
}

Status decode_maps(const MapArrays& arrays, MapItems& items) {
  const std::size_t list_begin = items.size();
  for (std::uint32_t i = 0; i < arrays.count; ++i) {
    const auto type = static_cast<std::uint64_t>(arrays.types[i]);
    void* name = arrays.names == nullptr ? nullptr : arrays.names[i];
    void* mapper = arrays.mappers == nullptr ? nullptr : arrays.mappers[i];
    Status status = mapper == nullptr
                        ? decode_entry(arrays.bases[i], arrays.begins[i], arrays.sizes[i], type,
                                       name, list_begin, items)
                        : expand_mapper(reinterpret_cast<MapperFunction>(mapper), arrays.bases[i],
                                        arrays.begins[i], arrays.sizes[i], type, name, items);
    if (!status) {
      return status;
    }
  }
  return {};
}

} // namespace gantry::abi::clang
