// Entry points: memory, other than copies and pools.
#include "simt/driver/allocations.h"
#include "simt/driver/api.h"
#include "simt/driver/graphs/capture.h"
#include "simt/driver/graphs/graph_memory.h"
#include "simt/driver/virtual_memory.h"

using namespace gantry::simt::driver;
using gantry::simt::DeviceMemory;
using gantry::simt::MemoryKind;

namespace {

CUresult allocate(Context& context, MemoryKind kind, std::size_t bytes, unsigned flags,
                  CUdeviceptr* address) {
  if (address == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  *address = 0; // unless there is memory
  if (bytes == 0) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (const CUresult refused = Capture::refuse_unsafe(); refused != CUDA_SUCCESS) {
    return refused;
  }
  AllocationRecord record;
  record.bytes = bytes;
  record.kind = kind;
  record.device = &context.device();
  record.context = context.id();
  record.flags = flags;
  const auto allocated = Allocations::instance().allocate(std::move(record));
  if (!allocated) {
    return allocated.error();
  }
  *address = *allocated;
  return CUDA_SUCCESS;
}

CUresult allocate_host(void** address, std::size_t bytes, unsigned flags) {
  return call_in_context([&](Context& context) {
    constexpr unsigned kKnown =
        CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED;
    if (address == nullptr || (flags & ~kKnown) != 0) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    CUdeviceptr place = 0;
    const CUresult result = allocate(context, MemoryKind::kPinned, bytes, flags, &place);
    if (result == CUDA_SUCCESS) {
      *address = reinterpret_cast<void*>(place);
    }
    return result;
  });
}

/// Frees an allocation of one of the kinds, once the work of the current context is done.
CUresult release(CUdeviceptr address, std::initializer_list<MemoryKind> kinds) {
  return call_in_context([&](Context& context) {
    if (address == 0) {
      return CUDA_SUCCESS;
    }
    if (const CUresult refused = Capture::refuse_unsafe(); refused != CUDA_SUCCESS) {
      return refused;
    }
    if (const CUresult error = context.synchronize(); error != CUDA_SUCCESS) {
      return error;
    }
    if (GraphAllocation::at(address) != nullptr) {
      return free_graph_memory(address) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    }
    return Allocations::instance().release(address, kinds) ? CUDA_SUCCESS
                                                           : CUDA_ERROR_INVALID_VALUE;
  });
}

/// Advice and prefetching have no effect, but on memory that can have none they are errors.
CUresult check_managed(CUdeviceptr address, std::size_t bytes) {
  if (bytes == 0) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  const auto kind = classify(address, bytes, RangeSide::kEither);
  return kind && *kind == RangeKind::kManaged ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

bool is_place(CUmemLocation location) {
  switch (location.type) {
  case CU_MEM_LOCATION_TYPE_DEVICE:
    return Process::instance().device(location.id) != nullptr;
  case CU_MEM_LOCATION_TYPE_HOST:
  case CU_MEM_LOCATION_TYPE_HOST_NUMA:
  case CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT:
    return true;
  default:
    return false;
  }
}

CUmemLocation place_of(CUdevice device) {
  return {device == CU_DEVICE_CPU ? CU_MEM_LOCATION_TYPE_HOST : CU_MEM_LOCATION_TYPE_DEVICE,
          device};
}

CUresult prefetch(CUdeviceptr address, std::size_t bytes, CUmemLocation location, unsigned flags,
                  CUstream stream) {
  return call_for_stream(stream, [&](Stream& target) {
    if (const CUresult refused = Capture::refuse_captured(target); refused != CUDA_SUCCESS) {
      return refused;
    }
    return flags != 0 || !is_place(location) ? CUDA_ERROR_INVALID_VALUE
                                             : check_managed(address, bytes);
  });
}

CUresult advise(CUdeviceptr address, std::size_t bytes, CUmem_advise advice,
                CUmemLocation location) {
  return call_in_context([&](Context&) {
    const bool needs_place = advice >= CU_MEM_ADVISE_SET_PREFERRED_LOCATION &&
                             advice != CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION;
    if (advice < CU_MEM_ADVISE_SET_READ_MOSTLY || advice > CU_MEM_ADVISE_UNSET_ACCESSED_BY ||
        (needs_place && !is_place(location))) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    return check_managed(address, bytes);
  });
}

} // namespace

GANTRY_CUDA_API cuMemAlloc_v2(CUdeviceptr* address, size_t bytes) {
  return call_in_context(
      [&](Context& context) { return allocate(context, MemoryKind::kDevice, bytes, 0, address); });
}

GANTRY_CUDA_API cuMemAllocPitch_v2(CUdeviceptr* address, size_t* pitch, size_t width_bytes,
                                   size_t height, unsigned int element_bytes) {
  if (pitch == nullptr || width_bytes == 0 || height == 0 ||
      (element_bytes != 4 && element_bytes != 8 && element_bytes != 16)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  std::size_t rounded = 0;
  std::size_t bytes = 0;
  if (__builtin_add_overflow(width_bytes, Device::kPitch - 1, &rounded)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  rounded = rounded / Device::kPitch * Device::kPitch;
  if (__builtin_mul_overflow(rounded, height, &bytes)) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  const CUresult result = cuMemAlloc_v2(address, bytes);
  if (result == CUDA_SUCCESS) {
    *pitch = rounded;
  }
  return result;
}

GANTRY_CUDA_API cuMemAllocManaged(CUdeviceptr* address, size_t bytes, unsigned int flags) {
  return call_in_context([&](Context& context) {
    if (address == nullptr || (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST)) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    return allocate(context, MemoryKind::kManaged, bytes, flags, address);
  });
}

GANTRY_CUDA_API cuMemAllocHost_v2(void** address, size_t bytes) {
  return allocate_host(address, bytes, 0);
}

GANTRY_CUDA_API cuMemHostAlloc(void** address, size_t bytes, unsigned int flags) {
  return allocate_host(address, bytes, flags);
}

GANTRY_CUDA_API cuMemHostRegister_v2(void* address, size_t bytes, unsigned int flags) {
  return call_in_context([&](Context& context) {
    constexpr unsigned kKnown = CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP |
                                CU_MEMHOSTREGISTER_IOMEMORY | CU_MEMHOSTREGISTER_READ_ONLY;
    if (bytes == 0 || (flags & ~kKnown) != 0) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    const auto kind = classify(bits(address), bytes, RangeSide::kHost);
    if (!kind) {
      return kind.error();
    }
    if (*kind != RangeKind::kPageable) {
      return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
    }
    AllocationRecord record;
    record.address = bits(address);
    record.bytes = bytes;
    record.device = &context.device();
    record.context = context.id();
    record.flags = flags;
    return Allocations::instance().register_host(std::move(record));
  });
}

GANTRY_CUDA_API cuMemHostUnregister(void* address) {
  return call_in_context([&](Context& context) {
    const auto found = Allocations::instance().find(bits(address));
    if (!found || found->kind != MemoryKind::kRegistered) {
      return address == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
    }
    const CUresult error = context.synchronize();
    if (error != CUDA_SUCCESS) {
      return error;
    }
    return Allocations::instance().release(bits(address), {MemoryKind::kRegistered})
               ? CUDA_SUCCESS
               : CUDA_ERROR_INVALID_VALUE;
  });
}

GANTRY_CUDA_API cuMemHostGetDevicePointer_v2(CUdeviceptr* device_address, void* address,
                                             unsigned int flags) {
  return call_in_context([&](Context&) {
    const auto found = Allocations::instance().find(bits(address));
    if (device_address == nullptr || flags != 0 || !found ||
        (found->kind != MemoryKind::kPinned && found->kind != MemoryKind::kRegistered)) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    *device_address = bits(address);
    return CUDA_SUCCESS;
  });
}

GANTRY_CUDA_API cuMemHostGetFlags(unsigned int* flags, void* address) {
  return call_in_context([&](Context&) {
    const auto found = Allocations::instance().find(bits(address));
    if (flags == nullptr || !found ||
        (found->kind != MemoryKind::kPinned && found->kind != MemoryKind::kRegistered)) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    // With unified addressing the device sees all of it.
    *flags = found->flags | CU_MEMHOSTALLOC_DEVICEMAP;
    return CUDA_SUCCESS;
  });
}

GANTRY_CUDA_API cuMemFree_v2(CUdeviceptr address) {
  return release(address, {MemoryKind::kDevice, MemoryKind::kManaged});
}

GANTRY_CUDA_API cuMemFreeHost(void* address) {
  return release(bits(address), {MemoryKind::kPinned});
}

GANTRY_CUDA_API cuMemGetInfo_v2(size_t* free, size_t* total) {
  return call_in_context([&](Context& context) {
    if (free == nullptr || total == nullptr) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    *total = context.device().total_memory();
    *free = *total - context.device().used_memory();
    return CUDA_SUCCESS;
  });
}

GANTRY_CUDA_API cuMemGetAddressRange_v2(CUdeviceptr* base, size_t* size, CUdeviceptr address) {
  return call_in_context([&](Context&) {
    const auto found = DeviceMemory::instance()->find(address);
    if (!found || found->kind == MemoryKind::kHeap || found->kind == MemoryKind::kShared ||
        found->kind == MemoryKind::kLocal) {
      return CUDA_ERROR_NOT_FOUND;
    }
    if (found->kind == MemoryKind::kReserved) {
      const auto mapping = VirtualMemory::instance().find(address);
      if (!mapping) {
        return CUDA_ERROR_NOT_FOUND;
      }
      give<CUdeviceptr>(base, mapping->address);
      give<std::size_t>(size, mapping->bytes);
      return CUDA_SUCCESS;
    }
    give<CUdeviceptr>(base, found->address);
    give<std::size_t>(size, found->size);
    return CUDA_SUCCESS;
  });
}

GANTRY_CUDA_API cuMemPrefetchAsync(CUdeviceptr address, size_t bytes, CUdevice device,
                                   CUstream stream) {
  return prefetch(address, bytes, place_of(device), 0, stream);
}

GANTRY_CUDA_API cuMemPrefetchAsync_v2(CUdeviceptr address, size_t bytes, CUmemLocation location,
                                      unsigned int flags, CUstream stream) {
  return prefetch(address, bytes, location, flags, stream);
}

GANTRY_CUDA_API cuMemAdvise(CUdeviceptr address, size_t bytes, CUmem_advise advice,
                            CUdevice device) {
  return advise(address, bytes, advice, place_of(device));
}

GANTRY_CUDA_API cuMemAdvise_v2(CUdeviceptr address, size_t bytes, CUmem_advise advice,
                               CUmemLocation location) {
  return advise(address, bytes, advice, location);
}
