// The heap for programs that ask for its blocks to be resized or aligned. The driver's cannot do
// that and does not say how large a block is. Where code of an image uses realloc or aligned_alloc,
// the linker wrapper gives all its heap functions these names (src/link/sized_heap.h).
#include "heap.h"
#include "standard_library.h"

namespace gantry::device {

namespace {

/// In front of what is handed out: where the block begins, and the bytes asked for.
struct alignas(16) Header {
  void* block;
  size_t size;
};

constexpr size_t kAlignment = 16;

Header& header_of(void* place) {
  return static_cast<Header*>(place)[-1];
}

void* take(size_t alignment, size_t size) {
  const size_t more = alignment + sizeof(Header);
  if (alignment == 0 || (alignment & (alignment - 1)) != 0 || size > ~size_t{0} - more) {
    return nullptr;
  }
  void* const block = malloc(size + more);
  if (block == nullptr) {
    return nullptr;
  }
  const size_t first = reinterpret_cast<size_t>(block) + sizeof(Header);
  void* const place = reinterpret_cast<void*>((first + alignment - 1) & ~(alignment - 1));
  header_of(place) = {block, size};
  return place;
}

} // namespace

extern "C" {

void* __gantry_sized_malloc(size_t size) {
  return take(kAlignment, size);
}

void __gantry_sized_free(void* place) {
  if (place != nullptr) {
    free(header_of(place).block);
  }
}

void* __gantry_sized_calloc(size_t count, size_t size) {
  if (size != 0 && count > ~size_t{0} / size) {
    return nullptr;
  }
  void* const place = take(kAlignment, count * size);
  if (place != nullptr) {
    __builtin_memset(place, 0, count * size);
  }
  return place;
}

void* __gantry_sized_realloc(void* place, size_t size) {
  if (place != nullptr && size == 0) {
    __gantry_sized_free(place);
    return nullptr;
  }
  void* const moved = take(kAlignment, size);
  if (place != nullptr && moved != nullptr) {
    const size_t before = header_of(place).size;
    __builtin_memcpy(moved, place, before < size ? before : size);
    __gantry_sized_free(place);
  }
  return moved;
}

void* __gantry_sized_aligned_alloc(size_t alignment, size_t size) {
  return take(alignment < kAlignment ? kAlignment : alignment, size);
}

int __gantry_sized_posix_memalign(void** place, size_t alignment, size_t size) {
  constexpr int kInvalid = 22, kNoMemory = 12; // EINVAL, ENOMEM
  if (alignment < sizeof(void*) || (alignment & (alignment - 1)) != 0) {
    return kInvalid;
  }
  void* const taken = __gantry_sized_aligned_alloc(alignment, size);
  if (taken == nullptr) {
    return kNoMemory;
  }
  *place = taken;
  return 0;
}

size_t __gantry_sized_malloc_usable_size(void* place) {
  return place == nullptr ? 0 : header_of(place).size;
}

char* __gantry_sized_strndup(const char* text, size_t count) {
  size_t length = 0;
  while (length < count && text[length] != '\0') {
    ++length;
  }
  auto* const copy = static_cast<char*>(take(kAlignment, length + 1));
  if (copy != nullptr) {
    __builtin_memcpy(copy, text, length);
    copy[length] = '\0';
  }
  return copy;
}

char* __gantry_sized_strdup(const char* text) {
  return __gantry_sized_strndup(text, ~size_t{0});
}

} // extern "C"

} // namespace gantry::device
