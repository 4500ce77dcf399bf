// Entry points: memory in the order of streams, and its pools.
#include "simt/driver/allocations.h"
#include "simt/driver/api.h"
#include "simt/driver/graphs/capture.h"
#include "simt/driver/memory_pool.h"
#include "simt/driver/messages.h"

#include <utility>

using namespace gantry::simt::driver;
using gantry::simt::MemoryKind;

namespace {

CUresult allocate_from(MemoryPool& pool, std::shared_ptr<MemoryPool> reference, Context& context,
                       std::size_t bytes, CUdeviceptr* address) {
  if (address == nullptr || bytes == 0) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (pool.most_bytes() != 0 &&
      bytes > pool.most_bytes() - std::min(pool.used(), pool.most_bytes())) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  AllocationRecord record;
  record.bytes = bytes;
  record.device = &pool.device();
  record.context = context.id();
  record.pool = std::move(reference);
  auto allocated = Allocations::instance().allocate(record);
  if (!allocated && allocated.error() == CUDA_ERROR_OUT_OF_MEMORY) {
    // What streams have yet to free may be enough.
    if (const CUresult error = context.synchronize(); error != CUDA_SUCCESS) {
      return error;
    }
    allocated = Allocations::instance().allocate(std::move(record));
  }
  if (!allocated) {
    return allocated.error();
  }
  *address = *allocated;
  return CUDA_SUCCESS;
}

/// In the order of a stream, or as a node of the graph that the stream is captured for.
CUresult allocate_in(CUstream handle, const std::shared_ptr<MemoryPool>& pool, Context& context,
                     std::size_t bytes, CUdeviceptr* address) {
  Stream* const stream = context.stream(handle);
  if (stream == nullptr) {
    return CUDA_ERROR_INVALID_HANDLE;
  }
  if (pool == nullptr || address == nullptr || bytes == 0) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  const auto action = Capture::admit(*stream);
  if (!action) {
    return action.error();
  }
  if (*action == Capture::Action::kRun) {
    return allocate_from(*pool, pool, context, bytes, address);
  }
  auto work = make_allocate_work(context, bytes);
  if (!work) {
    return work.error();
  }
  const CUdeviceptr place = std::get<AllocateWork>(*work).allocation->address();
  const CUresult result = Capture::add(*stream, *std::move(work));
  if (result == CUDA_SUCCESS) {
    *address = place;
  }
  return result;
}

/// body(MemoryPool&)
template <typename Body>
CUresult call_for_pool(CUmemoryPool handle, Body&& body) noexcept {
  return call(
      [&] { return with_object(handles().memory_pools, handle, body, CUDA_ERROR_INVALID_VALUE); });
}

/// Devices can reach each other's memory.
CUresult check_location(const CUmemLocation& location) {
  if (location.type != CU_MEM_LOCATION_TYPE_DEVICE) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  return Process::instance().device(location.id) == nullptr ? CUDA_ERROR_INVALID_DEVICE
                                                            : CUDA_SUCCESS;
}

} // namespace

GANTRY_CUDA_API cuMemAllocAsync(CUdeviceptr* address, size_t bytes, CUstream stream) {
  return call_in_context([&](Context& context) {
    return allocate_in(stream, context.device().pool(), context, bytes, address);
  });
}

GANTRY_CUDA_API cuMemAllocFromPoolAsync(CUdeviceptr* address, size_t bytes, CUmemoryPool handle,
                                        CUstream stream) {
  return call_in_context([&](Context& context) {
    return allocate_in(stream, handles().memory_pools.find(handle), context, bytes, address);
  });
}

GANTRY_CUDA_API cuMemFreeAsync(CUdeviceptr address, CUstream handle) {
  return call_for_stream(handle, [&](Stream& stream) {
    if (address == 0) {
      return CUDA_SUCCESS;
    }
    const auto record = Allocations::instance().find(address);
    if (!record || record->address != address || record->kind != MemoryKind::kDevice) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    const auto action = Capture::admit(stream);
    if (!action) {
      return action.error();
    }
    if (*action == Capture::Action::kCapture) {
      auto work = make_free_work(address);
      return work ? Capture::add(stream, *std::move(work)) : work.error();
    }
    if (GraphAllocation::at(address) != nullptr) {
      return free_graph_memory(address) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    }
    stream.enqueue([address](CUresult) noexcept {
      // A second free of the same memory finds it gone.
      (void)Allocations::instance().release(address, {MemoryKind::kDevice});
    });
    return CUDA_SUCCESS;
  });
}

GANTRY_CUDA_API cuMemPoolCreate(CUmemoryPool* result, const CUmemPoolProps* properties) {
  return call([&] {
    if (result == nullptr || properties == nullptr ||
        properties->allocType != CU_MEM_ALLOCATION_TYPE_PINNED) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    if (properties->handleTypes != 0 || properties->location.type != CU_MEM_LOCATION_TYPE_DEVICE) {
      return not_offered("cuMemPoolCreate of a pool for the host or for other processes");
    }
    Device* const device = Process::instance().device(properties->location.id);
    if (device == nullptr) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    *result = MemoryPool::create(*device, properties->maxSize)->handle();
    return CUDA_SUCCESS;
  });
}

GANTRY_CUDA_API cuMemPoolDestroy(CUmemoryPool handle) {
  return call_for_pool(handle, [&](MemoryPool& pool) {
    Device& device = pool.device();
    if (device.default_pool().get() == &pool) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    if (device.pool().get() == &pool) {
      device.set_pool(device.default_pool());
    }
    handles().memory_pools.erase(handle);
    return CUDA_SUCCESS;
  });
}

GANTRY_CUDA_API cuMemPoolTrimTo(CUmemoryPool handle, size_t) {
  return call_for_pool(handle, [](MemoryPool&) { return CUDA_SUCCESS; });
}

GANTRY_CUDA_API cuMemPoolGetAttribute(CUmemoryPool handle, CUmemPool_attribute attribute,
                                      void* value) {
  return call_for_pool(handle, [&](MemoryPool& pool) {
    return value == nullptr ? CUDA_ERROR_INVALID_VALUE : pool.get(attribute, value);
  });
}

GANTRY_CUDA_API cuMemPoolSetAttribute(CUmemoryPool handle, CUmemPool_attribute attribute,
                                      void* value) {
  return call_for_pool(handle, [&](MemoryPool& pool) {
    return value == nullptr ? CUDA_ERROR_INVALID_VALUE : pool.set(attribute, value);
  });
}

GANTRY_CUDA_API cuMemPoolGetAccess(CUmemAccess_flags* flags, CUmemoryPool handle,
                                   CUmemLocation* location) {
  return call_for_pool(handle, [&](MemoryPool&) {
    if (flags == nullptr || location == nullptr) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    const CUresult result = check_location(*location);
    if (result == CUDA_SUCCESS) {
      *flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    }
    return result;
  });
}

GANTRY_CUDA_API cuMemPoolSetAccess(CUmemoryPool handle, const CUmemAccessDesc* descriptions,
                                   size_t count) {
  return call_for_pool(handle, [&](MemoryPool& pool) {
    if (descriptions == nullptr && count != 0) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    for (std::size_t i = 0; i < count; ++i) {
      const CUmemAccessDesc& wish = descriptions[i];
      if (const CUresult result = check_location(wish.location); result != CUDA_SUCCESS) {
        return result;
      }
      const bool is_own = wish.location.id == pool.device().ordinal();
      if (is_own && wish.flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE) {
        return CUDA_ERROR_INVALID_VALUE;
      }
    }
    return CUDA_SUCCESS;
  });
}

GANTRY_CUDA_PROPERTY(cuDeviceGetDefaultMemPool, (CUmemoryPool * place, CUdevice handle),
                     call_for_device, object.default_pool()->handle())
GANTRY_CUDA_PROPERTY(cuDeviceGetMemPool, (CUmemoryPool * place, CUdevice handle), call_for_device,
                     object.pool()->handle())

GANTRY_CUDA_API cuDeviceSetMemPool(CUdevice ordinal, CUmemoryPool handle) {
  return call_for_device(ordinal, [&](Device& device) {
    std::shared_ptr<MemoryPool> pool = handles().memory_pools.find(handle);
    if (pool == nullptr || &pool->device() != &device) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    device.set_pool(std::move(pool));
    return CUDA_SUCCESS;
  });
}
