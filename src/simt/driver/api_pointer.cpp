// Entry points: what a pointer is.
#include "simt/driver/allocations.h"
#include "simt/driver/api.h"
#include "simt/driver/memory_pool.h"
#include "simt/driver/virtual_memory.h"

#include <cstring>
#include <optional>

using namespace gantry::simt::driver;
using gantry::simt::DeviceMemory;
using gantry::simt::MemoryKind;

namespace {

/// An allocation of the program, or a variable of a module.
struct Pointee {
  gantry::simt::Allocation allocation;
  std::optional<AllocationRecord> record;
};

std::optional<Pointee> pointee_of(CUdeviceptr address) {
  auto allocation = DeviceMemory::instance()->find(address);
  if (!allocation || allocation->kind == MemoryKind::kHeap ||
      allocation->kind == MemoryKind::kShared || allocation->kind == MemoryKind::kLocal) {
    return std::nullopt;
  }
  if (allocation->kind == MemoryKind::kReserved) {
    const auto mapping = VirtualMemory::instance().find(address);
    if (!mapping) {
      return std::nullopt;
    }
    allocation->address = mapping->address;
    allocation->size = mapping->bytes;
    allocation->device = mapping->object->device().ordinal();
  }
  return Pointee{std::move(*allocation), Allocations::instance().find(address)};
}

/// The context's handle, by its number: contexts that have ended have no memory.
CUcontext context_of(const Pointee& pointee) {
  const Context* const current = current_context();
  if (current != nullptr && current->id() == pointee.allocation.context) {
    return current->handle();
  }
  return Context::handle_of(pointee.allocation.context);
}

template <typename Value>
CUresult put(void* data, Value value) {
  std::memcpy(data, &value, sizeof(value));
  return CUDA_SUCCESS;
}

CUresult attribute_of(void* data, CUpointer_attribute attribute, CUdeviceptr address,
                      const Pointee& pointee) {
  const MemoryKind kind = pointee.allocation.kind;
  const bool is_host = kind == MemoryKind::kPinned || kind == MemoryKind::kRegistered;
  const bool is_managed = kind == MemoryKind::kManaged;
  switch (attribute) {
  case CU_POINTER_ATTRIBUTE_CONTEXT:
    return put(data, handle_bits(context_of(pointee)));
  case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
    return put<unsigned>(data, is_host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE);
  case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
    return put(data, address);
  case CU_POINTER_ATTRIBUTE_HOST_POINTER:
    return is_host || is_managed ? put(data, address) : CUDA_ERROR_INVALID_VALUE;
  case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    return put<unsigned>(data, 0);
  case CU_POINTER_ATTRIBUTE_BUFFER_ID:
    return put<unsigned long long>(data, pointee.record ? pointee.record->id
                                                        : pointee.allocation.address);
  case CU_POINTER_ATTRIBUTE_IS_MANAGED:
    return put<unsigned>(data, is_managed ? 1 : 0);
  case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
    return put<int>(data, pointee.allocation.device);
  case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
  case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
    return put<CUdeviceptr>(data, pointee.allocation.address);
  case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
  case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
    return put<std::size_t>(data, pointee.allocation.size);
  case CU_POINTER_ATTRIBUTE_MAPPED:
    return put<unsigned>(data, 1);
  case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
    return put<unsigned>(data, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
    return put(data, pointee.record && pointee.record->pool != nullptr
                         ? handle_bits(pointee.record->pool->handle())
                         : std::uint64_t{0});
  case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
    return put<unsigned long long>(data, 0);
  case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
  case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
  case CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE:
    return put<unsigned>(data, 0);
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
}

/// Bytes of an attribute's value, for those of pointers that the driver does not know.
std::size_t size_of(CUpointer_attribute attribute) {
  switch (attribute) {
  case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
  case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
  case CU_POINTER_ATTRIBUTE_IS_MANAGED:
  case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
  case CU_POINTER_ATTRIBUTE_MAPPED:
  case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
  case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
  case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
  case CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE:
    return sizeof(unsigned);
  default:
    return sizeof(std::uint64_t);
  }
}

} // namespace

GANTRY_CUDA_API cuPointerGetAttribute(void* data, CUpointer_attribute attribute,
                                      CUdeviceptr address) {
  return call_in_context([&](Context&) {
    const auto pointee = pointee_of(address);
    return data == nullptr || !pointee ? CUDA_ERROR_INVALID_VALUE
                                       : attribute_of(data, attribute, address, *pointee);
  });
}

GANTRY_CUDA_API cuPointerGetAttributes(unsigned int count, CUpointer_attribute* attributes,
                                       void** data, CUdeviceptr address) {
  return call_in_context([&](Context&) {
    if (count == 0 || attributes == nullptr || data == nullptr) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    // Unlike the call for one attribute, this one has values for any pointer.
    const auto pointee = pointee_of(address);
    for (unsigned i = 0; i < count; ++i) {
      if (attributes[i] < CU_POINTER_ATTRIBUTE_CONTEXT ||
          attributes[i] > CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE || data[i] == nullptr) {
        return CUDA_ERROR_INVALID_VALUE;
      }
      if (!pointee || attribute_of(data[i], attributes[i], address, *pointee) != CUDA_SUCCESS) {
        std::memset(data[i], 0, size_of(attributes[i]));
        if (attributes[i] == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL) {
          put<int>(data[i], CU_DEVICE_INVALID);
        }
      }
    }
    return CUDA_SUCCESS;
  });
}

GANTRY_CUDA_API cuPointerSetAttribute(const void* value, CUpointer_attribute attribute,
                                      CUdeviceptr address) {
  return call_in_context([&](Context&) {
    const auto pointee = pointee_of(address);
    // Synchronous copies are synchronous here whatever is asked for.
    return value == nullptr || attribute != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS || !pointee
               ? CUDA_ERROR_INVALID_VALUE
               : CUDA_SUCCESS;
  });
}
