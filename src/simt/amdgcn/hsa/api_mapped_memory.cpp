// Memory that programs map themselves. Debian's headers are older than these functions.
#include "simt/amdgcn/hsa/agents.h"
#include "simt/amdgcn/hsa/mapped_memory.h"
#include "simt/amdgcn/hsa/process.h"

#include <cstddef>
#include <cstdint>

#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

using namespace gantry::simt::hsa; // NOLINT(google-build-using-namespace)

namespace {

struct MemoryHandle {
  std::uint64_t handle;
};

struct AccessDescription {
  int permissions; ///< bits of hsa_access_permission_t; 0: none
  hsa_agent_t agent;
};

/// What memory is asked for with: nothing, or that it is pinned, which all is.
constexpr int kMostType = 1;
constexpr std::uint64_t kNoFlags = 0;

std::uint64_t number(const void* address) {
  return reinterpret_cast<std::uint64_t>(address);
}

} // namespace

// NOLINTBEGIN(readability-identifier-naming)
extern "C" {

HSA_EXPORT_DECORATOR hsa_status_t hsa_amd_vmem_address_reserve_align(void** va, std::size_t size,
                                                                     std::uint64_t /*address*/,
                                                                     std::uint64_t alignment,
                                                                     std::uint64_t flags) {
  return call([&] { // the address is a wish
    return va == nullptr || flags != kNoFlags
               ? HSA_STATUS_ERROR_INVALID_ARGUMENT
               : MappedMemory::instance().reserve(size, alignment, va);
  });
}

HSA_EXPORT_DECORATOR hsa_status_t hsa_amd_vmem_address_reserve(void** va, std::size_t size,
                                                               std::uint64_t address,
                                                               std::uint64_t flags) {
  return hsa_amd_vmem_address_reserve_align(va, size, address, 0, flags);
}

HSA_EXPORT_DECORATOR hsa_status_t hsa_amd_vmem_address_free(void* va, std::size_t size) {
  return call([&] { return MappedMemory::instance().free(number(va), size); });
}

HSA_EXPORT_DECORATOR hsa_status_t hsa_amd_vmem_handle_create(hsa_amd_memory_pool_t pool,
                                                             std::size_t size, int type,
                                                             std::uint64_t flags,
                                                             MemoryHandle* memory_handle) {
  return call([&] {
    const Pool* const found = Agents::instance().pool(pool.handle);
    if (found == nullptr) {
      return status_of(HSA_STATUS_ERROR_INVALID_MEMORY_POOL);
    }
    if (memory_handle == nullptr || type < 0 || type > kMostType || flags != kNoFlags) {
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    return MappedMemory::instance().create(*found, size, &memory_handle->handle);
  });
}

HSA_EXPORT_DECORATOR hsa_status_t hsa_amd_vmem_handle_release(MemoryHandle memory_handle) {
  return call([&] { return MappedMemory::instance().release(memory_handle.handle); });
}

HSA_EXPORT_DECORATOR hsa_status_t hsa_amd_vmem_map(void* va, std::size_t size,
                                                   std::size_t in_offset,
                                                   MemoryHandle memory_handle,
                                                   std::uint64_t flags) {
  return call([&] {
    return flags != kNoFlags
               ? HSA_STATUS_ERROR_INVALID_ARGUMENT
               : MappedMemory::instance().map(number(va), size, in_offset, memory_handle.handle);
  });
}

HSA_EXPORT_DECORATOR hsa_status_t hsa_amd_vmem_unmap(void* va, std::size_t size) {
  return call([&] { return MappedMemory::instance().unmap(number(va), size); });
}

HSA_EXPORT_DECORATOR hsa_status_t hsa_amd_vmem_set_access(void* va, std::size_t size,
                                                          const AccessDescription* desc,
                                                          std::size_t desc_cnt) {
  return call([&] {
    if (desc == nullptr || desc_cnt == 0) {
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    // What one agent may access all may.
    bool allowed = false;
    for (std::size_t i = 0; i < desc_cnt; ++i) {
      if (Agents::instance().find(desc[i].agent) == nullptr) {
        return HSA_STATUS_ERROR_INVALID_AGENT;
      }
      if (desc[i].permissions < 0 || desc[i].permissions > HSA_ACCESS_PERMISSION_RW) {
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
      }
      allowed = allowed || desc[i].permissions != 0;
    }
    return MappedMemory::instance().set_access(number(va), size, allowed);
  });
}

} // extern "C"
// NOLINTEND(readability-identifier-naming)
