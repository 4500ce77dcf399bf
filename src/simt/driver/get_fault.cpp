// What ended a context's work, for runtimes (gantry/simt_driver.h).
#include "gantry/simt_driver.h"
#include "simt/driver/api.h"
#include "simt/driver/context.h"
#include "simt/driver/stream.h"

using namespace gantry::simt::driver;

extern "C" [[gnu::visibility("default")]] CUresult gantry_simt_get_fault(gantry_simt_fault* fault) {
  return call_with_current([&](Context& context) {
    const gantry::simt::exec::FaultFacts* const facts = context.streams()->fault();
    if (facts == nullptr) {
      return CUDA_ERROR_NOT_FOUND;
    }
    *fault = {.kernel = facts->kernel.c_str(),
              .position = facts->position.c_str(),
              .what = facts->what.c_str(),
              .access = static_cast<int>(facts->access),
              .is_invalid = facts->is_invalid ? 1 : 0,
              .address = facts->address};
    return CUDA_SUCCESS;
  });
}
