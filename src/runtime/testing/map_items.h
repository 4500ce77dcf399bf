// Map items as tests write them: `tofrom(array)`, `release(x)`, with modifiers set on the result.
#pragma once

#include "runtime/core/data/map_item.h"

#include <cstddef>

namespace gantry::core::testing {

template <typename T>
std::byte* bytes_of(T& object) {
  return const_cast<std::byte*>(reinterpret_cast<const std::byte*>(&object));
}

/// An item of map type alloc or release for the whole of `object`.
template <typename T>
MapItem alloc(T& object) {
  MapItem item;
  item.base = item.begin = bytes_of(object);
  item.size = sizeof object;
  item.argument = true;
  return item;
}

template <typename T>
MapItem release(T& object) {
  return alloc(object);
}

template <typename T>
MapItem to(T& object) {
  MapItem item = alloc(object);
  item.to = true;
  return item;
}

template <typename T>
MapItem from(T& object) {
  MapItem item = alloc(object);
  item.from = true;
  return item;
}

template <typename T>
MapItem tofrom(T& object) {
  MapItem item = to(object);
  item.from = true;
  return item;
}

/// Map type delete.
template <typename T>
MapItem remove(T& object) {
  MapItem item = alloc(object);
  item.remove = true;
  return item;
}

/// `count` elements of `array` from `first` on.
template <typename T, std::size_t N>
MapItem section(T (&array)[N], std::size_t first, std::size_t count) {
  MapItem item = alloc(array);
  item.begin = bytes_of(array[first]);
  item.size = count * sizeof(T);
  return item;
}

/// A pointer variable and the storage it points to, as Clang 14 to 19 map p[0:n].
template <typename T>
MapItem pointee(T*& pointer, std::size_t count) {
  MapItem item;
  item.kind = MapKind::kPointee;
  item.base = bytes_of(pointer);
  item.begin = reinterpret_cast<std::byte*>(pointer);
  item.size = count * sizeof(T);
  item.to = item.from = item.argument = true;
  return item;
}

/// The attachment of a pointer, as Clang 22 maps p[0:n] beside the storage itself.
template <typename T>
MapItem attachment(T*& pointer) {
  MapItem item;
  item.kind = MapKind::kAttachment;
  item.base = bytes_of(pointer);
  item.begin = reinterpret_cast<std::byte*>(pointer);
  item.size = sizeof pointer;
  return item;
}

/// A value that is handed over as it is.
inline MapItem value(std::uintptr_t bits) {
  MapItem item;
  item.kind = MapKind::kValue;
  item.base = reinterpret_cast<std::byte*>(bits);
  item.argument = true;
  return item;
}

} // namespace gantry::core::testing
