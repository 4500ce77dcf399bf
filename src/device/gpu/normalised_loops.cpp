// Flang's loops on a GPU. Neighbouring threads take neighbouring iterations, so that their accesses
// coalesce: also for schedule(static), which Flang does not tell from no clause.
#include "device/normalised_loops.h"

#include "device/gpu/loops.h"

namespace gantry::device {
namespace {

[[gnu::always_inline]] inline uint64_t thread_chunk(uint64_t /*count*/, uint64_t /*threads*/) {
  return 1;
}

} // namespace

extern "C" {

GANTRY_NORMALISED_LOOPS

} // extern "C"

} // namespace gantry::device
