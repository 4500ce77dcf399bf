// Loops whose iterations wait for certain others (OpenMP 5.2, section 15.9.5, the doacross clause).
#include "device/gpu/heap.h"
#include "device/gpu/messages.h"
#include "device/gpu/team.h"

namespace gantry::device {
namespace {

struct Dimension {
  int64_t lower, upper, stride;
};

struct Iterations {
  uint32_t dimensions;
  uint32_t left;        ///< threads that have left the loop
  Dimension* dimension; ///< behind each other, and behind them a flag for each iteration
  uint32_t* done;
};

GANTRY_SHARED Iterations iterations;

uint64_t count_of(const Dimension& dimension) {
  const int64_t step = dimension.stride;
  const bool empty =
      step > 0 ? dimension.upper < dimension.lower : dimension.lower < dimension.upper;
  const auto lower = static_cast<uint64_t>(dimension.lower);
  const auto upper = static_cast<uint64_t>(dimension.upper);
  return empty ? 0
               : (step > 0 ? (upper - lower) / static_cast<uint64_t>(step)
                           : (lower - upper) / (0 - static_cast<uint64_t>(step))) +
                     1;
}

/// The number of an iteration; false if the loop has none such.
bool number_of(const int64_t* vector, uint64_t& number) {
  number = 0;
  for (uint32_t i = 0; i < iterations.dimensions; ++i) {
    const Dimension dimension = iterations.dimension[i];
    const bool before =
        dimension.stride > 0 ? vector[i] < dimension.lower : vector[i] > dimension.lower;
    const bool behind =
        dimension.stride > 0 ? vector[i] > dimension.upper : vector[i] < dimension.upper;
    if (before || behind) {
      return false;
    }
    const auto offset = static_cast<uint64_t>((vector[i] - dimension.lower) / dimension.stride);
    number = number * count_of(dimension) + offset;
  }
  return true;
}

} // namespace

extern "C" {

void __kmpc_doacross_init(Ident*, int32_t, int32_t dimensions, const Dimension* given) {
  if (!in_active_region()) {
    return; // iterations come in order
  }
  sync_team();
  if (thread_number() == 0) {
    uint64_t count = 1;
    for (int32_t i = 0; i < dimensions; ++i) {
      count *= count_of(given[i]);
    }
    const uint64_t bytes = static_cast<uint64_t>(dimensions) * sizeof(Dimension);
    auto* const copied = static_cast<Dimension*>(allocate(bytes + count * sizeof(uint32_t)));
    for (int32_t i = 0; i < dimensions; ++i) {
      copied[i] = given[i];
    }
    auto* const done = reinterpret_cast<uint32_t*>(copied + dimensions);
    for (uint64_t i = 0; i < count; ++i) {
      done[i] = 0;
    }
    iterations.dimensions = static_cast<uint32_t>(dimensions);
    iterations.left = 0;
    iterations.dimension = copied;
    iterations.done = done;
  }
  sync_team();
}

void __kmpc_doacross_wait(Ident*, int32_t, const int64_t* vector) {
  uint64_t number = 0;
  if (!in_active_region() || !number_of(vector, number)) {
    return;
  }
  const machine::LanesThatWait lanes;
  uint32_t alone = 0;
  while (__atomic_load_n(&iterations.done[number], __ATOMIC_RELAXED) == 0) {
    // Those that have left may wait for what another warp does, which takes a while.
    constexpr uint32_t kTooLong = 1U << 16;
    if (lanes.have_left_some() && ++alone == kTooLong) {
      fail_in_lockstep("a depend(sink) clause");
    }
    machine::pause(20);
  }
  machine::fence_device();
}

void __kmpc_doacross_post(Ident*, int32_t, const int64_t* vector) {
  uint64_t number = 0;
  if (in_active_region() && number_of(vector, number)) {
    machine::fence_device();
    __atomic_store_n(&iterations.done[number], 1U, __ATOMIC_RELAXED);
  }
}

void __kmpc_doacross_fini(Ident*, int32_t) {
  if (!in_active_region()) {
    return;
  }
  machine::fence_device(); // what others have done there is done before it is given back
  if (__atomic_add_fetch(&iterations.left, 1U, __ATOMIC_RELAXED) == team.size) {
    machine::fence_device();
    free(iterations.dimension);
  }
}

} // extern "C"

} // namespace gantry::device
