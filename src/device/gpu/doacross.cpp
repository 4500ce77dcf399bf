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
  uint32_t posted;      ///< iterations that are done
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

/// Finds out that lanes of a warp wait for others of it. Who is to finish an iteration is not
/// known; but while lanes wait, the others of their warp do not run, and after a long time in which
/// no iteration has been finished, these are taken for the ones that are waited for.
class StandstillCheck {
public:
  bool has_come() {
    if (machine::active_lanes() == lanes_of_team()) {
      return false; // what is waited for is another warp's
    }
    const uint32_t posted = __atomic_load_n(&iterations.posted, __ATOMIC_RELAXED);
    polls_ = posted == posted_ ? polls_ + 1 : 0;
    posted_ = posted;
    return polls_ == kTooLong;
  }

private:
  static constexpr uint32_t kTooLong = 1U << 16; ///< some hundredths of a second
  uint32_t posted_ = 0;
  uint32_t polls_ = 0;
};

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
    iterations.posted = 0;
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
  StandstillCheck standstill;
  while (__atomic_load_n(&iterations.done[number], __ATOMIC_RELAXED) == 0) {
    if (machine::kLockstep && standstill.has_come()) {
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
    if (machine::kLockstep) {
      __atomic_add_fetch(&iterations.posted, 1U, __ATOMIC_RELAXED);
    }
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
