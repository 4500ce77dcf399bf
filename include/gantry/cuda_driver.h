/* The CUDA driver API, as far as Gantry speaks it: the types and numbers of its ABI, and one table
 * of its entry points that both sides share. The PTX executor (src/simt/driver/) exports every
 * entry of the table; whoever drives a device imports them by name.
 *
 * Written from the published interface for x86-64 Linux. It stands instead of NVIDIA's cuda.h,
 * whose names it uses, and cannot be included beside it. Names that end in _v2, _v3, … are names of
 * the ABI and are what cuda.h's macros make of the plain ones.
 *
 * Common to all functions: they return CUDA_SUCCESS or the error; any thread may call them; those
 * that work on "the current context" use the one that the calling thread has made current.
 */
#ifndef GANTRY_CUDA_DRIVER_H
#define GANTRY_CUDA_DRIVER_H

#include "gantry/cuda_numbers.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The version whose interface this is, as cuDriverGetVersion gives it. */
#define CUDA_VERSION 13000

typedef int CUdevice; /**< an ordinal */
typedef unsigned long long CUdeviceptr;

/* Handles. What they point to is the driver's. */
typedef struct CUctx_st* CUcontext;
typedef struct CUmod_st* CUmodule;
typedef struct CUfunc_st* CUfunction;
typedef struct CUlib_st* CUlibrary;
typedef struct CUkern_st* CUkernel; /**< may stand where a CUfunction is asked for */
typedef struct CUstream_st* CUstream;
typedef struct CUevent_st* CUevent;
typedef struct CUlinkState_st* CUlinkState;
typedef struct CUmemPoolHandle_st* CUmemoryPool;
typedef struct CUarray_st* CUarray;

typedef struct CUuuid_st {
  char bytes[16];
} CUuuid;

/** The default stream that waits for, and is waited for by, a context's other blocking streams. */
#define CU_STREAM_LEGACY ((CUstream)0x1)
/** The default stream of the calling thread. */
#define CU_STREAM_PER_THREAD ((CUstream)0x2)
#define CU_DEVICE_CPU ((CUdevice) - 1)
#define CU_DEVICE_INVALID ((CUdevice) - 2)

/* The words of cuLaunchKernel's `extra`. */
#define CU_LAUNCH_PARAM_END ((void*)0)
#define CU_LAUNCH_PARAM_BUFFER_POINTER ((void*)1)
#define CU_LAUNCH_PARAM_BUFFER_SIZE ((void*)2) /**< followed by a pointer to a size_t */

typedef struct CUdevprop {
  int maxThreadsPerBlock;
  int maxThreadsDim[3];
  int maxGridSize[3];
  int sharedMemPerBlock;
  int totalConstantMemory;
  int SIMDWidth;
  int memPitch;
  int regsPerBlock;
  int clockRate;
  int textureAlign;
} CUdevprop;

typedef struct CUDA_MEMCPY2D {
  size_t srcXInBytes, srcY;
  CUmemorytype srcMemoryType;
  const void* srcHost;
  CUdeviceptr srcDevice;
  CUarray srcArray;
  size_t srcPitch;
  size_t dstXInBytes, dstY;
  CUmemorytype dstMemoryType;
  void* dstHost;
  CUdeviceptr dstDevice;
  CUarray dstArray;
  size_t dstPitch;
  size_t WidthInBytes, Height;
} CUDA_MEMCPY2D;

typedef struct CUDA_MEMCPY3D {
  size_t srcXInBytes, srcY, srcZ, srcLOD;
  CUmemorytype srcMemoryType;
  const void* srcHost;
  CUdeviceptr srcDevice;
  CUarray srcArray;
  void* reserved0;
  size_t srcPitch, srcHeight;
  size_t dstXInBytes, dstY, dstZ, dstLOD;
  CUmemorytype dstMemoryType;
  void* dstHost;
  CUdeviceptr dstDevice;
  CUarray dstArray;
  void* reserved1;
  size_t dstPitch, dstHeight;
  size_t WidthInBytes, Height, Depth;
} CUDA_MEMCPY3D;

/** A CUDA_MEMCPY3D whose reserved words are the contexts of the two sides. */
typedef struct CUDA_MEMCPY3D_PEER {
  size_t srcXInBytes, srcY, srcZ, srcLOD;
  CUmemorytype srcMemoryType;
  const void* srcHost;
  CUdeviceptr srcDevice;
  CUarray srcArray;
  CUcontext srcContext;
  size_t srcPitch, srcHeight;
  size_t dstXInBytes, dstY, dstZ, dstLOD;
  CUmemorytype dstMemoryType;
  void* dstHost;
  CUdeviceptr dstDevice;
  CUarray dstArray;
  CUcontext dstContext;
  size_t dstPitch, dstHeight;
  size_t WidthInBytes, Height, Depth;
} CUDA_MEMCPY3D_PEER;

typedef union CUlaunchAttributeValue {
  char pad[64];
  int cooperative;
  struct {
    unsigned int x, y, z;
  } clusterDim;
  int programmaticStreamSerializationAllowed;
  struct {
    CUevent event;
    int flags;
    int triggerAtBlockStart;
  } programmaticEvent;
  struct {
    CUevent event;
    int flags;
  } launchCompletionEvent;
  int priority;
  CUclusterSchedulingPolicy clusterSchedulingPolicyPreference;
} CUlaunchAttributeValue;

typedef struct CUlaunchAttribute {
  CUlaunchAttributeID id;
  char pad[8 - sizeof(CUlaunchAttributeID)];
  CUlaunchAttributeValue value;
} CUlaunchAttribute;

typedef struct CUlaunchConfig {
  unsigned int gridDimX, gridDimY, gridDimZ;
  unsigned int blockDimX, blockDimY, blockDimZ;
  unsigned int sharedMemBytes;
  CUstream hStream;
  CUlaunchAttribute* attrs;
  unsigned int numAttrs;
} CUlaunchConfig;

typedef struct CUmemLocation {
  CUmemLocationType type;
  int id;
} CUmemLocation;

typedef struct CUmemAccessDesc {
  CUmemLocation location;
  CUmemAccess_flags flags;
} CUmemAccessDesc;

typedef struct CUmemPoolProps {
  CUmemAllocationType allocType;
  unsigned int handleTypes; /**< 0: the pool is not shared with other processes */
  CUmemLocation location;
  void* win32SecurityAttributes;
  size_t maxSize; /**< 0: as much as the device has */
  unsigned short usage;
  unsigned char reserved[54];
} CUmemPoolProps;

typedef struct CUmemcpyAttributes {
  CUmemcpySrcAccessOrder srcAccessOrder;
  CUmemLocation srcLocHint, dstLocHint;
  unsigned int flags;
} CUmemcpyAttributes;

typedef struct CUctxCreateParams {
  void* execAffinityParams;
  int numExecAffinityParams;
  void* cigParams;
} CUctxCreateParams;

typedef void (*CUhostFn)(void* argument);
typedef void (*CUstreamCallback)(CUstream stream, CUresult status, void* argument);
/** The bytes of dynamic shared memory that a block of so many threads needs. */
typedef size_t (*CUoccupancyB2DSize)(int block_size);

#include "gantry/cuda_graph.h"
#include "gantry/cuda_virtual_memory.h"

/* clang-format off: one row an entry. */
/** Every entry point: GANTRY_CUDA_ENTRY(result, name, (parameters)). Whoever uses the table gives
    the macro that is done for each of them. */
#define GANTRY_CUDA_ENTRIES(GANTRY_CUDA_ENTRY)                                                     \
  /* general */                                                                                    \
  GANTRY_CUDA_ENTRY(CUresult, cuInit, (unsigned int flags))                                        \
  GANTRY_CUDA_ENTRY(CUresult, cuDriverGetVersion, (int* version))                                  \
  GANTRY_CUDA_ENTRY(CUresult, cuGetErrorName, (CUresult error, const char** name))                 \
  GANTRY_CUDA_ENTRY(CUresult, cuGetErrorString, (CUresult error, const char** text))               \
  GANTRY_CUDA_ENTRY(CUresult, cuGetProcAddress,                                                    \
                    (const char* symbol, void** function, int version, uint64_t flags))            \
  GANTRY_CUDA_ENTRY(CUresult, cuGetProcAddress_v2,                                                 \
                    (const char* symbol, void** function, int version, uint64_t flags,             \
                     CUdriverProcAddressQueryResult* status))                                      \
  GANTRY_CUDA_ENTRY(CUresult, cuGetExportTable, (const void** table, const CUuuid* id))            \
  GANTRY_CUDA_ENTRY(CUresult, cuProfilerStart, (void))                                             \
  GANTRY_CUDA_ENTRY(CUresult, cuProfilerStop, (void))                                              \
  /* devices */                                                                                    \
  GANTRY_CUDA_ENTRY(CUresult, cuDeviceGet, (CUdevice * device, int ordinal))                       \
  GANTRY_CUDA_ENTRY(CUresult, cuDeviceGetCount, (int* count))                                      \
  GANTRY_CUDA_ENTRY(CUresult, cuDeviceGetName, (char* name, int length, CUdevice device))          \
  GANTRY_CUDA_ENTRY(CUresult, cuDeviceGetUuid, (CUuuid * uuid, CUdevice device))                   \
  GANTRY_CUDA_ENTRY(CUresult, cuDeviceGetUuid_v2, (CUuuid * uuid, CUdevice device))                \
  GANTRY_CUDA_ENTRY(CUresult, cuDeviceTotalMem_v2, (size_t* bytes, CUdevice device))               \
  GANTRY_CUDA_ENTRY(CUresult, cuDeviceGetAttribute,                                                \
                    (int* value, CUdevice_attribute attribute, CUdevice device))                   \
  GANTRY_CUDA_ENTRY(CUresult, cuDeviceGetProperties, (CUdevprop * properties, CUdevice device))    \
  GANTRY_CUDA_ENTRY(CUresult, cuDeviceComputeCapability,                                           \
                    (int* major, int* minor, CUdevice device))                                     \
  GANTRY_CUDA_ENTRY(CUresult, cuDeviceGetByPCIBusId, (CUdevice * device, const char* bus_id))      \
  GANTRY_CUDA_ENTRY(CUresult, cuDeviceGetPCIBusId, (char* bus_id, int length, CUdevice device))    \
  GANTRY_CUDA_ENTRY(CUresult, cuDeviceGetExecAffinitySupport,                                      \
                    (int* supported, CUexecAffinityType type, CUdevice device))                    \
  GANTRY_CUDA_ENTRY(CUresult, cuDeviceCanAccessPeer,                                               \
                    (int* can_access, CUdevice device, CUdevice peer))                             \
  GANTRY_CUDA_ENTRY(                                                                               \
      CUresult, cuDeviceGetP2PAttribute,                                                           \
      (int* value, CUdevice_P2PAttribute attribute, CUdevice source, CUdevice destination))        \
  GANTRY_CUDA_ENTRY(CUresult, cuDeviceGetDefaultMemPool, (CUmemoryPool * pool, CUdevice device))   \
  GANTRY_CUDA_ENTRY(CUresult, cuDeviceGetMemPool, (CUmemoryPool * pool, CUdevice device))          \
  GANTRY_CUDA_ENTRY(CUresult, cuDeviceSetMemPool, (CUdevice device, CUmemoryPool pool))            \
  GANTRY_CUDA_ENTRY(CUresult, cuDevicePrimaryCtxRetain, (CUcontext * context, CUdevice device))    \
  GANTRY_CUDA_ENTRY(CUresult, cuDevicePrimaryCtxRelease_v2, (CUdevice device))                     \
  GANTRY_CUDA_ENTRY(CUresult, cuDevicePrimaryCtxReset_v2, (CUdevice device))                       \
  GANTRY_CUDA_ENTRY(CUresult, cuDevicePrimaryCtxGetState,                                          \
                    (CUdevice device, unsigned int* flags, int* active))                           \
  GANTRY_CUDA_ENTRY(CUresult, cuDevicePrimaryCtxSetFlags_v2,                                       \
                    (CUdevice device, unsigned int flags))                                         \
  /* contexts */                                                                                   \
  GANTRY_CUDA_ENTRY(CUresult, cuCtxCreate_v2,                                                      \
                    (CUcontext * context, unsigned int flags, CUdevice device))                    \
  GANTRY_CUDA_ENTRY(CUresult, cuCtxCreate_v3,                                                      \
                    (CUcontext * context, void* affinity, int affinity_count, unsigned int flags,  \
                     CUdevice device))                                                             \
  GANTRY_CUDA_ENTRY(                                                                               \
      CUresult, cuCtxCreate_v4,                                                                    \
      (CUcontext * context, CUctxCreateParams * parameters, unsigned int flags, CUdevice device))  \
  GANTRY_CUDA_ENTRY(CUresult, cuCtxDestroy_v2, (CUcontext context))                                \
  GANTRY_CUDA_ENTRY(CUresult, cuCtxAttach, (CUcontext * context, unsigned int flags))              \
  GANTRY_CUDA_ENTRY(CUresult, cuCtxDetach, (CUcontext context))                                    \
  GANTRY_CUDA_ENTRY(CUresult, cuCtxPushCurrent_v2, (CUcontext context))                            \
  GANTRY_CUDA_ENTRY(CUresult, cuCtxPopCurrent_v2, (CUcontext * context))                           \
  GANTRY_CUDA_ENTRY(CUresult, cuCtxSetCurrent, (CUcontext context))                                \
  GANTRY_CUDA_ENTRY(CUresult, cuCtxGetCurrent, (CUcontext * context))                              \
  GANTRY_CUDA_ENTRY(CUresult, cuCtxGetDevice, (CUdevice * device))                                 \
  GANTRY_CUDA_ENTRY(CUresult, cuCtxGetDevice_v2, (CUdevice * device, CUcontext context))           \
  GANTRY_CUDA_ENTRY(CUresult, cuCtxGetFlags, (unsigned int* flags))                                \
  GANTRY_CUDA_ENTRY(CUresult, cuCtxSetFlags, (unsigned int flags))                                 \
  GANTRY_CUDA_ENTRY(CUresult, cuCtxGetId, (CUcontext context, unsigned long long* id))             \
  GANTRY_CUDA_ENTRY(CUresult, cuCtxGetApiVersion, (CUcontext context, unsigned int* version))      \
  GANTRY_CUDA_ENTRY(CUresult, cuCtxSynchronize, (void))                                            \
  GANTRY_CUDA_ENTRY(CUresult, cuCtxSynchronize_v2, (CUcontext context))                            \
  GANTRY_CUDA_ENTRY(CUresult, cuCtxGetLimit, (size_t* value, CUlimit limit))                       \
  GANTRY_CUDA_ENTRY(CUresult, cuCtxSetLimit, (CUlimit limit, size_t value))                        \
  GANTRY_CUDA_ENTRY(CUresult, cuCtxGetCacheConfig, (CUfunc_cache * config))                        \
  GANTRY_CUDA_ENTRY(CUresult, cuCtxSetCacheConfig, (CUfunc_cache config))                          \
  GANTRY_CUDA_ENTRY(CUresult, cuCtxGetSharedMemConfig, (CUsharedconfig * config))                  \
  GANTRY_CUDA_ENTRY(CUresult, cuCtxSetSharedMemConfig, (CUsharedconfig config))                    \
  GANTRY_CUDA_ENTRY(CUresult, cuCtxGetStreamPriorityRange, (int* least, int* greatest))            \
  GANTRY_CUDA_ENTRY(CUresult, cuCtxResetPersistingL2Cache, (void))                                 \
  GANTRY_CUDA_ENTRY(CUresult, cuCtxEnablePeerAccess, (CUcontext peer, unsigned int flags))         \
  GANTRY_CUDA_ENTRY(CUresult, cuCtxDisablePeerAccess, (CUcontext peer))                            \
  /* modules */                                                                                    \
  GANTRY_CUDA_ENTRY(CUresult, cuModuleLoad, (CUmodule * module, const char* path))                 \
  GANTRY_CUDA_ENTRY(CUresult, cuModuleLoadData, (CUmodule * module, const void* image))            \
  GANTRY_CUDA_ENTRY(CUresult, cuModuleLoadDataEx,                                                  \
                    (CUmodule * module, const void* image, unsigned int option_count,              \
                     CUjit_option* options, void** values))                                        \
  GANTRY_CUDA_ENTRY(CUresult, cuModuleLoadFatBinary, (CUmodule * module, const void* image))       \
  GANTRY_CUDA_ENTRY(CUresult, cuModuleUnload, (CUmodule module))                                   \
  GANTRY_CUDA_ENTRY(CUresult, cuModuleGetLoadingMode, (CUmoduleLoadingMode * mode))                \
  GANTRY_CUDA_ENTRY(CUresult, cuModuleGetFunction,                                                 \
                    (CUfunction * function, CUmodule module, const char* name))                    \
  GANTRY_CUDA_ENTRY(CUresult, cuModuleGetFunctionCount, (unsigned int* count, CUmodule module))    \
  GANTRY_CUDA_ENTRY(CUresult, cuModuleEnumerateFunctions,                                          \
                    (CUfunction * functions, unsigned int count, CUmodule module))                 \
  GANTRY_CUDA_ENTRY(CUresult, cuModuleGetGlobal_v2,                                                \
                    (CUdeviceptr * address, size_t* bytes, CUmodule module, const char* name))     \
  GANTRY_CUDA_ENTRY(                                                                               \
      CUresult, cuLinkCreate_v2,                                                                   \
      (unsigned int option_count, CUjit_option* options, void** values, CUlinkState* state))       \
  GANTRY_CUDA_ENTRY(CUresult, cuLinkAddData_v2,                                                    \
                    (CUlinkState state, CUjitInputType type, void* data, size_t size,              \
                     const char* name, unsigned int option_count, CUjit_option* options,           \
                     void** values))                                                               \
  GANTRY_CUDA_ENTRY(CUresult, cuLinkAddFile_v2,                                                    \
                    (CUlinkState state, CUjitInputType type, const char* path,                     \
                     unsigned int option_count, CUjit_option* options, void** values))             \
  GANTRY_CUDA_ENTRY(CUresult, cuLinkComplete, (CUlinkState state, void** image, size_t* size))     \
  GANTRY_CUDA_ENTRY(CUresult, cuLinkDestroy, (CUlinkState state))                                  \
  /* libraries */                                                                                  \
  GANTRY_CUDA_ENTRY(CUresult, cuLibraryLoadData,                                                   \
                    (CUlibrary * library, const void* image, CUjit_option* jit_options,            \
                     void** jit_values, unsigned int jit_count, CUlibraryOption* options,          \
                     void** values, unsigned int option_count))                                    \
  GANTRY_CUDA_ENTRY(CUresult, cuLibraryLoadFromFile,                                               \
                    (CUlibrary * library, const char* path, CUjit_option* jit_options,             \
                     void** jit_values, unsigned int jit_count, CUlibraryOption* options,          \
                     void** values, unsigned int option_count))                                    \
  GANTRY_CUDA_ENTRY(CUresult, cuLibraryUnload, (CUlibrary library))                                \
  GANTRY_CUDA_ENTRY(CUresult, cuLibraryGetKernel,                                                  \
                    (CUkernel * kernel, CUlibrary library, const char* name))                      \
  GANTRY_CUDA_ENTRY(CUresult, cuLibraryGetKernelCount, (unsigned int* count, CUlibrary library))   \
  GANTRY_CUDA_ENTRY(CUresult, cuLibraryEnumerateKernels,                                           \
                    (CUkernel * kernels, unsigned int count, CUlibrary library))                   \
  GANTRY_CUDA_ENTRY(CUresult, cuLibraryGetModule, (CUmodule * module, CUlibrary library))          \
  GANTRY_CUDA_ENTRY(CUresult, cuLibraryGetManaged,                                                 \
                    (CUdeviceptr * address, size_t* bytes, CUlibrary library, const char* name))   \
  GANTRY_CUDA_ENTRY(CUresult, cuLibraryGetUnifiedFunction,                                         \
                    (void** function, CUlibrary library, const char* name))                        \
  GANTRY_CUDA_ENTRY(CUresult, cuLibraryGetGlobal,                                                  \
                    (CUdeviceptr * address, size_t* bytes, CUlibrary library, const char* name))   \
  GANTRY_CUDA_ENTRY(CUresult, cuKernelGetFunction, (CUfunction * function, CUkernel kernel))       \
  GANTRY_CUDA_ENTRY(CUresult, cuKernelGetLibrary, (CUlibrary * library, CUkernel kernel))          \
  GANTRY_CUDA_ENTRY(CUresult, cuKernelGetName, (const char** name, CUkernel kernel))               \
  GANTRY_CUDA_ENTRY(                                                                               \
      CUresult, cuKernelGetAttribute,                                                              \
      (int* value, CUfunction_attribute attribute, CUkernel kernel, CUdevice device))              \
  GANTRY_CUDA_ENTRY(CUresult, cuKernelSetAttribute,                                                \
                    (CUfunction_attribute attribute, int value, CUkernel kernel, CUdevice device)) \
  GANTRY_CUDA_ENTRY(CUresult, cuKernelSetCacheConfig,                                              \
                    (CUkernel kernel, CUfunc_cache config, CUdevice device))                       \
  GANTRY_CUDA_ENTRY(CUresult, cuKernelGetParamInfo,                                                \
                    (CUkernel kernel, size_t index, size_t* offset, size_t* size))                 \
  /* functions and launches */                                                                     \
  GANTRY_CUDA_ENTRY(CUresult, cuFuncGetAttribute,                                                  \
                    (int* value, CUfunction_attribute attribute, CUfunction function))             \
  GANTRY_CUDA_ENTRY(CUresult, cuFuncSetAttribute,                                                  \
                    (CUfunction function, CUfunction_attribute attribute, int value))              \
  GANTRY_CUDA_ENTRY(CUresult, cuFuncSetCacheConfig, (CUfunction function, CUfunc_cache config))    \
  GANTRY_CUDA_ENTRY(CUresult, cuFuncSetSharedMemConfig,                                            \
                    (CUfunction function, CUsharedconfig config))                                  \
  GANTRY_CUDA_ENTRY(CUresult, cuFuncGetModule, (CUmodule * module, CUfunction function))           \
  GANTRY_CUDA_ENTRY(CUresult, cuFuncGetName, (const char** name, CUfunction function))             \
  GANTRY_CUDA_ENTRY(CUresult, cuFuncGetParamInfo,                                                  \
                    (CUfunction function, size_t index, size_t* offset, size_t* size))             \
  GANTRY_CUDA_ENTRY(CUresult, cuFuncIsLoaded,                                                      \
                    (CUfunctionLoadingState * state, CUfunction function))                         \
  GANTRY_CUDA_ENTRY(CUresult, cuFuncLoad, (CUfunction function))                                   \
  GANTRY_CUDA_ENTRY(CUresult, cuLaunchKernel,                                                      \
                    (CUfunction function, unsigned int grid_x, unsigned int grid_y,                \
                     unsigned int grid_z, unsigned int block_x, unsigned int block_y,              \
                     unsigned int block_z, unsigned int shared_bytes, CUstream stream,             \
                     void** parameters, void** extra))                                             \
  GANTRY_CUDA_ENTRY(                                                                               \
      CUresult, cuLaunchKernelEx,                                                                  \
      (const CUlaunchConfig* config, CUfunction function, void** parameters, void** extra))        \
  GANTRY_CUDA_ENTRY(CUresult, cuLaunchCooperativeKernel,                                           \
                    (CUfunction function, unsigned int grid_x, unsigned int grid_y,                \
                     unsigned int grid_z, unsigned int block_x, unsigned int block_y,              \
                     unsigned int block_z, unsigned int shared_bytes, CUstream stream,             \
                     void** parameters))                                                           \
  GANTRY_CUDA_ENTRY(CUresult, cuLaunchHostFunc,                                                    \
                    (CUstream stream, CUhostFn function, void* argument))                          \
  GANTRY_CUDA_ENTRY(CUresult, cuOccupancyMaxActiveBlocksPerMultiprocessor,                         \
                    (int* blocks, CUfunction function, int block_size, size_t shared_bytes))       \
  GANTRY_CUDA_ENTRY(                                                                               \
      CUresult, cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,                              \
      (int* blocks, CUfunction function, int block_size, size_t shared_bytes, unsigned int flags)) \
  GANTRY_CUDA_ENTRY(CUresult, cuOccupancyMaxActiveClusters,                                        \
                    (int* clusters, CUfunction function, const CUlaunchConfig* config))            \
  GANTRY_CUDA_ENTRY(CUresult, cuOccupancyMaxPotentialClusterSize,                                  \
                    (int* size, CUfunction function, const CUlaunchConfig* config))                \
  GANTRY_CUDA_ENTRY(CUresult, cuOccupancyMaxPotentialBlockSize,                                    \
                    (int* min_grid_size, int* block_size, CUfunction function,                     \
                     CUoccupancyB2DSize shared_of_size, size_t shared_bytes, int limit))           \
  GANTRY_CUDA_ENTRY(CUresult, cuOccupancyMaxPotentialBlockSizeWithFlags,                           \
                    (int* min_grid_size, int* block_size, CUfunction function,                     \
                     CUoccupancyB2DSize shared_of_size, size_t shared_bytes, int limit,            \
                     unsigned int flags))                                                          \
  GANTRY_CUDA_ENTRY(CUresult, cuOccupancyAvailableDynamicSMemPerBlock,                             \
                    (size_t* shared_bytes, CUfunction function, int blocks, int block_size))       \
  /* memory */                                                                                     \
  GANTRY_CUDA_ENTRY(CUresult, cuMemAlloc_v2, (CUdeviceptr * address, size_t bytes))                \
  GANTRY_CUDA_ENTRY(CUresult, cuMemAllocPitch_v2,                                                  \
                    (CUdeviceptr * address, size_t* pitch, size_t width_bytes, size_t height,      \
                     unsigned int element_bytes))                                                  \
  GANTRY_CUDA_ENTRY(CUresult, cuMemAllocManaged,                                                   \
                    (CUdeviceptr * address, size_t bytes, unsigned int flags))                     \
  GANTRY_CUDA_ENTRY(CUresult, cuMemAllocHost_v2, (void** address, size_t bytes))                   \
  GANTRY_CUDA_ENTRY(CUresult, cuMemHostAlloc, (void** address, size_t bytes, unsigned int flags))  \
  GANTRY_CUDA_ENTRY(CUresult, cuMemHostRegister_v2,                                                \
                    (void* address, size_t bytes, unsigned int flags))                             \
  GANTRY_CUDA_ENTRY(CUresult, cuMemHostUnregister, (void* address))                                \
  GANTRY_CUDA_ENTRY(CUresult, cuMemHostGetDevicePointer_v2,                                        \
                    (CUdeviceptr * device_address, void* address, unsigned int flags))             \
  GANTRY_CUDA_ENTRY(CUresult, cuMemHostGetFlags, (unsigned int* flags, void* address))             \
  GANTRY_CUDA_ENTRY(CUresult, cuMemFree_v2, (CUdeviceptr address))                                 \
  GANTRY_CUDA_ENTRY(CUresult, cuMemFreeHost, (void* address))                                      \
  GANTRY_CUDA_ENTRY(CUresult, cuMemGetInfo_v2, (size_t* free, size_t* total))                      \
  GANTRY_CUDA_ENTRY(CUresult, cuMemGetAddressRange_v2,                                             \
                    (CUdeviceptr * base, size_t* size, CUdeviceptr address))                       \
  GANTRY_CUDA_ENTRY(CUresult, cuPointerGetAttribute,                                               \
                    (void* data, CUpointer_attribute attribute, CUdeviceptr address))              \
  GANTRY_CUDA_ENTRY(                                                                               \
      CUresult, cuPointerGetAttributes,                                                            \
      (unsigned int count, CUpointer_attribute* attributes, void** data, CUdeviceptr address))     \
  GANTRY_CUDA_ENTRY(CUresult, cuPointerSetAttribute,                                               \
                    (const void* value, CUpointer_attribute attribute, CUdeviceptr address))       \
  GANTRY_CUDA_ENTRY(CUresult, cuMemPrefetchAsync,                                                  \
                    (CUdeviceptr address, size_t bytes, CUdevice device, CUstream stream))         \
  GANTRY_CUDA_ENTRY(CUresult, cuMemPrefetchAsync_v2,                                               \
                    (CUdeviceptr address, size_t bytes, CUmemLocation location,                    \
                     unsigned int flags, CUstream stream))                                         \
  GANTRY_CUDA_ENTRY(CUresult, cuMemAdvise,                                                         \
                    (CUdeviceptr address, size_t bytes, CUmem_advise advice, CUdevice device))     \
  GANTRY_CUDA_ENTRY(                                                                               \
      CUresult, cuMemAdvise_v2,                                                                    \
      (CUdeviceptr address, size_t bytes, CUmem_advise advice, CUmemLocation location))            \
  GANTRY_CUDA_ENTRY(CUresult, cuMemAllocAsync,                                                     \
                    (CUdeviceptr * address, size_t bytes, CUstream stream))                        \
  GANTRY_CUDA_ENTRY(CUresult, cuMemAllocFromPoolAsync,                                             \
                    (CUdeviceptr * address, size_t bytes, CUmemoryPool pool, CUstream stream))     \
  GANTRY_CUDA_ENTRY(CUresult, cuMemFreeAsync, (CUdeviceptr address, CUstream stream))              \
  GANTRY_CUDA_ENTRY(CUresult, cuMemPoolCreate,                                                     \
                    (CUmemoryPool * pool, const CUmemPoolProps* properties))                       \
  GANTRY_CUDA_ENTRY(CUresult, cuMemPoolDestroy, (CUmemoryPool pool))                               \
  GANTRY_CUDA_ENTRY(CUresult, cuMemPoolTrimTo, (CUmemoryPool pool, size_t keep_bytes))             \
  GANTRY_CUDA_ENTRY(CUresult, cuMemPoolGetAttribute,                                               \
                    (CUmemoryPool pool, CUmemPool_attribute attribute, void* value))               \
  GANTRY_CUDA_ENTRY(CUresult, cuMemPoolSetAttribute,                                               \
                    (CUmemoryPool pool, CUmemPool_attribute attribute, void* value))               \
  GANTRY_CUDA_ENTRY(CUresult, cuMemPoolGetAccess,                                                  \
                    (CUmemAccess_flags * flags, CUmemoryPool pool, CUmemLocation * location))      \
  GANTRY_CUDA_ENTRY(CUresult, cuMemPoolSetAccess,                                                  \
                    (CUmemoryPool pool, const CUmemAccessDesc* descriptions, size_t count))        \
  /* copies */                                                                                     \
  GANTRY_CUDA_ENTRY(CUresult, cuMemcpy,                                                            \
                    (CUdeviceptr destination, CUdeviceptr source, size_t bytes))                   \
  GANTRY_CUDA_ENTRY(CUresult, cuMemcpyAsync,                                                       \
                    (CUdeviceptr destination, CUdeviceptr source, size_t bytes, CUstream stream))  \
  GANTRY_CUDA_ENTRY(CUresult, cuMemcpyHtoD_v2,                                                     \
                    (CUdeviceptr destination, const void* source, size_t bytes))                   \
  GANTRY_CUDA_ENTRY(CUresult, cuMemcpyHtoDAsync_v2,                                                \
                    (CUdeviceptr destination, const void* source, size_t bytes, CUstream stream))  \
  GANTRY_CUDA_ENTRY(CUresult, cuMemcpyDtoH_v2,                                                     \
                    (void* destination, CUdeviceptr source, size_t bytes))                         \
  GANTRY_CUDA_ENTRY(CUresult, cuMemcpyDtoHAsync_v2,                                                \
                    (void* destination, CUdeviceptr source, size_t bytes, CUstream stream))        \
  GANTRY_CUDA_ENTRY(CUresult, cuMemcpyDtoD_v2,                                                     \
                    (CUdeviceptr destination, CUdeviceptr source, size_t bytes))                   \
  GANTRY_CUDA_ENTRY(CUresult, cuMemcpyDtoDAsync_v2,                                                \
                    (CUdeviceptr destination, CUdeviceptr source, size_t bytes, CUstream stream))  \
  GANTRY_CUDA_ENTRY(CUresult, cuMemcpyPeer,                                                        \
                    (CUdeviceptr destination, CUcontext destination_context, CUdeviceptr source,   \
                     CUcontext source_context, size_t bytes))                                      \
  GANTRY_CUDA_ENTRY(CUresult, cuMemcpyPeerAsync,                                                   \
                    (CUdeviceptr destination, CUcontext destination_context, CUdeviceptr source,   \
                     CUcontext source_context, size_t bytes, CUstream stream))                     \
  GANTRY_CUDA_ENTRY(CUresult, cuMemcpy2D_v2, (const CUDA_MEMCPY2D* copy))                          \
  GANTRY_CUDA_ENTRY(CUresult, cuMemcpy2DUnaligned_v2, (const CUDA_MEMCPY2D* copy))                 \
  GANTRY_CUDA_ENTRY(CUresult, cuMemcpy2DAsync_v2, (const CUDA_MEMCPY2D* copy, CUstream stream))    \
  GANTRY_CUDA_ENTRY(CUresult, cuMemcpy3D_v2, (const CUDA_MEMCPY3D* copy))                          \
  GANTRY_CUDA_ENTRY(CUresult, cuMemcpy3DAsync_v2, (const CUDA_MEMCPY3D* copy, CUstream stream))    \
  GANTRY_CUDA_ENTRY(CUresult, cuMemcpy3DPeer, (const CUDA_MEMCPY3D_PEER* copy))                    \
  GANTRY_CUDA_ENTRY(CUresult, cuMemcpy3DPeerAsync,                                                 \
                    (const CUDA_MEMCPY3D_PEER* copy, CUstream stream))                             \
  GANTRY_CUDA_ENTRY(CUresult, cuMemcpyBatchAsync,                                                  \
                    (CUdeviceptr * destinations, CUdeviceptr * sources, size_t* sizes,             \
                     size_t count, CUmemcpyAttributes* attributes, size_t* first_of_attributes,    \
                     size_t attribute_count, size_t* failed, CUstream stream))                     \
  GANTRY_CUDA_ENTRY(CUresult, cuMemcpyBatchAsync_v2,                                               \
                    (CUdeviceptr * destinations, CUdeviceptr * sources, size_t* sizes,             \
                     size_t count, CUmemcpyAttributes* attributes, size_t* first_of_attributes,    \
                     size_t attribute_count, CUstream stream))                                     \
  GANTRY_CUDA_ENTRY(CUresult, cuMemsetD8_v2,                                                       \
                    (CUdeviceptr destination, unsigned char value, size_t count))                  \
  GANTRY_CUDA_ENTRY(CUresult, cuMemsetD8Async,                                                     \
                    (CUdeviceptr destination, unsigned char value, size_t count, CUstream stream)) \
  GANTRY_CUDA_ENTRY(CUresult, cuMemsetD16_v2,                                                      \
                    (CUdeviceptr destination, unsigned short value, size_t count))                 \
  GANTRY_CUDA_ENTRY(                                                                               \
      CUresult, cuMemsetD16Async,                                                                  \
      (CUdeviceptr destination, unsigned short value, size_t count, CUstream stream))              \
  GANTRY_CUDA_ENTRY(CUresult, cuMemsetD32_v2,                                                      \
                    (CUdeviceptr destination, unsigned int value, size_t count))                   \
  GANTRY_CUDA_ENTRY(CUresult, cuMemsetD32Async,                                                    \
                    (CUdeviceptr destination, unsigned int value, size_t count, CUstream stream))  \
  GANTRY_CUDA_ENTRY(                                                                               \
      CUresult, cuMemsetD2D8_v2,                                                                   \
      (CUdeviceptr destination, size_t pitch, unsigned char value, size_t width, size_t height))   \
  GANTRY_CUDA_ENTRY(CUresult, cuMemsetD2D8Async,                                                   \
                    (CUdeviceptr destination, size_t pitch, unsigned char value, size_t width,     \
                     size_t height, CUstream stream))                                              \
  GANTRY_CUDA_ENTRY(                                                                               \
      CUresult, cuMemsetD2D16_v2,                                                                  \
      (CUdeviceptr destination, size_t pitch, unsigned short value, size_t width, size_t height))  \
  GANTRY_CUDA_ENTRY(CUresult, cuMemsetD2D16Async,                                                  \
                    (CUdeviceptr destination, size_t pitch, unsigned short value, size_t width,    \
                     size_t height, CUstream stream))                                              \
  GANTRY_CUDA_ENTRY(                                                                               \
      CUresult, cuMemsetD2D32_v2,                                                                  \
      (CUdeviceptr destination, size_t pitch, unsigned int value, size_t width, size_t height))    \
  GANTRY_CUDA_ENTRY(CUresult, cuMemsetD2D32Async,                                                  \
                    (CUdeviceptr destination, size_t pitch, unsigned int value, size_t width,      \
                     size_t height, CUstream stream))                                              \
  /* streams and events */                                                                         \
  GANTRY_CUDA_ENTRY(CUresult, cuStreamCreate, (CUstream * stream, unsigned int flags))             \
  GANTRY_CUDA_ENTRY(CUresult, cuStreamCreateWithPriority,                                          \
                    (CUstream * stream, unsigned int flags, int priority))                         \
  GANTRY_CUDA_ENTRY(CUresult, cuStreamDestroy_v2, (CUstream stream))                               \
  GANTRY_CUDA_ENTRY(CUresult, cuStreamSynchronize, (CUstream stream))                              \
  GANTRY_CUDA_ENTRY(CUresult, cuStreamQuery, (CUstream stream))                                    \
  GANTRY_CUDA_ENTRY(CUresult, cuStreamWaitEvent,                                                   \
                    (CUstream stream, CUevent event, unsigned int flags))                          \
  GANTRY_CUDA_ENTRY(                                                                               \
      CUresult, cuStreamAddCallback,                                                               \
      (CUstream stream, CUstreamCallback callback, void* argument, unsigned int flags))            \
  GANTRY_CUDA_ENTRY(CUresult, cuStreamAttachMemAsync,                                              \
                    (CUstream stream, CUdeviceptr address, size_t bytes, unsigned int flags))      \
  GANTRY_CUDA_ENTRY(CUresult, cuStreamGetFlags, (CUstream stream, unsigned int* flags))            \
  GANTRY_CUDA_ENTRY(CUresult, cuStreamGetPriority, (CUstream stream, int* priority))               \
  GANTRY_CUDA_ENTRY(CUresult, cuStreamGetId, (CUstream stream, unsigned long long* id))            \
  GANTRY_CUDA_ENTRY(CUresult, cuStreamGetCtx, (CUstream stream, CUcontext * context))              \
  GANTRY_CUDA_ENTRY(CUresult, cuStreamGetDevice, (CUstream stream, CUdevice * device))             \
  GANTRY_CUDA_ENTRY(                                                                               \
      CUresult, cuStreamGetAttribute,                                                              \
      (CUstream stream, CUlaunchAttributeID attribute, CUlaunchAttributeValue * value))            \
  GANTRY_CUDA_ENTRY(                                                                               \
      CUresult, cuStreamSetAttribute,                                                              \
      (CUstream stream, CUlaunchAttributeID attribute, const CUlaunchAttributeValue* value))       \
  GANTRY_CUDA_ENTRY(CUresult, cuStreamCopyAttributes, (CUstream to, CUstream from))                \
  GANTRY_CUDA_ENTRY(CUresult, cuEventCreate, (CUevent * event, unsigned int flags))                \
  GANTRY_CUDA_ENTRY(CUresult, cuEventDestroy_v2, (CUevent event))                                  \
  GANTRY_CUDA_ENTRY(CUresult, cuEventRecord, (CUevent event, CUstream stream))                     \
  GANTRY_CUDA_ENTRY(CUresult, cuEventRecordWithFlags,                                              \
                    (CUevent event, CUstream stream, unsigned int flags))                          \
  GANTRY_CUDA_ENTRY(CUresult, cuEventQuery, (CUevent event))                                       \
  GANTRY_CUDA_ENTRY(CUresult, cuEventSynchronize, (CUevent event))                                 \
  GANTRY_CUDA_ENTRY(CUresult, cuEventElapsedTime,                                                  \
                    (float* milliseconds, CUevent start, CUevent end))                             \
  GANTRY_CUDA_ENTRY(CUresult, cuEventElapsedTime_v2,                                               \
                    (float* milliseconds, CUevent start, CUevent end))                             \
  GANTRY_CUDA_VIRTUAL_MEMORY_ENTRIES(GANTRY_CUDA_ENTRY)                                            \
  GANTRY_CUDA_GRAPH_ENTRIES(GANTRY_CUDA_ENTRY)
/* clang-format on */

#define GANTRY_CUDA_DECLARE(result, name, parameters) result name parameters;
GANTRY_CUDA_ENTRIES(GANTRY_CUDA_DECLARE)
#undef GANTRY_CUDA_DECLARE

#ifdef __cplusplus
}
#endif

#endif
