// Memory that the program asks for on the device: of its heap, whichever memory space an allocator
// is of (OpenMP 5.2, section 18.13).
#include "device/gpu/sized_blocks.h"

namespace gantry::device {
namespace {

constexpr uint64_t kDefaultAllocator = 1;
/// Allocators made by omp_init_allocator: from this handle on, one for each power of two that they
/// align to. Of their other traits none makes a difference here.
constexpr uint64_t kFirstOwnAllocator = 64;

/// omp_alloctrait_t.
struct Trait {
  int32_t key;
  uint64_t value;
};
constexpr int32_t kAlignmentTrait = 2;

/// Null for blocks of no bytes, as OpenMP has it.
void* take(uint64_t alignment, uint64_t size) {
  return size == 0 ? nullptr : sized_blocks::take(alignment, size);
}

void* take_cleared(uint64_t alignment, uint64_t count, uint64_t size) {
  return count == 0 || size == 0 ? nullptr : sized_blocks::take_cleared(alignment, count, size);
}

uint64_t alignment_of(uint64_t allocator) {
  return allocator < kFirstOwnAllocator ? sized_blocks::kAlignment
                                        : uint64_t{1} << (allocator - kFirstOwnAllocator);
}

uint64_t larger(uint64_t left, uint64_t right) {
  return left > right ? left : right;
}

} // namespace

extern "C" {

void* omp_alloc(uint64_t size, uint64_t allocator) {
  return take(alignment_of(allocator), size);
}
void* omp_aligned_alloc(uint64_t alignment, uint64_t size, uint64_t allocator) {
  return take(larger(alignment, alignment_of(allocator)), size);
}
void* omp_calloc(uint64_t count, uint64_t size, uint64_t allocator) {
  return take_cleared(alignment_of(allocator), count, size);
}
void* omp_aligned_calloc(uint64_t alignment, uint64_t count, uint64_t size, uint64_t allocator) {
  return take_cleared(larger(alignment, alignment_of(allocator)), count, size);
}
void omp_free(void* place, uint64_t) {
  sized_blocks::give_back(place);
}
void* omp_realloc(void* place, uint64_t size, uint64_t allocator, uint64_t) {
  return place == nullptr ? take(alignment_of(allocator), size)
                          : sized_blocks::resize(place, alignment_of(allocator), size);
}
uint64_t omp_init_allocator(uint64_t, int32_t count, const Trait* traits) {
  for (int32_t i = 0; i < count; ++i) {
    const uint64_t value = traits[i].value;
    if (traits[i].key == kAlignmentTrait && value != 0 && (value & (value - 1)) == 0) {
      return kFirstOwnAllocator + static_cast<uint64_t>(__builtin_ctzll(value));
    }
  }
  return kDefaultAllocator;
}
void omp_destroy_allocator(uint64_t) {}
void omp_set_default_allocator(uint64_t) {}
GANTRY_ANSWER(uint64_t, omp_get_default_allocator, (), kDefaultAllocator)

void* __kmpc_alloc(int32_t, uint64_t size, uint64_t) {
  return take(sized_blocks::kAlignment, size);
}
void __kmpc_free(int32_t, void* place, uint64_t) {
  sized_blocks::give_back(place);
}

/// Memory of this device, from device code.
void* omp_target_alloc(size_t size, int32_t) {
  return take(sized_blocks::kAlignment, size);
}
void omp_target_free(void* place, int32_t) {
  sized_blocks::give_back(place);
}
GANTRY_ANSWER(int32_t, omp_target_is_present, (const void*, int32_t), 0)
GANTRY_ANSWER(void*, omp_get_mapped_ptr, (const void*, int32_t), nullptr)

} // extern "C"

} // namespace gantry::device
