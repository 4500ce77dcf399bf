// Locks of the program (OpenMP 5.2, section 18.9). omp_lock_t is one word of pointer size,
// omp_nest_lock_t as well.
#include "device/gpu/heap.h"
#include "device/gpu/locks.h"
#include "device/gpu/team.h"

namespace gantry::device {
namespace {

struct Lock {
  uint32_t word;
  uint32_t unused;
};

/// A nestable lock: who holds it, and how often.
struct NestLock {
  uint32_t word;
  uint32_t count;
  uint64_t owner;
};

/// A number for each thread of the grid, from 1 on.
uint64_t this_owner() {
  return uint64_t{machine::block_in_grid()} * machine::kMaxBlockSize + machine::thread_in_block() +
         1;
}

NestLock& nest_lock(void* place) {
  return **static_cast<NestLock**>(place);
}

uint64_t owner_of(NestLock& nest) {
  return __atomic_load_n(&nest.owner, __ATOMIC_RELAXED);
}

int32_t taken(NestLock& nest) {
  __atomic_store_n(&nest.owner, this_owner(), __ATOMIC_RELAXED);
  nest.count = 1;
  return 1;
}

} // namespace

extern "C" {

void omp_init_lock(Lock* lock) {
  lock->word = 0;
}
void omp_init_lock_with_hint(Lock* lock, int32_t) {
  lock->word = 0;
}
void omp_destroy_lock(Lock*) {}
void omp_set_lock(Lock* given) {
  lock(given->word);
}
void omp_unset_lock(Lock* given) {
  unlock(given->word);
}
int32_t omp_test_lock(Lock* given) {
  return try_lock(given->word) ? 1 : 0;
}

void omp_init_nest_lock(void* place) {
  auto* const made = static_cast<NestLock*>(allocate(sizeof(NestLock)));
  *made = {0, 0, 0};
  *static_cast<NestLock**>(place) = made;
}
void omp_init_nest_lock_with_hint(void* place, int32_t) {
  omp_init_nest_lock(place);
}
void omp_destroy_nest_lock(void* place) {
  free(*static_cast<NestLock**>(place));
}
void omp_set_nest_lock(void* place) {
  NestLock& nest = nest_lock(place);
  if (owner_of(nest) == this_owner()) {
    ++nest.count;
    return;
  }
  lock(nest.word);
  taken(nest);
}
void omp_unset_nest_lock(void* place) {
  NestLock& nest = nest_lock(place);
  if (--nest.count == 0) {
    __atomic_store_n(&nest.owner, uint64_t{0}, __ATOMIC_RELAXED);
    unlock(nest.word);
  }
}
int32_t omp_test_nest_lock(void* place) {
  NestLock& nest = nest_lock(place);
  if (owner_of(nest) == this_owner()) {
    return static_cast<int32_t>(++nest.count);
  }
  return try_lock(nest.word) ? taken(nest) : 0;
}

} // extern "C"

} // namespace gantry::device
