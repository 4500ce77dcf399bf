// What the library exports beyond the HSA interface: gantry/simt_hsa.h.
#include "simt/amdgcn/hsa/agents.h"
#include "simt/amdgcn/hsa/faults.h"
#include "simt/amdgcn/hsa/memory.h"
#include "simt/memory/device_memory.h"
#include "simt/memory/host_memory.h"

#include <cstdint>

#include <gantry/simt_hsa.h>

using gantry::simt::DeviceMemory;
using gantry::simt::MemoryKind;
using gantry::simt::hsa::Agent;
using gantry::simt::hsa::Agents;
using gantry::simt::hsa::Faults;

extern "C" {

[[gnu::visibility("default")]] hsa_status_t
gantry_simt_hsa_allocate_at(hsa_amd_memory_pool_t pool, void* address, std::size_t size) noexcept {
  const gantry::simt::hsa::Pool* const found = Agents::instance().pool(pool.handle);
  if (found == nullptr || address == nullptr || size == 0 || !found->may_allocate() ||
      size > found->size()) {
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
  return gantry::simt::hsa::Memory::instance().allocate(*found, size, &address,
                                                        reinterpret_cast<std::uint64_t>(address));
}

[[gnu::visibility("default")]] void gantry_simt_hsa_set_freed(const void* address, std::size_t size,
                                                              int freed) noexcept {
  DeviceMemory* const memory = DeviceMemory::instance();
  if (memory == nullptr) {
    return;
  }
  const auto begin = reinterpret_cast<std::uint64_t>(address);
  memory->set_freed(begin, size, freed != 0);
  if (freed != 0 || memory->uninitialised() == nullptr) {
    return;
  }
  // What the host writes to its own memory is not seen.
  if (const auto found = memory->find(begin); found && found->kind == MemoryKind::kDevice) {
    memory->uninitialised()->mark_uninitialised(begin, size);
  }
}

[[gnu::visibility("default")]] hsa_status_t
gantry_simt_hsa_use_host_memory(hsa_agent_t handle) noexcept {
  const Agent* const agent = Agents::instance().find(handle);
  if (agent == nullptr || !agent->is_gpu()) {
    return HSA_STATUS_ERROR_INVALID_AGENT;
  }
  gantry::simt::open_host_memory(agent->device);
  return HSA_STATUS_SUCCESS;
}

[[gnu::visibility("default")]] hsa_status_t
gantry_simt_hsa_get_fault(hsa_agent_t handle, gantry_simt_fault* fault) noexcept {
  const Agent* const agent = Agents::instance().find(handle);
  if (agent == nullptr || !agent->is_gpu()) {
    return HSA_STATUS_ERROR_INVALID_AGENT;
  }
  if (fault == nullptr) {
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
  const gantry::simt::amdgcn::Fault* const last = Faults::instance().last(*agent);
  if (last == nullptr) {
    return HSA_STATUS_ERROR;
  }
  *fault = {.kernel = last->kernel.c_str(),
            .position = last->position.c_str(),
            .what = last->what.c_str(),
            .access = static_cast<int>(last->access),
            .is_invalid = last->is_invalid ? 1 : 0,
            .address = last->address};
  return HSA_STATUS_SUCCESS;
}

} // extern "C"
