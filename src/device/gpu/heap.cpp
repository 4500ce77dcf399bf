// The heap for GPUs whose driver has none: a variable of the image, which is not in its file.
//
// A block's size, with the header in front, is a power of two. Blocks that were given back wait in
// a list for each size, and new ones are cut off the rest. No thread waits for another one here, as
// lanes in lockstep must not: each change is one atomic exchange, which a thread tries again where
// another was faster, and the number of changes beside a list's head tells that the list has not
// changed meanwhile.
#include "device/gpu/heap.h"

namespace gantry::device {
namespace {

constexpr uint64_t kHeapBytes = 64 << 20;
constexpr uint32_t kSmallest = 32; ///< bytes of a block
constexpr uint32_t kSizes = 22;    ///< the last one is the whole heap
static_assert(uint64_t{kSmallest} << (kSizes - 1) == kHeapBytes);

struct alignas(16) Header {
  uint32_t size_number; ///< of kSmallest << size_number bytes
  uint32_t next;        ///< in the list: a Position
};

/// Of a block: its number of headers from the heap's beginning, plus 1; 0 is none.
using Position = uint32_t;

Header heap[kHeapBytes / sizeof(Header)];
uint64_t bytes_cut;
/// The first block's position in the low half, the number of changes in the high one.
uint64_t given_back[kSizes];

Position position_in(uint64_t head) {
  return static_cast<Position>(head);
}
uint64_t next_head(uint64_t head, Position position) {
  return ((head >> 32) + 1) << 32 | position;
}
Header& block_at(Position position) {
  return heap[position - 1];
}

bool exchange(uint64_t& word, uint64_t& expected, uint64_t desired) {
  return __atomic_compare_exchange_n(&word, &expected, desired, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE);
}

/// A block out of a list; null if that is empty.
Header* reuse(uint32_t size_number) {
  uint64_t head = __atomic_load_n(&given_back[size_number], __ATOMIC_ACQUIRE);
  while (position_in(head) != 0) {
    Header& block = block_at(position_in(head));
    const Position next = __atomic_load_n(&block.next, __ATOMIC_RELAXED);
    if (exchange(given_back[size_number], head, next_head(head, next))) {
      return &block;
    }
  }
  return nullptr;
}

/// A block that nobody has had; null if the rest of the heap is smaller.
Header* cut(uint32_t size_number) {
  const uint64_t bytes = uint64_t{kSmallest} << size_number;
  uint64_t cut = __atomic_load_n(&bytes_cut, __ATOMIC_RELAXED);
  while (bytes <= kHeapBytes - cut) {
    if (exchange(bytes_cut, cut, cut + bytes)) {
      Header& block = heap[cut / sizeof(Header)];
      block.size_number = size_number;
      return &block;
    }
  }
  return nullptr;
}

} // namespace

extern "C" {

GANTRY_WEAK void* malloc(size_t size) {
  if (size > kHeapBytes - sizeof(Header)) {
    return nullptr;
  }
  uint32_t size_number = 0;
  while (uint64_t{kSmallest} << size_number < size + sizeof(Header)) {
    ++size_number;
  }
  Header* block = reuse(size_number);
  if (block == nullptr) {
    block = cut(size_number);
  }
  for (uint32_t larger = size_number + 1; block == nullptr && larger < kSizes; ++larger) {
    block = reuse(larger);
  }
  return block == nullptr ? nullptr : block + 1;
}

GANTRY_WEAK void free(void* place) {
  if (place == nullptr) {
    return;
  }
  Header& block = static_cast<Header*>(place)[-1];
  const auto position = static_cast<Position>(&block - heap) + 1;
  uint64_t& list = given_back[block.size_number];
  uint64_t head = __atomic_load_n(&list, __ATOMIC_RELAXED);
  do {
    __atomic_store_n(&block.next, position_in(head), __ATOMIC_RELAXED);
  } while (!exchange(list, head, next_head(head, position)));
}

} // extern "C"

} // namespace gantry::device
