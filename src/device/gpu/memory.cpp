// Memory for globalised variables, local variables that other threads access: from a stack in
// shared memory until that is full, then from the device's heap.
//
// The main thread of a generic kernel owns the stack; other threads allocate from the heap.
#include "device/gpu/memory.h"

#include "device/gpu/heap.h"
#include "device/gpu/messages.h"
#include "device/gpu/team.h"

namespace gantry::device {
namespace {

constexpr uint32_t kStackBytes = 2048;
constexpr uint64_t kAlignment = 16;

GANTRY_SHARED unsigned char __attribute__((aligned(16))) stack[kStackBytes];
GANTRY_SHARED uint32_t stack_used;

uint64_t rounded(uint64_t size) {
  return size == 0 ? kAlignment : (size + kAlignment - 1) & ~(kAlignment - 1);
}

bool has_stack() {
  return !is_spmd() && machine::thread_in_block() == main_thread();
}

} // namespace

void start_stack() {
  stack_used = 0;
}

void* allocate(size_t size) {
  void* const place = malloc(size);
  if (place == nullptr) {
    fail("the device's heap is exhausted");
  }
  return place;
}

extern "C" {

void* __kmpc_alloc_shared(uint64_t size) {
  const uint64_t bytes = rounded(size);
  if (has_stack() && bytes <= kStackBytes - stack_used) {
    void* const place = machine::generic(stack) + stack_used;
    stack_used += static_cast<uint32_t>(bytes);
    return place;
  }
  return allocate(bytes);
}

void __kmpc_free_shared(void* place, uint64_t size) {
  if (machine::is_shared(place)) {
    stack_used -= static_cast<uint32_t>(rounded(size));
  } else {
    free(place);
  }
}

} // extern "C"

} // namespace gantry::device
