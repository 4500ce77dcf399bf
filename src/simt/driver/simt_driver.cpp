// What the executor offers to runtimes beyond CUDA's driver interface: the functions of
// gantry/simt_driver.h.
#include "gantry/simt_driver.h"
#include "simt/driver/allocations.h"
#include "simt/driver/api.h"
#include "simt/driver/stream.h"
#include "simt/exec/warp/warp.h"
#include "simt/host/settings.h"
#include "simt/memory/device_memory.h"
#include "simt/memory/host_memory.h"

#define GANTRY_SIMT_API(type) extern "C" [[gnu::visibility("default")]] type

using namespace gantry::simt::driver;
using gantry::simt::DeviceMemory;
using gantry::simt::SettingRow;
namespace exec = gantry::simt::exec;
namespace simt = gantry::simt;

GANTRY_SIMT_API(CUresult) gantry_simt_get_fault(gantry_simt_fault* fault) noexcept {
  return call_with_current([&](Context& context) {
    const exec::FaultFacts* const facts = context.streams()->fault();
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

GANTRY_SIMT_API(void) gantry_simt_set_freed(CUdeviceptr address, size_t size, int freed) noexcept {
  DeviceMemory* const memory = DeviceMemory::instance();
  if (memory == nullptr) {
    return;
  }
  memory->set_freed(address, size, freed != 0);
  if (freed != 0 || memory->uninitialised() == nullptr) {
    return;
  }
  // What the host writes to pinned memory is not seen.
  if (const auto found = memory->find(address); found && found->kind == simt::MemoryKind::kDevice) {
    memory->uninitialised()->mark_uninitialised(address, size);
  }
}

GANTRY_SIMT_API(CUresult)
gantry_simt_allocate_at(CUdeviceptr address, size_t size) noexcept {
  return call_with_current([&](Context& context) {
    if (address == 0 || size == 0) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    AllocationRecord record;
    record.address = address;
    record.bytes = size;
    record.device = &context.device();
    record.context = context.id();
    const auto allocated = Allocations::instance().allocate(std::move(record));
    return allocated ? CUDA_SUCCESS : allocated.error();
  });
}

GANTRY_SIMT_API(CUresult) gantry_simt_use_host_memory(CUdevice device) noexcept {
  if (Process::instance().device(device) == nullptr) {
    return CUDA_ERROR_INVALID_DEVICE;
  }
  simt::open_host_memory(device);
  return CUDA_SUCCESS;
}

GANTRY_SIMT_API(unsigned) gantry_simt_usual_block_size() noexcept {
  return simt::settings().checks.watches_blocks() ? 0 : exec::kLanes;
}

GANTRY_SIMT_API(void)
gantry_simt_visit_environment(gantry_environment_visitor visit, void* data) noexcept {
  for (const SettingRow& row : simt::setting_rows()) {
    if (std::string_view(row.name).starts_with("GANTRY_SIMT_")) {
      const gantry_environment_variable variable{row.name, row.default_value, row.meaning};
      visit(&variable, data);
    }
  }
}
