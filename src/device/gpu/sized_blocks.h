// Blocks of the device's heap that know where they begin and how large they are, because the
// driver's heap can neither align nor resize a block.
#pragma once

#include "device/gpu/heap.h"

namespace gantry::device::sized_blocks {

/// In front of each block: what malloc gave, and the bytes asked for.
struct alignas(16) Header {
  void* block;
  size_t size;
};

/// Of every block, as malloc aligns them.
inline constexpr size_t kAlignment = 16;

inline Header& header_of(void* place) {
  return static_cast<Header*>(place)[-1];
}

/// Null if the alignment is no power of two, or the heap has no more.
inline void* take(size_t alignment, size_t size) {
  const size_t aligned = alignment > kAlignment ? alignment : kAlignment;
  const bool valid = alignment != 0 && (alignment & (alignment - 1)) == 0;
  if (!valid || size > ~size_t{0} - aligned - sizeof(Header)) {
    return nullptr;
  }
  void* const block = malloc(size + aligned + sizeof(Header));
  if (block == nullptr) {
    return nullptr;
  }
  const size_t first = reinterpret_cast<size_t>(block) + sizeof(Header);
  void* const place = reinterpret_cast<void*>((first + aligned - 1) & ~(aligned - 1));
  header_of(place) = {block, size};
  return place;
}

/// A block for an array, filled with zeros.
inline void* take_cleared(size_t alignment, size_t count, size_t size) {
  if (size != 0 && count > ~size_t{0} / size) {
    return nullptr;
  }
  void* const place = take(alignment, count * size);
  if (place != nullptr) {
    __builtin_memset(place, 0, count * size);
  }
  return place;
}

inline void give_back(void* place) {
  if (place != nullptr) {
    free(header_of(place).block);
  }
}

/// A block of the new size with the contents of `place`, which is given back; `place` stays if the
/// heap has no more. Size 0 only gives back.
inline void* resize(void* place, size_t alignment, size_t size) {
  void* const moved = place != nullptr && size == 0 ? nullptr : take(alignment, size);
  if (place != nullptr && (moved != nullptr || size == 0)) {
    const size_t before = header_of(place).size;
    if (moved != nullptr) {
      __builtin_memcpy(moved, place, before < size ? before : size);
    }
    give_back(place);
  }
  return moved;
}

} // namespace gantry::device::sized_blocks
