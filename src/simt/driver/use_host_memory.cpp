// Host memory for kernels, where a program wants it (gantry/simt_driver.h).
#include "gantry/simt_driver.h"
#include "simt/driver/process.h"
#include "simt/exec/memory/host_memory.h"

extern "C" [[gnu::visibility("default")]] CUresult gantry_simt_use_host_memory(CUdevice device) {
  if (gantry::simt::driver::Process::instance().device(device) == nullptr) {
    return CUDA_ERROR_INVALID_DEVICE;
  }
  gantry::simt::exec::open_host_memory(device);
  return CUDA_SUCCESS;
}
