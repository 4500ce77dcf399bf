// Device memory that a runtime keeps for later use (gantry/simt_driver.h).
#include "gantry/simt_driver.h"
#include "simt/exec/memory/device_memory.h"

using gantry::simt::exec::DeviceMemory;

extern "C" [[gnu::visibility("default")]] void gantry_simt_set_freed(CUdeviceptr address,
                                                                     size_t size, int freed) {
  DeviceMemory* const memory = DeviceMemory::instance();
  if (memory == nullptr) {
    return;
  }
  memory->set_accessible(address, size, freed == 0);
  if (freed != 0 || memory->uninitialised() == nullptr) {
    return;
  }
  // What the host writes to pinned memory is not seen.
  if (const auto found = memory->find(address);
      found && found->kind == gantry::simt::exec::MemoryKind::kDevice) {
    memory->uninitialised()->mark_uninitialised(address, size);
  }
}
