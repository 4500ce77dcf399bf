// Entry points: memory that the program maps itself.
#include "simt/driver/api.h"
#include "simt/driver/messages.h"
#include "simt/driver/virtual_memory.h"

#include <utility>

using namespace gantry::simt::driver;

namespace {

/// The device whose memory the properties are about.
tl::expected<Device*, CUresult> device_of(const CUmemAllocationProp* properties) {
  if (properties == nullptr || properties->type != CU_MEM_ALLOCATION_TYPE_PINNED) {
    return tl::unexpected(CUDA_ERROR_INVALID_VALUE);
  }
  if (properties->location.type != CU_MEM_LOCATION_TYPE_DEVICE ||
      properties->requestedHandleTypes != CU_MEM_HANDLE_TYPE_NONE) {
    return tl::unexpected(not_offered("cuMemCreate of the host's memory, or for other processes"));
  }
  Device* const device = Process::instance().device(properties->location.id);
  if (device == nullptr) {
    return tl::unexpected(CUDA_ERROR_INVALID_DEVICE);
  }
  return device;
}

/// Places that can be given access: devices, which reach each other's memory, and the host.
bool can_access(const CUmemLocation& location) {
  return location.type == CU_MEM_LOCATION_TYPE_HOST ||
         (location.type == CU_MEM_LOCATION_TYPE_DEVICE &&
          Process::instance().device(location.id) != nullptr);
}

/// body(object) with the object that a handle means.
template <typename Body>
CUresult call_for_object(CUmemGenericAllocationHandle handle, const Body& body) {
  return call([&] {
    std::shared_ptr<MemoryObject> object = VirtualMemory::instance().object(handle);
    return object == nullptr ? CUDA_ERROR_INVALID_VALUE : body(std::move(object));
  });
}

} // namespace

GANTRY_CUDA_API cuMemAddressReserve(CUdeviceptr* address, size_t bytes, size_t alignment,
                                    CUdeviceptr /*wished*/, unsigned long long flags) {
  return call([&] {
    if (address == nullptr || flags != 0) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    const auto reserved = VirtualMemory::instance().reserve(bytes, alignment);
    return reserved ? deliver(address, *reserved) : reserved.error();
  });
}

GANTRY_CUDA_API cuMemAddressFree(CUdeviceptr address, size_t bytes) {
  return call([&] { return VirtualMemory::instance().free(address, bytes); });
}

GANTRY_CUDA_API cuMemCreate(CUmemGenericAllocationHandle* handle, size_t bytes,
                            const CUmemAllocationProp* properties, unsigned long long flags) {
  return call([&] {
    if (handle == nullptr || flags != 0 || bytes == 0 || bytes % VirtualMemory::kGranularity != 0) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    const auto device = device_of(properties);
    if (!device) {
      return device.error();
    }
    const auto object = MemoryObject::create(**device, bytes, *properties);
    return object ? deliver(handle, VirtualMemory::instance().retain(*object)) : object.error();
  });
}

GANTRY_CUDA_API cuMemRelease(CUmemGenericAllocationHandle handle) {
  return call([&] {
    return VirtualMemory::instance().release(handle) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  });
}

GANTRY_CUDA_API cuMemRetainAllocationHandle(CUmemGenericAllocationHandle* handle, void* address) {
  return call([&] {
    const auto mapping = VirtualMemory::instance().find(bits(address));
    return mapping ? deliver(handle, VirtualMemory::instance().retain(mapping->object))
                   : CUDA_ERROR_INVALID_VALUE;
  });
}

GANTRY_CUDA_API cuMemMap(CUdeviceptr address, size_t bytes, size_t offset,
                         CUmemGenericAllocationHandle handle, unsigned long long flags) {
  return call_for_object(handle, [&](std::shared_ptr<MemoryObject> object) {
    if (flags != 0) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    return offset != 0 || bytes != object->bytes() // a part of it
               ? CUDA_ERROR_NOT_SUPPORTED
               : VirtualMemory::instance().map(address, std::move(object));
  });
}

GANTRY_CUDA_API cuMemUnmap(CUdeviceptr address, size_t bytes) {
  return call([&] { return VirtualMemory::instance().unmap(address, bytes); });
}

GANTRY_CUDA_API cuMemSetAccess(CUdeviceptr address, size_t bytes,
                               const CUmemAccessDesc* descriptions, size_t count) {
  return call([&] {
    if (descriptions == nullptr || count == 0) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    // Whoever may access it, all can.
    CUmemAccess_flags access = CU_MEM_ACCESS_FLAGS_PROT_NONE;
    for (std::size_t i = 0; i < count; ++i) {
      const CUmemAccess_flags flags = descriptions[i].flags;
      if (!can_access(descriptions[i].location) ||
          (flags != CU_MEM_ACCESS_FLAGS_PROT_NONE && flags != CU_MEM_ACCESS_FLAGS_PROT_READ &&
           flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE)) {
        return CUDA_ERROR_INVALID_VALUE;
      }
      access = static_cast<CUmemAccess_flags>(access | flags);
    }
    return VirtualMemory::instance().set_access(address, bytes, access);
  });
}

GANTRY_CUDA_API cuMemGetAccess(unsigned long long* flags, const CUmemLocation* location,
                               CUdeviceptr address) {
  return call([&] {
    const auto mapping = VirtualMemory::instance().find(address);
    if (location == nullptr || !can_access(*location) || !mapping) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    return deliver(flags, static_cast<unsigned long long>(mapping->access));
  });
}

GANTRY_CUDA_API cuMemGetAllocationGranularity(size_t* granularity,
                                              const CUmemAllocationProp* properties,
                                              CUmemAllocationGranularity_flags option) {
  return call([&] {
    const auto device = device_of(properties);
    if (!device) {
      return device.error();
    }
    return option < CU_MEM_ALLOC_GRANULARITY_MINIMUM ||
                   option > CU_MEM_ALLOC_GRANULARITY_RECOMMENDED
               ? CUDA_ERROR_INVALID_VALUE
               : deliver(granularity, VirtualMemory::kGranularity);
  });
}

GANTRY_CUDA_API cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp* properties,
                                                       CUmemGenericAllocationHandle handle) {
  return call_for_object(handle, [&](const std::shared_ptr<MemoryObject>& object) {
    return deliver(properties, object->properties());
  });
}
