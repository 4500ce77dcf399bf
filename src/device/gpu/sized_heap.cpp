// The heap for programs that ask for its blocks to be resized or aligned. The driver's cannot do
// that and does not say how large a block is. Where code of an image uses realloc or aligned_alloc,
// the linker wrapper gives all its heap functions these names (src/link/sized_heap.h).
#include "device/gpu/sized_blocks.h"
#include "device/gpu/standard_library.h"

namespace gantry::device {

using namespace sized_blocks;

extern "C" {

void* __gantry_sized_malloc(size_t size) {
  return take(kAlignment, size);
}

void __gantry_sized_free(void* place) {
  give_back(place);
}

void* __gantry_sized_calloc(size_t count, size_t size) {
  return take_cleared(kAlignment, count, size);
}

void* __gantry_sized_realloc(void* place, size_t size) {
  return resize(place, kAlignment, size);
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
  const size_t length = strnlen(text, count);
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
