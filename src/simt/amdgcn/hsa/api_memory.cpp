// Memory: pools, regions, locked memory, what an address is.
#include "simt/amdgcn/hsa/agents.h"
#include "simt/amdgcn/hsa/memory.h"
#include "simt/amdgcn/hsa/process.h"
#include "simt/memory/device_memory.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include <hsa/hsa_ext_amd.h>

using gantry::simt::Allocation;
using gantry::simt::DeviceMemory;
using gantry::simt::MemoryKind;
using namespace gantry::simt::hsa; // NOLINT(google-build-using-namespace)

namespace {

hsa_status_t allocate(std::uint64_t handle, hsa_status_t none, std::size_t size, void** ptr) {
  const Pool* const pool = Agents::instance().pool(handle);
  if (pool == nullptr) {
    return none;
  }
  if (ptr == nullptr || size == 0) {
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
  if (!pool->may_allocate() || size > pool->size()) {
    return HSA_STATUS_ERROR_INVALID_ALLOCATION;
  }
  return Memory::instance().allocate(*pool, size, ptr);
}

hsa_status_t free_memory(void* ptr) {
  return ptr == nullptr ? HSA_STATUS_SUCCESS : Memory::instance().free(ptr);
}

bool are_agents(const hsa_agent_t* agents, std::uint32_t count) {
  return std::all_of(agents, agents + count, [](const hsa_agent_t& agent) {
    return Agents::instance().find(agent) != nullptr;
  });
}

/// The allocation that an address is in, as programs may know of it.
std::optional<Allocation> find(const void* ptr) {
  auto found = DeviceMemory::instance()->find(reinterpret_cast<std::uint64_t>(ptr));
  const bool is_known =
      found && (found->kind == MemoryKind::kDevice || found->kind == MemoryKind::kPinned ||
                found->kind == MemoryKind::kGlobal || found->kind == MemoryKind::kRegistered);
  return is_known ? found : std::nullopt;
}

hsa_amd_pointer_info_t describe(const std::optional<Allocation>& found) {
  hsa_amd_pointer_info_t info = {};
  info.type = HSA_EXT_POINTER_TYPE_UNKNOWN;
  if (!found) {
    return info;
  }
  const Agents& agents = Agents::instance();
  const bool is_device = found->kind == MemoryKind::kDevice || found->kind == MemoryKind::kGlobal;
  const Agent* const gpu = agents.of_device(found->device);
  const Pool* const pool = agents.pool(found->context);
  info.type = found->kind == MemoryKind::kRegistered ? HSA_EXT_POINTER_TYPE_LOCKED
                                                     : HSA_EXT_POINTER_TYPE_HSA;
  info.agentBaseAddress = reinterpret_cast<void*>(found->address);
  info.hostBaseAddress = info.agentBaseAddress;
  info.sizeInBytes = found->size;
  info.agentOwner = is_device && gpu != nullptr ? gpu->handle : agents.cpu().handle;
  info.global_flags = pool != nullptr
                          ? pool->global_flags()
                          : std::uint32_t{HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED};
  return info;
}

} // namespace

extern "C" {

hsa_status_t HSA_API hsa_amd_memory_pool_allocate(hsa_amd_memory_pool_t memory_pool, size_t size,
                                                  uint32_t flags, void** ptr) {
  return call([&] {
    return flags != 0 ? HSA_STATUS_ERROR_INVALID_ARGUMENT
                      : allocate(memory_pool.handle,
                                 status_of(HSA_STATUS_ERROR_INVALID_MEMORY_POOL), size, ptr);
  });
}

hsa_status_t HSA_API hsa_amd_memory_pool_free(void* ptr) {
  return call([&] { return free_memory(ptr); });
}

hsa_status_t HSA_API hsa_memory_allocate(hsa_region_t region, size_t size, void** ptr) {
  return call([&] { return allocate(region.handle, HSA_STATUS_ERROR_INVALID_REGION, size, ptr); });
}

hsa_status_t HSA_API hsa_memory_free(void* ptr) {
  return call([&] { return free_memory(ptr); });
}

hsa_status_t HSA_API hsa_amd_agents_allow_access(uint32_t num_agents, const hsa_agent_t* agents,
                                                 const uint32_t* flags, const void* ptr) {
  return call([&] {
    if (num_agents == 0 || agents == nullptr || flags != nullptr || !find(ptr)) {
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    // All agents have access to all memory.
    return are_agents(agents, num_agents) ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_AGENT;
  });
}

hsa_status_t HSA_API hsa_memory_assign_agent(void* ptr, hsa_agent_t agent,
                                             hsa_access_permission_t access) {
  return call([&] {
    if (Agents::instance().find(agent) == nullptr) {
      return HSA_STATUS_ERROR_INVALID_AGENT;
    }
    return !find(ptr) || access < HSA_ACCESS_PERMISSION_RO || access > HSA_ACCESS_PERMISSION_RW
               ? HSA_STATUS_ERROR_INVALID_ARGUMENT
               : HSA_STATUS_SUCCESS;
  });
}

hsa_status_t HSA_API hsa_amd_memory_lock(void* host_ptr, size_t size, hsa_agent_t* agents,
                                         int num_agent, void** agent_ptr) {
  return call([&] {
    if (host_ptr == nullptr || agent_ptr == nullptr || size == 0 || num_agent < 0 ||
        (agents == nullptr) != (num_agent == 0)) {
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    if (!are_agents(agents, static_cast<std::uint32_t>(num_agent))) {
      return HSA_STATUS_ERROR_INVALID_AGENT;
    }
    const hsa_status_t status = Memory::instance().lock(host_ptr, size);
    if (status == HSA_STATUS_SUCCESS) {
      *agent_ptr = host_ptr;
    }
    return status;
  });
}

hsa_status_t HSA_API hsa_amd_memory_unlock(void* host_ptr) {
  return call([&] { return Memory::instance().unlock(host_ptr); });
}

hsa_status_t HSA_API hsa_amd_pointer_info(const void* ptr, hsa_amd_pointer_info_t* info,
                                          void* (*alloc)(size_t), uint32_t* num_agents_accessible,
                                          hsa_agent_t** accessible) {
  return call([&] {
    if (ptr == nullptr || info == nullptr ||
        info->size < offsetof(hsa_amd_pointer_info_t, agentBaseAddress)) {
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    const auto found = find(ptr);
    hsa_amd_pointer_info_t answer = describe(found);
    // A caller that was compiled with another version's structure has as many members of it.
    answer.size = std::min<std::uint32_t>(info->size, sizeof answer);
    std::memcpy(info, &answer, answer.size);
    if (alloc == nullptr || num_agents_accessible == nullptr || accessible == nullptr) {
      return HSA_STATUS_SUCCESS;
    }
    const auto agents = Agents::instance().all();
    *num_agents_accessible = found ? static_cast<std::uint32_t>(agents.size()) : 0;
    *accessible = nullptr;
    if (found) {
      *accessible = static_cast<hsa_agent_t*>(alloc(agents.size() * sizeof(hsa_agent_t)));
      if (*accessible == nullptr) {
        return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
      }
      std::ranges::transform(agents, *accessible, [](const auto& agent) { return agent->handle; });
    }
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t HSA_API hsa_memory_copy(void* dst, const void* src, size_t size) {
  return call([&] {
    if (dst == nullptr || src == nullptr) {
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    return copy(dst, src, size) ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ARGUMENT;
  });
}

hsa_status_t HSA_API hsa_amd_memory_fill(void* ptr, uint32_t value, size_t count) {
  return call([&] {
    const auto address = reinterpret_cast<std::uint64_t>(ptr);
    std::size_t bytes = 0;
    if (ptr == nullptr || address % sizeof value != 0 ||
        __builtin_mul_overflow(count, sizeof value, &bytes)) {
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    if (count == 0) {
      return HSA_STATUS_SUCCESS;
    }
    const auto found = find(ptr);
    if (!found || bytes > found->size - (address - found->address)) {
      return HSA_STATUS_ERROR_INVALID_ALLOCATION;
    }
    fill(ptr, value, count);
    return HSA_STATUS_SUCCESS;
  });
}

} // extern "C"
