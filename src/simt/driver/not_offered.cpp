#include "simt/driver/messages.h"

// Declared without their parameters, which they do not look at.
#define GANTRY_CUDA_NOT_OFFERED(name)                                                              \
  extern "C" [[gnu::visibility("default")]] CUresult name() {                                      \
    return gantry::simt::driver::not_offered(#name);                                               \
  }
#include "simt/driver/not_offered.def"
#undef GANTRY_CUDA_NOT_OFFERED
