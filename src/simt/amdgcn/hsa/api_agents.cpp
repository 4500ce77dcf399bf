// Agents, their instruction sets, pools and regions.
#include "simt/amdgcn/exec/executor.h"
#include "simt/amdgcn/hsa/agents.h"
#include "simt/amdgcn/hsa/answer.h"
#include "simt/amdgcn/hsa/process.h"
#include "simt/memory/device_memory.h"

#include <algorithm>
#include <array>

using gantry::simt::DeviceMemory;
using namespace gantry::simt::hsa; // NOLINT(google-build-using-namespace)

namespace {

/// Of a GPU; the maxima are those of its hardware.
constexpr std::uint32_t kMostGridItems = 0xffffffff;
constexpr std::uint32_t kMostQueues = 128;
constexpr std::uint32_t kWavesPerComputeUnit = 40;
constexpr std::uint32_t kSimdsPerComputeUnit = 4;
constexpr std::uint32_t kCacheLine = 64;
constexpr std::uint32_t kMegahertz = 1000;
/// Attributes that came after Debian's headers.
constexpr int kTimestampFrequency = 0xA016;
constexpr int kMemoryAvailable = 0xA015;

using gantry::simt::amdgcn::kMostWorkGroup;

hsa_status_t gpu_shape(const Agent& agent, int attribute, void* value) {
  const auto items = static_cast<std::uint16_t>(kMostWorkGroup);
  switch (attribute) {
  case HSA_AGENT_INFO_WAVEFRONT_SIZE:
    return answer<std::uint32_t>(value, agent.processor->wave);
  case HSA_AGENT_INFO_WORKGROUP_MAX_DIM:
    return answer(value, std::array<std::uint16_t, 3>{items, items, items});
  case HSA_AGENT_INFO_WORKGROUP_MAX_SIZE:
    return answer<std::uint32_t>(value, kMostWorkGroup);
  case HSA_AGENT_INFO_GRID_MAX_DIM:
    return answer(value, hsa_dim3_t{0x7fffffff, 0x7fffffff, 0x7fffffff});
  case HSA_AGENT_INFO_GRID_MAX_SIZE:
    return answer<std::uint32_t>(value, kMostGridItems);
  case HSA_AGENT_INFO_FBARRIER_MAX_SIZE:
    return answer<std::uint32_t>(value, 0);
  case HSA_AGENT_INFO_QUEUES_MAX:
    return answer<std::uint32_t>(value, kMostQueues);
  case HSA_AGENT_INFO_QUEUE_MIN_SIZE:
    return answer<std::uint32_t>(value, kLeastQueueSize);
  case HSA_AGENT_INFO_QUEUE_MAX_SIZE:
    return answer<std::uint32_t>(value, kMostQueueSize);
  case HSA_AGENT_INFO_ISA:
    return answer(value, agent.isa);
  case HSA_AMD_AGENT_INFO_MAX_WAVES_PER_CU:
    return answer<std::uint32_t>(value, kWavesPerComputeUnit);
  case HSA_AMD_AGENT_INFO_NUM_SIMDS_PER_CU:
    return answer<std::uint32_t>(value, kSimdsPerComputeUnit);
  case HSA_AMD_AGENT_INFO_COOPERATIVE_COMPUTE_UNIT_COUNT:
    return answer<std::uint32_t>(value, agent.compute_units);
  case kMemoryAvailable:
    return answer<std::uint64_t>(value, agent.memory - std::min(agent.memory, agent.used.load()));
  default:
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
}

/// What a CPU answers of what only GPUs have.
hsa_status_t no_shape(int attribute, void* value) {
  switch (attribute) {
  case HSA_AGENT_INFO_WORKGROUP_MAX_DIM:
    return answer(value, std::array<std::uint16_t, 3>{});
  case HSA_AGENT_INFO_GRID_MAX_DIM:
    return answer(value, hsa_dim3_t{});
  case HSA_AGENT_INFO_WAVEFRONT_SIZE:
  case HSA_AGENT_INFO_WORKGROUP_MAX_SIZE:
  case HSA_AGENT_INFO_GRID_MAX_SIZE:
  case HSA_AGENT_INFO_FBARRIER_MAX_SIZE:
  case HSA_AGENT_INFO_QUEUES_MAX:
  case HSA_AGENT_INFO_QUEUE_MIN_SIZE:
  case HSA_AGENT_INFO_QUEUE_MAX_SIZE:
  case HSA_AMD_AGENT_INFO_MAX_WAVES_PER_CU:
  case HSA_AMD_AGENT_INFO_NUM_SIMDS_PER_CU:
  case HSA_AMD_AGENT_INFO_COOPERATIVE_COMPUTE_UNIT_COUNT:
    return answer<std::uint32_t>(value, 0);
  case HSA_AGENT_INFO_ISA:
    return answer(value, hsa_isa_t{});
  default:
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
}

hsa_status_t agent_info(const Agent& agent, int attribute, void* value) {
  switch (attribute) {
  case HSA_AGENT_INFO_NAME:
    return answer_text<64>(value, agent.name);
  case HSA_AGENT_INFO_VENDOR_NAME:
    return answer_text<64>(value, agent.is_gpu() ? "AMD" : "CPU");
  case HSA_AGENT_INFO_FEATURE:
    return answer<std::uint32_t>(value, agent.is_gpu() ? HSA_AGENT_FEATURE_KERNEL_DISPATCH : 0);
  case HSA_AGENT_INFO_MACHINE_MODEL:
    return answer(value, HSA_MACHINE_MODEL_LARGE);
  case HSA_AGENT_INFO_PROFILE:
    return answer(value, agent.is_gpu() ? HSA_PROFILE_BASE : HSA_PROFILE_FULL);
  case HSA_AGENT_INFO_DEFAULT_FLOAT_ROUNDING_MODE:
    return answer(value, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR);
  case HSA_AGENT_INFO_BASE_PROFILE_DEFAULT_FLOAT_ROUNDING_MODES:
    return answer<std::uint32_t>(value, 1U << HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR);
  case HSA_AGENT_INFO_FAST_F16_OPERATION:
    return answer(value, false);
  case HSA_AGENT_INFO_QUEUE_TYPE:
    return answer<std::uint32_t>(value, HSA_QUEUE_TYPE_MULTI);
  case HSA_AGENT_INFO_NODE:
  case HSA_AMD_AGENT_INFO_DRIVER_NODE_ID:
    return answer<std::uint32_t>(value, static_cast<std::uint32_t>(agent.device + 1));
  case HSA_AGENT_INFO_DEVICE:
    return answer(value, agent.is_gpu() ? HSA_DEVICE_TYPE_GPU : HSA_DEVICE_TYPE_CPU);
  case HSA_AGENT_INFO_CACHE_SIZE:
    return answer(value, std::array<std::uint32_t, 4>{16U << 10, agent.is_gpu() ? 4U << 20 : 0U});
  case HSA_AGENT_INFO_EXTENSIONS:
    return answer(value, std::array<std::uint8_t, 128>{});
  case HSA_AGENT_INFO_VERSION_MAJOR:
  case HSA_AGENT_INFO_VERSION_MINOR:
    return answer<std::uint16_t>(value, 1);
  case HSA_AMD_AGENT_INFO_CHIP_ID:
  case HSA_AMD_AGENT_INFO_BDFID:
  case HSA_AMD_AGENT_INFO_DOMAIN:
  case HSA_AMD_AGENT_INFO_ASIC_REVISION:
  case HSA_AMD_AGENT_INFO_MAX_ADDRESS_WATCH_POINTS:
    return answer<std::uint32_t>(value, 0);
  case HSA_AMD_AGENT_INFO_CACHELINE_SIZE:
    return answer<std::uint32_t>(value, kCacheLine);
  case HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT:
    return answer<std::uint32_t>(value, agent.compute_units);
  case HSA_AMD_AGENT_INFO_MAX_CLOCK_FREQUENCY:
  case HSA_AMD_AGENT_INFO_MEMORY_MAX_FREQUENCY:
    return answer<std::uint32_t>(value, kMegahertz);
  case HSA_AMD_AGENT_INFO_MEMORY_WIDTH:
    return answer<std::uint32_t>(value, 64);
  case HSA_AMD_AGENT_INFO_PRODUCT_NAME:
    return answer_text<64>(value, agent.product);
  case HSA_AMD_AGENT_INFO_NUM_SHADER_ENGINES:
  case HSA_AMD_AGENT_INFO_NUM_SHADER_ARRAYS_PER_SE:
    return answer<std::uint32_t>(value, agent.is_gpu() ? 1 : 0);
  case HSA_AMD_AGENT_INFO_COOPERATIVE_QUEUES:
    return answer(value, false);
  case HSA_AMD_AGENT_INFO_UUID:
    return answer_text<21>(value, agent.is_gpu() ? "GPU-XX" : "CPU-XX");
  case HSA_AMD_AGENT_INFO_SVM_DIRECT_HOST_ACCESS:
    return answer(value, true);
  case kTimestampFrequency:
    return answer<std::uint64_t>(value, agent.is_gpu() ? gantry::simt::amdgcn::kClockFrequency
                                                       : kSystemFrequency);
  default:
    return agent.is_gpu() ? gpu_shape(agent, attribute, value) : no_shape(attribute, value);
  }
}

hsa_status_t isa_info(const Agent& agent, int attribute, void* value) {
  const std::string name =
      fmt::format("amdgcn-amd-amdhsa--{}{}", agent.processor->name, agent.processor->features);
  switch (attribute) {
  case HSA_ISA_INFO_NAME_LENGTH: // as AMD's runtime counts it, with the NUL
    return answer<std::uint32_t>(value, static_cast<std::uint32_t>(name.size() + 1));
  case HSA_ISA_INFO_NAME:
    std::ranges::copy(name, static_cast<char*>(value));
    static_cast<char*>(value)[name.size()] = '\0';
    return HSA_STATUS_SUCCESS;
  case HSA_ISA_INFO_MACHINE_MODELS:
    return answer(value, std::array{false, true});
  case HSA_ISA_INFO_PROFILES:
    return answer(value, std::array{true, false});
  case HSA_ISA_INFO_DEFAULT_FLOAT_ROUNDING_MODES:
  case HSA_ISA_INFO_BASE_PROFILE_DEFAULT_FLOAT_ROUNDING_MODES:
    return answer(value, std::array{false, false, true});
  case HSA_ISA_INFO_FAST_F16_OPERATION:
    return answer(value, false);
  case HSA_ISA_INFO_WORKGROUP_MAX_DIM:
    return gpu_shape(agent, HSA_AGENT_INFO_WORKGROUP_MAX_DIM, value);
  case HSA_ISA_INFO_WORKGROUP_MAX_SIZE:
    return gpu_shape(agent, HSA_AGENT_INFO_WORKGROUP_MAX_SIZE, value);
  case HSA_ISA_INFO_GRID_MAX_DIM:
    return gpu_shape(agent, HSA_AGENT_INFO_GRID_MAX_DIM, value);
  case HSA_ISA_INFO_GRID_MAX_SIZE:
    return answer<std::uint64_t>(value, kMostGridItems);
  case HSA_ISA_INFO_FBARRIER_MAX_SIZE:
    return answer<std::uint32_t>(value, 0);
  default:
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
}

/// Of pools and regions, whose attributes have one meaning but different numbers.
hsa_status_t allocation_info(const Pool& pool, int attribute, void* value) {
  switch (attribute) {
  case HSA_AMD_MEMORY_POOL_INFO_SIZE:
    return answer<std::size_t>(value, pool.size());
  case HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED:
    return answer(value, pool.may_allocate());
  case HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_GRANULE:
  case HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALIGNMENT:
    return answer<std::size_t>(value, pool.may_allocate() ? DeviceMemory::kAlignment : 0);
  default:
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
}

hsa_status_t pool_info(const Pool& pool, int attribute, void* value) {
  switch (attribute) {
  case HSA_AMD_MEMORY_POOL_INFO_SEGMENT:
    return answer(value,
                  pool.kind == PoolKind::kGroup ? HSA_AMD_SEGMENT_GROUP : HSA_AMD_SEGMENT_GLOBAL);
  case HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS:
    return answer(value, pool.global_flags());
  case HSA_AMD_MEMORY_POOL_INFO_ACCESSIBLE_BY_ALL:
    return answer(value, pool.may_allocate());
  case HSA_AMD_MEMORY_POOL_INFO_ALLOC_MAX_SIZE:
    return answer<std::size_t>(value, pool.may_allocate() ? pool.size() : 0);
  default:
    return allocation_info(pool, attribute, value);
  }
}

hsa_status_t region_info(const Pool& pool, int attribute, void* value) {
  switch (attribute) {
  case HSA_REGION_INFO_SEGMENT:
    return answer(value, pool.kind == PoolKind::kGroup ? HSA_REGION_SEGMENT_GROUP
                                                       : HSA_REGION_SEGMENT_GLOBAL);
  case HSA_REGION_INFO_GLOBAL_FLAGS:
    return answer(value, pool.global_flags());
  case HSA_REGION_INFO_SIZE:
    return answer<std::size_t>(value, pool.size());
  case HSA_REGION_INFO_ALLOC_MAX_SIZE:
    return answer<std::size_t>(value, pool.may_allocate() ? pool.size() : 0);
  case HSA_REGION_INFO_ALLOC_MAX_PRIVATE_WORKGROUP_SIZE:
    return answer<std::uint32_t>(value, gantry::simt::amdgcn::kMostPrivateBytes);
  case HSA_REGION_INFO_RUNTIME_ALLOC_ALLOWED:
    return allocation_info(pool, HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED, value);
  case HSA_REGION_INFO_RUNTIME_ALLOC_GRANULE:
  case HSA_REGION_INFO_RUNTIME_ALLOC_ALIGNMENT:
    return allocation_info(pool, HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_GRANULE, value);
  case HSA_AMD_REGION_INFO_HOST_ACCESSIBLE:
    return answer(value, pool.may_allocate());
  default:
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
}

} // namespace

extern "C" {

hsa_status_t HSA_API hsa_iterate_agents(hsa_status_t (*callback)(hsa_agent_t agent, void* data),
                                        void* data) {
  return call([&] {
    if (callback == nullptr) {
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    for (const auto& agent : Agents::instance().all()) {
      if (const hsa_status_t status = callback(agent->handle, data); status != HSA_STATUS_SUCCESS) {
        return status;
      }
    }
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t HSA_API hsa_agent_get_info(hsa_agent_t agent, hsa_agent_info_t attribute,
                                        void* value) {
  return call([&] {
    const Agent* const found = Agents::instance().find(agent);
    if (found == nullptr) {
      return HSA_STATUS_ERROR_INVALID_AGENT;
    }
    return value == nullptr ? HSA_STATUS_ERROR_INVALID_ARGUMENT
                            : agent_info(*found, static_cast<int>(attribute), value);
  });
}

hsa_status_t HSA_API hsa_agent_iterate_isas(hsa_agent_t agent,
                                            hsa_status_t (*callback)(hsa_isa_t isa, void* data),
                                            void* data) {
  return call([&] {
    const Agent* const found = Agents::instance().find(agent);
    if (found == nullptr) {
      return HSA_STATUS_ERROR_INVALID_AGENT;
    }
    if (callback == nullptr) {
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    return found->is_gpu() ? callback(found->isa, data) : HSA_STATUS_SUCCESS;
  });
}

hsa_status_t HSA_API hsa_isa_get_info_alt(hsa_isa_t isa, hsa_isa_info_t attribute, void* value) {
  return call([&] {
    const Agent* const found = Agents::instance().of_isa(isa);
    if (found == nullptr) {
      return HSA_STATUS_ERROR_INVALID_ISA;
    }
    return value == nullptr ? HSA_STATUS_ERROR_INVALID_ARGUMENT
                            : isa_info(*found, static_cast<int>(attribute), value);
  });
}

hsa_status_t HSA_API hsa_amd_agent_iterate_memory_pools(
    hsa_agent_t agent, hsa_status_t (*callback)(hsa_amd_memory_pool_t memory_pool, void* data),
    void* data) {
  return call([&] {
    const Agent* const found = Agents::instance().find(agent);
    if (found == nullptr) {
      return HSA_STATUS_ERROR_INVALID_AGENT;
    }
    if (callback == nullptr) {
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    for (const Pool& pool : found->pools) {
      if (const hsa_status_t status = callback({pool.handle}, data); status != HSA_STATUS_SUCCESS) {
        return status;
      }
    }
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t HSA_API hsa_amd_memory_pool_get_info(hsa_amd_memory_pool_t memory_pool,
                                                  hsa_amd_memory_pool_info_t attribute,
                                                  void* value) {
  return call([&] {
    const Pool* const pool = Agents::instance().pool(memory_pool.handle);
    if (pool == nullptr) {
      return status_of(HSA_STATUS_ERROR_INVALID_MEMORY_POOL);
    }
    return value == nullptr ? HSA_STATUS_ERROR_INVALID_ARGUMENT
                            : pool_info(*pool, static_cast<int>(attribute), value);
  });
}

hsa_status_t HSA_API hsa_amd_agent_memory_pool_get_info(hsa_agent_t agent,
                                                        hsa_amd_memory_pool_t memory_pool,
                                                        hsa_amd_agent_memory_pool_info_t attribute,
                                                        void* value) {
  return call([&] {
    const Agent* const found = Agents::instance().find(agent);
    const Pool* const pool = Agents::instance().pool(memory_pool.handle);
    if (found == nullptr) {
      return HSA_STATUS_ERROR_INVALID_AGENT;
    }
    if (pool == nullptr) {
      return status_of(HSA_STATUS_ERROR_INVALID_MEMORY_POOL);
    }
    if (value == nullptr) {
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    const bool own = pool->owner == found;
    switch (attribute) {
    case HSA_AMD_AGENT_MEMORY_POOL_INFO_ACCESS:
      return answer(value, pool->may_allocate() || own
                               ? HSA_AMD_MEMORY_POOL_ACCESS_ALLOWED_BY_DEFAULT
                               : HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED);
    case HSA_AMD_AGENT_MEMORY_POOL_INFO_NUM_LINK_HOPS:
      return answer<std::uint32_t>(value, own ? 0 : 1);
    case HSA_AMD_AGENT_MEMORY_POOL_INFO_LINK_INFO:
      return own ? HSA_STATUS_SUCCESS : answer(value, hsa_amd_memory_pool_link_info_t{});
    default:
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
  });
}

hsa_status_t HSA_API hsa_agent_iterate_regions(
    hsa_agent_t agent, hsa_status_t (*callback)(hsa_region_t region, void* data), void* data) {
  return call([&] {
    const Agents& agents = Agents::instance();
    const Agent* const found = agents.find(agent);
    if (found == nullptr) {
      return HSA_STATUS_ERROR_INVALID_AGENT;
    }
    if (callback == nullptr) {
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    // A GPU's regions are what it may access: the host's too.
    for (const Pool& pool : agents.cpu().pools) {
      if (found->is_gpu() && pool.kind != PoolKind::kKernarg) {
        continue;
      }
      if (const hsa_status_t status = callback({pool.handle}, data); status != HSA_STATUS_SUCCESS) {
        return status;
      }
    }
    if (found->is_gpu()) {
      for (const Pool& pool : found->pools) {
        if (const hsa_status_t status = callback({pool.handle}, data);
            status != HSA_STATUS_SUCCESS) {
          return status;
        }
      }
    }
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t HSA_API hsa_region_get_info(hsa_region_t region, hsa_region_info_t attribute,
                                         void* value) {
  return call([&] {
    const Pool* const pool = Agents::instance().pool(region.handle);
    if (pool == nullptr) {
      return HSA_STATUS_ERROR_INVALID_REGION;
    }
    return value == nullptr ? HSA_STATUS_ERROR_INVALID_ARGUMENT
                            : region_info(*pool, static_cast<int>(attribute), value);
  });
}

} // extern "C"
