/* The CUDA driver API's memory that a program maps itself: the types of its ABI, and their entry
 * points. A part of gantry/cuda_driver.h, which says where they are from.
 */
#ifndef GANTRY_CUDA_VIRTUAL_MEMORY_H
#define GANTRY_CUDA_VIRTUAL_MEMORY_H

#ifndef GANTRY_CUDA_DRIVER_H
#error "include gantry/cuda_driver.h"
#endif

/** An object of memory without an address. */
typedef unsigned long long CUmemGenericAllocationHandle;

typedef struct CUmemAllocationProp {
  CUmemAllocationType type;
  CUmemAllocationHandleType requestedHandleTypes;
  CUmemLocation location;
  void* win32HandleMetaData;
  struct {
    unsigned char compressionType, gpuDirectRDMACapable;
    unsigned short usage;
    unsigned char reserved[4];
  } allocFlags;
} CUmemAllocationProp;

/* clang-format off: one row an entry. */
/** The part of GANTRY_CUDA_ENTRIES that is about such memory. */
#define GANTRY_CUDA_VIRTUAL_MEMORY_ENTRIES(GANTRY_CUDA_ENTRY)                                      \
  GANTRY_CUDA_ENTRY(CUresult, cuMemAddressReserve,                                                 \
                    (CUdeviceptr * address, size_t bytes, size_t alignment, CUdeviceptr wished,    \
                     unsigned long long flags))                                                    \
  GANTRY_CUDA_ENTRY(CUresult, cuMemAddressFree, (CUdeviceptr address, size_t bytes))               \
  GANTRY_CUDA_ENTRY(CUresult, cuMemCreate,                                                         \
                    (CUmemGenericAllocationHandle * handle, size_t bytes,                          \
                     const CUmemAllocationProp* properties, unsigned long long flags))             \
  GANTRY_CUDA_ENTRY(CUresult, cuMemRelease, (CUmemGenericAllocationHandle handle))                 \
  GANTRY_CUDA_ENTRY(CUresult, cuMemRetainAllocationHandle,                                         \
                    (CUmemGenericAllocationHandle * handle, void* address))                        \
  GANTRY_CUDA_ENTRY(CUresult, cuMemMap,                                                            \
                    (CUdeviceptr address, size_t bytes, size_t offset,                             \
                     CUmemGenericAllocationHandle handle, unsigned long long flags))               \
  GANTRY_CUDA_ENTRY(CUresult, cuMemUnmap, (CUdeviceptr address, size_t bytes))                     \
  GANTRY_CUDA_ENTRY(                                                                               \
      CUresult, cuMemSetAccess,                                                                    \
      (CUdeviceptr address, size_t bytes, const CUmemAccessDesc* descriptions, size_t count))      \
  GANTRY_CUDA_ENTRY(                                                                               \
      CUresult, cuMemGetAccess,                                                                    \
      (unsigned long long* flags, const CUmemLocation* location, CUdeviceptr address))             \
  GANTRY_CUDA_ENTRY(CUresult, cuMemGetAllocationGranularity,                                       \
                    (size_t* granularity, const CUmemAllocationProp* properties,                   \
                     CUmemAllocationGranularity_flags option))                                     \
  GANTRY_CUDA_ENTRY(CUresult, cuMemGetAllocationPropertiesFromHandle,                              \
                    (CUmemAllocationProp * properties, CUmemGenericAllocationHandle handle))
/* clang-format on */

#endif
