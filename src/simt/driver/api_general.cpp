// Entry points: the driver as a whole.
#include "simt/driver/api.h"
#include "simt/driver/messages.h"

using namespace gantry::simt::driver;

GANTRY_CUDA_API cuInit(unsigned int flags) {
  if (flags != 0) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  try {
    return Process::instance().initialise();
  } catch (...) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
}

GANTRY_CUDA_API cuDriverGetVersion(int* version) {
  return deliver(version, CUDA_VERSION);
}

GANTRY_CUDA_API cuGetExportTable(const void** table, const CUuuid* id) {
  if (table == nullptr || id == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  // Such tables are agreements between parts of NVIDIA's software.
  not_offered("cuGetExportTable");
  *table = nullptr;
  return CUDA_ERROR_NOT_FOUND;
}

GANTRY_CUDA_API cuProfilerStart() {
  return call_in_context([](Context&) { return CUDA_SUCCESS; });
}

GANTRY_CUDA_API cuProfilerStop() {
  return call_in_context([](Context&) { return CUDA_SUCCESS; });
}
