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

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Programs give numbers that have no name, which C++ only allows in an enumeration of a fixed type.
 */
#ifdef __cplusplus
#define GANTRY_CUDA_ENUM : int
#else
#define GANTRY_CUDA_ENUM
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

/* clang-format off: tables of numbers. */
typedef enum CUresult GANTRY_CUDA_ENUM {
  CUDA_SUCCESS = 0,
  CUDA_ERROR_INVALID_VALUE = 1,
  CUDA_ERROR_OUT_OF_MEMORY = 2,
  CUDA_ERROR_NOT_INITIALIZED = 3,
  CUDA_ERROR_DEINITIALIZED = 4,
  CUDA_ERROR_PROFILER_DISABLED = 5,
  CUDA_ERROR_PROFILER_NOT_INITIALIZED = 6,
  CUDA_ERROR_PROFILER_ALREADY_STARTED = 7,
  CUDA_ERROR_PROFILER_ALREADY_STOPPED = 8,
  CUDA_ERROR_STUB_LIBRARY = 34,
  CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER = 36,
  CUDA_ERROR_DEVICE_UNAVAILABLE = 46,
  CUDA_ERROR_NO_DEVICE = 100,
  CUDA_ERROR_INVALID_DEVICE = 101,
  CUDA_ERROR_DEVICE_NOT_LICENSED = 102,
  CUDA_ERROR_INVALID_IMAGE = 200,
  CUDA_ERROR_INVALID_CONTEXT = 201,
  CUDA_ERROR_CONTEXT_ALREADY_CURRENT = 202,
  CUDA_ERROR_MAP_FAILED = 205,
  CUDA_ERROR_UNMAP_FAILED = 206,
  CUDA_ERROR_ARRAY_IS_MAPPED = 207,
  CUDA_ERROR_ALREADY_MAPPED = 208,
  CUDA_ERROR_NO_BINARY_FOR_GPU = 209,
  CUDA_ERROR_ALREADY_ACQUIRED = 210,
  CUDA_ERROR_NOT_MAPPED = 211,
  CUDA_ERROR_NOT_MAPPED_AS_ARRAY = 212,
  CUDA_ERROR_NOT_MAPPED_AS_POINTER = 213,
  CUDA_ERROR_ECC_UNCORRECTABLE = 214,
  CUDA_ERROR_UNSUPPORTED_LIMIT = 215,
  CUDA_ERROR_CONTEXT_ALREADY_IN_USE = 216,
  CUDA_ERROR_PEER_ACCESS_UNSUPPORTED = 217,
  CUDA_ERROR_INVALID_PTX = 218,
  CUDA_ERROR_INVALID_GRAPHICS_CONTEXT = 219,
  CUDA_ERROR_NVLINK_UNCORRECTABLE = 220,
  CUDA_ERROR_JIT_COMPILER_NOT_FOUND = 221,
  CUDA_ERROR_UNSUPPORTED_PTX_VERSION = 222,
  CUDA_ERROR_JIT_COMPILATION_DISABLED = 223,
  CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY = 224,
  CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC = 225,
  CUDA_ERROR_CONTAINED = 226,
  CUDA_ERROR_INVALID_SOURCE = 300,
  CUDA_ERROR_FILE_NOT_FOUND = 301,
  CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND = 302,
  CUDA_ERROR_SHARED_OBJECT_INIT_FAILED = 303,
  CUDA_ERROR_OPERATING_SYSTEM = 304,
  CUDA_ERROR_INVALID_HANDLE = 400,
  CUDA_ERROR_ILLEGAL_STATE = 401,
  CUDA_ERROR_LOSSY_QUERY = 402,
  CUDA_ERROR_NOT_FOUND = 500,
  CUDA_ERROR_NOT_READY = 600,
  CUDA_ERROR_ILLEGAL_ADDRESS = 700,
  CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES = 701,
  CUDA_ERROR_LAUNCH_TIMEOUT = 702,
  CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING = 703,
  CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED = 704,
  CUDA_ERROR_PEER_ACCESS_NOT_ENABLED = 705,
  CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE = 708,
  CUDA_ERROR_CONTEXT_IS_DESTROYED = 709,
  CUDA_ERROR_ASSERT = 710,
  CUDA_ERROR_TOO_MANY_PEERS = 711,
  CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED = 712,
  CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED = 713,
  CUDA_ERROR_HARDWARE_STACK_ERROR = 714,
  CUDA_ERROR_ILLEGAL_INSTRUCTION = 715,
  CUDA_ERROR_MISALIGNED_ADDRESS = 716,
  CUDA_ERROR_INVALID_ADDRESS_SPACE = 717,
  CUDA_ERROR_INVALID_PC = 718,
  CUDA_ERROR_LAUNCH_FAILED = 719,
  CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE = 720,
  CUDA_ERROR_TENSOR_MEMORY_LEAK = 721,
  CUDA_ERROR_NOT_PERMITTED = 800,
  CUDA_ERROR_NOT_SUPPORTED = 801,
  CUDA_ERROR_SYSTEM_NOT_READY = 802,
  CUDA_ERROR_SYSTEM_DRIVER_MISMATCH = 803,
  CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE = 804,
  CUDA_ERROR_MPS_CONNECTION_FAILED = 805,
  CUDA_ERROR_MPS_RPC_FAILURE = 806,
  CUDA_ERROR_MPS_SERVER_NOT_READY = 807,
  CUDA_ERROR_MPS_MAX_CLIENTS_REACHED = 808,
  CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED = 809,
  CUDA_ERROR_MPS_CLIENT_TERMINATED = 810,
  CUDA_ERROR_CDP_NOT_SUPPORTED = 811,
  CUDA_ERROR_CDP_VERSION_MISMATCH = 812,
  CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED = 900,
  CUDA_ERROR_STREAM_CAPTURE_INVALIDATED = 901,
  CUDA_ERROR_STREAM_CAPTURE_MERGE = 902,
  CUDA_ERROR_STREAM_CAPTURE_UNMATCHED = 903,
  CUDA_ERROR_STREAM_CAPTURE_UNJOINED = 904,
  CUDA_ERROR_STREAM_CAPTURE_ISOLATION = 905,
  CUDA_ERROR_STREAM_CAPTURE_IMPLICIT = 906,
  CUDA_ERROR_CAPTURED_EVENT = 907,
  CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD = 908,
  CUDA_ERROR_TIMEOUT = 909,
  CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE = 910,
  CUDA_ERROR_EXTERNAL_DEVICE = 911,
  CUDA_ERROR_INVALID_CLUSTER_SIZE = 912,
  CUDA_ERROR_FUNCTION_NOT_LOADED = 913,
  CUDA_ERROR_INVALID_RESOURCE_TYPE = 914,
  CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION = 915,
  CUDA_ERROR_KEY_ROTATION = 916,
  CUDA_ERROR_UNKNOWN = 999,
} CUresult;

typedef enum CUdevice_attribute GANTRY_CUDA_ENUM {
  CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 1,
  CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X = 2,
  CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y = 3,
  CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z = 4,
  CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X = 5,
  CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y = 6,
  CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z = 7,
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK = 8,
  CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY = 9,
  CU_DEVICE_ATTRIBUTE_WARP_SIZE = 10,
  CU_DEVICE_ATTRIBUTE_MAX_PITCH = 11,
  CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK = 12,
  CU_DEVICE_ATTRIBUTE_CLOCK_RATE = 13,
  CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT = 14,
  CU_DEVICE_ATTRIBUTE_GPU_OVERLAP = 15,
  CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
  CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT = 17,
  CU_DEVICE_ATTRIBUTE_INTEGRATED = 18,
  CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY = 19,
  CU_DEVICE_ATTRIBUTE_COMPUTE_MODE = 20,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_WIDTH = 21,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_WIDTH = 22,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_HEIGHT = 23,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH = 24,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_HEIGHT = 25,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH = 26,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_WIDTH = 27,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_HEIGHT = 28,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_LAYERS = 29,
  CU_DEVICE_ATTRIBUTE_SURFACE_ALIGNMENT = 30,
  CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS = 31,
  CU_DEVICE_ATTRIBUTE_ECC_ENABLED = 32,
  CU_DEVICE_ATTRIBUTE_PCI_BUS_ID = 33,
  CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID = 34,
  CU_DEVICE_ATTRIBUTE_TCC_DRIVER = 35,
  CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE = 36,
  CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH = 37,
  CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE = 38,
  CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR = 39,
  CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT = 40,
  CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING = 41,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_WIDTH = 42,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_LAYERS = 43,
  CU_DEVICE_ATTRIBUTE_CAN_TEX2D_GATHER = 44,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_GATHER_WIDTH = 45,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_GATHER_HEIGHT = 46,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH_ALTERNATE = 47,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_HEIGHT_ALTERNATE = 48,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE = 49,
  CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID = 50,
  CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT = 51,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_WIDTH = 52,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH = 53,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS = 54,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_WIDTH = 55,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_WIDTH = 56,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_HEIGHT = 57,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_WIDTH = 58,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_HEIGHT = 59,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_DEPTH = 60,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_LAYERED_WIDTH = 61,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_LAYERED_LAYERS = 62,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_WIDTH = 63,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_HEIGHT = 64,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_LAYERS = 65,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_WIDTH = 66,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH = 67,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_LAYERED_LAYERS = 68,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH = 69,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_WIDTH = 70,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_HEIGHT = 71,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_PITCH = 72,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH = 73,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT = 74,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
  CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH = 77,
  CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED = 78,
  CU_DEVICE_ATTRIBUTE_GLOBAL_L1_CACHE_SUPPORTED = 79,
  CU_DEVICE_ATTRIBUTE_LOCAL_L1_CACHE_SUPPORTED = 80,
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR = 81,
  CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR = 82,
  CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY = 83,
  CU_DEVICE_ATTRIBUTE_MULTI_GPU_BOARD = 84,
  CU_DEVICE_ATTRIBUTE_MULTI_GPU_BOARD_GROUP_ID = 85,
  CU_DEVICE_ATTRIBUTE_HOST_NATIVE_ATOMIC_SUPPORTED = 86,
  CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO = 87,
  CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS = 88,
  CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS = 89,
  CU_DEVICE_ATTRIBUTE_COMPUTE_PREEMPTION_SUPPORTED = 90,
  CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM = 91,
  CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_MEM_OPS_V1 = 92,
  CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS_V1 = 93,
  CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR_V1 = 94,
  CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH = 95,
  CU_DEVICE_ATTRIBUTE_COOPERATIVE_MULTI_DEVICE_LAUNCH = 96,
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97,
  CU_DEVICE_ATTRIBUTE_CAN_FLUSH_REMOTE_WRITES = 98,
  CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED = 99,
  CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES = 100,
  CU_DEVICE_ATTRIBUTE_DIRECT_MANAGED_MEM_ACCESS_FROM_HOST = 101,
  CU_DEVICE_ATTRIBUTE_VIRTUAL_ADDRESS_MANAGEMENT_SUPPORTED = 102,
  CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED = 103,
  CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_WIN32_HANDLE_SUPPORTED = 104,
  CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_WIN32_KMT_HANDLE_SUPPORTED = 105,
  CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR = 106,
  CU_DEVICE_ATTRIBUTE_GENERIC_COMPRESSION_SUPPORTED = 107,
  CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE = 108,
  CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE = 109,
  CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED = 110,
  CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK = 111,
  CU_DEVICE_ATTRIBUTE_SPARSE_CUDA_ARRAY_SUPPORTED = 112,
  CU_DEVICE_ATTRIBUTE_READ_ONLY_HOST_REGISTER_SUPPORTED = 113,
  CU_DEVICE_ATTRIBUTE_TIMELINE_SEMAPHORE_INTEROP_SUPPORTED = 114,
  CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED = 115,
  CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_SUPPORTED = 116,
  CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS = 117,
  CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WRITES_ORDERING = 118,
  CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES = 119,
  CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH = 120,
  CU_DEVICE_ATTRIBUTE_DEFERRED_MAPPING_CUDA_ARRAY_SUPPORTED = 121,
  CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS = 122,
  CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR = 123,
  CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED = 124,
  CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED = 125,
  CU_DEVICE_ATTRIBUTE_MEM_SYNC_DOMAIN_COUNT = 126,
  CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED = 127,
  CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_FABRIC_SUPPORTED = 128,
  CU_DEVICE_ATTRIBUTE_UNIFIED_FUNCTION_POINTERS = 129,
  CU_DEVICE_ATTRIBUTE_NUMA_CONFIG = 130,
  CU_DEVICE_ATTRIBUTE_NUMA_ID = 131,
  CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED = 132,
  CU_DEVICE_ATTRIBUTE_MPS_ENABLED = 133,
  CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID = 134,
  CU_DEVICE_ATTRIBUTE_D3D12_CIG_SUPPORTED = 135,
  CU_DEVICE_ATTRIBUTE_MEM_DECOMPRESS_ALGORITHM_MASK = 136,
  CU_DEVICE_ATTRIBUTE_MEM_DECOMPRESS_MAXIMUM_LENGTH = 137,
  CU_DEVICE_ATTRIBUTE_VULKAN_CIG_SUPPORTED = 138,
  CU_DEVICE_ATTRIBUTE_GPU_PCI_DEVICE_ID = 139,
  CU_DEVICE_ATTRIBUTE_GPU_PCI_SUBSYSTEM_ID = 140,
  CU_DEVICE_ATTRIBUTE_HOST_NUMA_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED = 141,
  CU_DEVICE_ATTRIBUTE_HOST_NUMA_MEMORY_POOLS_SUPPORTED = 142,
  CU_DEVICE_ATTRIBUTE_HOST_NUMA_MULTINODE_IPC_SUPPORTED = 143,
  CU_DEVICE_ATTRIBUTE_HOST_MEMORY_POOLS_SUPPORTED = 144,
  CU_DEVICE_ATTRIBUTE_HOST_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED = 145,
  CU_DEVICE_ATTRIBUTE_HOST_ALLOC_DMA_BUF_SUPPORTED = 146,
  CU_DEVICE_ATTRIBUTE_ONLY_PARTIAL_HOST_NATIVE_ATOMIC_SUPPORTED = 147,
} CUdevice_attribute;

typedef enum CUctx_flags GANTRY_CUDA_ENUM {
  CU_CTX_SCHED_AUTO = 0,
  CU_CTX_SCHED_SPIN = 1,
  CU_CTX_SCHED_YIELD = 2,
  CU_CTX_SCHED_BLOCKING_SYNC = 4,
  CU_CTX_SCHED_MASK = 7,
  CU_CTX_MAP_HOST = 8,
  CU_CTX_LMEM_RESIZE_TO_MAX = 16,
  CU_CTX_COREDUMP_ENABLE = 32,
  CU_CTX_USER_COREDUMP_ENABLE = 64,
  CU_CTX_SYNC_MEMOPS = 128,
  CU_CTX_FLAGS_MASK = 255,
} CUctx_flags;

typedef enum CUlimit GANTRY_CUDA_ENUM {
  CU_LIMIT_STACK_SIZE = 0,
  CU_LIMIT_PRINTF_FIFO_SIZE = 1,
  CU_LIMIT_MALLOC_HEAP_SIZE = 2,
  CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH = 3,
  CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT = 4,
  CU_LIMIT_MAX_L2_FETCH_GRANULARITY = 5,
  CU_LIMIT_PERSISTING_L2_CACHE_SIZE = 6,
  CU_LIMIT_SHMEM_SIZE = 7,
  CU_LIMIT_CIG_ENABLED = 8,
  CU_LIMIT_CIG_SHMEM_FALLBACK_ENABLED = 9,
} CUlimit;

typedef enum CUjit_option GANTRY_CUDA_ENUM {
  CU_JIT_MAX_REGISTERS = 0,
  CU_JIT_THREADS_PER_BLOCK = 1,
  CU_JIT_WALL_TIME = 2,
  CU_JIT_INFO_LOG_BUFFER = 3,
  CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES = 4,
  CU_JIT_ERROR_LOG_BUFFER = 5,
  CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6,
  CU_JIT_OPTIMIZATION_LEVEL = 7,
  CU_JIT_TARGET_FROM_CUCONTEXT = 8,
  CU_JIT_TARGET = 9,
  CU_JIT_FALLBACK_STRATEGY = 10,
  CU_JIT_GENERATE_DEBUG_INFO = 11,
  CU_JIT_LOG_VERBOSE = 12,
  CU_JIT_GENERATE_LINE_INFO = 13,
  CU_JIT_CACHE_MODE = 14,
  CU_JIT_NEW_SM3X_OPT = 15,
  CU_JIT_FAST_COMPILE = 16,
  CU_JIT_GLOBAL_SYMBOL_NAMES = 17,
  CU_JIT_GLOBAL_SYMBOL_ADDRESSES = 18,
  CU_JIT_GLOBAL_SYMBOL_COUNT = 19,
  CU_JIT_LTO = 20,
  CU_JIT_FTZ = 21,
  CU_JIT_PREC_DIV = 22,
  CU_JIT_PREC_SQRT = 23,
  CU_JIT_FMA = 24,
  CU_JIT_REFERENCED_KERNEL_NAMES = 25,
  CU_JIT_REFERENCED_KERNEL_COUNT = 26,
  CU_JIT_REFERENCED_VARIABLE_NAMES = 27,
  CU_JIT_REFERENCED_VARIABLE_COUNT = 28,
  CU_JIT_OPTIMIZE_UNUSED_DEVICE_VARIABLES = 29,
  CU_JIT_POSITION_INDEPENDENT_CODE = 30,
  CU_JIT_MIN_CTA_PER_SM = 31,
  CU_JIT_MAX_THREADS_PER_BLOCK = 32,
  CU_JIT_OVERRIDE_DIRECTIVE_VALUES = 33,
  CU_JIT_SPLIT_COMPILE = 34,
} CUjit_option;

typedef enum CUjitInputType GANTRY_CUDA_ENUM {
  CU_JIT_INPUT_CUBIN = 0,
  CU_JIT_INPUT_PTX = 1,
  CU_JIT_INPUT_FATBINARY = 2,
  CU_JIT_INPUT_OBJECT = 3,
  CU_JIT_INPUT_LIBRARY = 4,
  CU_JIT_INPUT_NVVM = 5,
} CUjitInputType;

typedef enum CUfunction_attribute GANTRY_CUDA_ENUM {
  CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
  CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
  CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES = 2,
  CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES = 3,
  CU_FUNC_ATTRIBUTE_NUM_REGS = 4,
  CU_FUNC_ATTRIBUTE_PTX_VERSION = 5,
  CU_FUNC_ATTRIBUTE_BINARY_VERSION = 6,
  CU_FUNC_ATTRIBUTE_CACHE_MODE_CA = 7,
  CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
  CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT = 9,
  CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET = 10,
  CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH = 11,
  CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT = 12,
  CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH = 13,
  CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED = 14,
  CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE = 15,
} CUfunction_attribute;

typedef enum CUpointer_attribute GANTRY_CUDA_ENUM {
  CU_POINTER_ATTRIBUTE_CONTEXT = 1,
  CU_POINTER_ATTRIBUTE_MEMORY_TYPE = 2,
  CU_POINTER_ATTRIBUTE_DEVICE_POINTER = 3,
  CU_POINTER_ATTRIBUTE_HOST_POINTER = 4,
  CU_POINTER_ATTRIBUTE_P2P_TOKENS = 5,
  CU_POINTER_ATTRIBUTE_SYNC_MEMOPS = 6,
  CU_POINTER_ATTRIBUTE_BUFFER_ID = 7,
  CU_POINTER_ATTRIBUTE_IS_MANAGED = 8,
  CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL = 9,
  CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE = 10,
  CU_POINTER_ATTRIBUTE_RANGE_START_ADDR = 11,
  CU_POINTER_ATTRIBUTE_RANGE_SIZE = 12,
  CU_POINTER_ATTRIBUTE_MAPPED = 13,
  CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES = 14,
  CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE = 15,
  CU_POINTER_ATTRIBUTE_ACCESS_FLAGS = 16,
  CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE = 17,
  CU_POINTER_ATTRIBUTE_MAPPING_SIZE = 18,
  CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR = 19,
  CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID = 20,
  CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE = 21,
} CUpointer_attribute;

typedef enum CUmemPool_attribute GANTRY_CUDA_ENUM {
  CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES = 1,
  CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC = 2,
  CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES = 3,
  CU_MEMPOOL_ATTR_RELEASE_THRESHOLD = 4,
  CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT = 5,
  CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH = 6,
  CU_MEMPOOL_ATTR_USED_MEM_CURRENT = 7,
  CU_MEMPOOL_ATTR_USED_MEM_HIGH = 8,
} CUmemPool_attribute;

typedef enum CUlaunchAttributeID GANTRY_CUDA_ENUM {
  CU_LAUNCH_ATTRIBUTE_IGNORE = 0,
  CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW = 1,
  CU_LAUNCH_ATTRIBUTE_COOPERATIVE = 2,
  CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY = 3,
  CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION = 4,
  CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE = 5,
  CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION = 6,
  CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT = 7,
  CU_LAUNCH_ATTRIBUTE_PRIORITY = 8,
  CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP = 9,
  CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN = 10,
  CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION = 11,
  CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT = 12,
  CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE = 13,
  CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT = 14,
  CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING = 16,
} CUlaunchAttributeID;

typedef enum CUmemorytype GANTRY_CUDA_ENUM {
  CU_MEMORYTYPE_HOST = 1,
  CU_MEMORYTYPE_DEVICE = 2,
  CU_MEMORYTYPE_ARRAY = 3,
  CU_MEMORYTYPE_UNIFIED = 4,
} CUmemorytype;

typedef enum CUfunc_cache GANTRY_CUDA_ENUM {
  CU_FUNC_CACHE_PREFER_NONE = 0,
  CU_FUNC_CACHE_PREFER_SHARED = 1,
  CU_FUNC_CACHE_PREFER_L1 = 2,
  CU_FUNC_CACHE_PREFER_EQUAL = 3,
} CUfunc_cache;

typedef enum CUsharedconfig GANTRY_CUDA_ENUM {
  CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE = 0,
  CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE = 1,
  CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE = 2,
} CUsharedconfig;

typedef enum CUdevice_P2PAttribute GANTRY_CUDA_ENUM {
  CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK = 1,
  CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED = 2,
  CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED = 3,
  CU_DEVICE_P2P_ATTRIBUTE_CUDA_ARRAY_ACCESS_SUPPORTED = 4,
  CU_DEVICE_P2P_ATTRIBUTE_ONLY_PARTIAL_NATIVE_ATOMIC_SUPPORTED = 5,
} CUdevice_P2PAttribute;

typedef enum CUmem_advise GANTRY_CUDA_ENUM {
  CU_MEM_ADVISE_SET_READ_MOSTLY = 1,
  CU_MEM_ADVISE_UNSET_READ_MOSTLY = 2,
  CU_MEM_ADVISE_SET_PREFERRED_LOCATION = 3,
  CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION = 4,
  CU_MEM_ADVISE_SET_ACCESSED_BY = 5,
  CU_MEM_ADVISE_UNSET_ACCESSED_BY = 6,
} CUmem_advise;

typedef enum CUmemLocationType GANTRY_CUDA_ENUM {
  CU_MEM_LOCATION_TYPE_INVALID = 0,
  CU_MEM_LOCATION_TYPE_DEVICE = 1,
  CU_MEM_LOCATION_TYPE_HOST = 2,
  CU_MEM_LOCATION_TYPE_HOST_NUMA = 3,
  CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT = 4,
} CUmemLocationType;

typedef enum CUmemAccess_flags GANTRY_CUDA_ENUM {
  CU_MEM_ACCESS_FLAGS_PROT_NONE = 0,
  CU_MEM_ACCESS_FLAGS_PROT_READ = 1,
  CU_MEM_ACCESS_FLAGS_PROT_READWRITE = 3,
} CUmemAccess_flags;

typedef enum CUmemAllocationType GANTRY_CUDA_ENUM {
  CU_MEM_ALLOCATION_TYPE_INVALID = 0,
  CU_MEM_ALLOCATION_TYPE_PINNED = 1,
  CU_MEM_ALLOCATION_TYPE_MANAGED = 2,
} CUmemAllocationType;

typedef enum CUmoduleLoadingMode GANTRY_CUDA_ENUM {
  CU_MODULE_EAGER_LOADING = 1,
  CU_MODULE_LAZY_LOADING = 2,
} CUmoduleLoadingMode;

typedef enum CUfunctionLoadingState GANTRY_CUDA_ENUM {
  CU_FUNCTION_LOADING_STATE_UNLOADED = 0,
  CU_FUNCTION_LOADING_STATE_LOADED = 1,
} CUfunctionLoadingState;

typedef enum CUstreamCaptureStatus GANTRY_CUDA_ENUM {
  CU_STREAM_CAPTURE_STATUS_NONE = 0,
  CU_STREAM_CAPTURE_STATUS_ACTIVE = 1,
  CU_STREAM_CAPTURE_STATUS_INVALIDATED = 2,
} CUstreamCaptureStatus;

typedef enum CUdriverProcAddressQueryResult GANTRY_CUDA_ENUM {
  CU_GET_PROC_ADDRESS_SUCCESS = 0,
  CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND = 1,
  CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT = 2,
} CUdriverProcAddressQueryResult;

typedef enum CUlibraryOption GANTRY_CUDA_ENUM {
  CU_LIBRARY_HOST_UNIVERSAL_FUNCTION_AND_DATA_TABLE = 0,
  CU_LIBRARY_BINARY_IS_PRESERVED = 1,
} CUlibraryOption;

typedef enum CUexecAffinityType GANTRY_CUDA_ENUM {
  CU_EXEC_AFFINITY_TYPE_SM_COUNT = 0,
} CUexecAffinityType;

/* Bits of arguments called `flags`. */
enum {
  CU_STREAM_DEFAULT = 0,
  CU_STREAM_NON_BLOCKING = 1,
  CU_EVENT_DEFAULT = 0,
  CU_EVENT_BLOCKING_SYNC = 1,
  CU_EVENT_DISABLE_TIMING = 2,
  CU_EVENT_INTERPROCESS = 4,
  CU_EVENT_RECORD_DEFAULT = 0,
  CU_EVENT_RECORD_EXTERNAL = 1,
  CU_EVENT_WAIT_DEFAULT = 0,
  CU_EVENT_WAIT_EXTERNAL = 1,
  CU_MEMHOSTALLOC_PORTABLE = 1,
  CU_MEMHOSTALLOC_DEVICEMAP = 2,
  CU_MEMHOSTALLOC_WRITECOMBINED = 4,
  CU_MEMHOSTREGISTER_PORTABLE = 1,
  CU_MEMHOSTREGISTER_DEVICEMAP = 2,
  CU_MEMHOSTREGISTER_IOMEMORY = 4,
  CU_MEMHOSTREGISTER_READ_ONLY = 8,
  CU_MEM_ATTACH_GLOBAL = 1,
  CU_MEM_ATTACH_HOST = 2,
  CU_MEM_ATTACH_SINGLE = 4,
  CU_GET_PROC_ADDRESS_DEFAULT = 0,
  CU_GET_PROC_ADDRESS_LEGACY_STREAM = 1,
  CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM = 2,
  CU_OCCUPANCY_DEFAULT = 0,
  CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE = 1,
};

/* clang-format on */

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

typedef struct CUctxCreateParams {
  void* execAffinityParams;
  int numExecAffinityParams;
  void* cigParams;
} CUctxCreateParams;

typedef void (*CUhostFn)(void* argument);
typedef void (*CUstreamCallback)(CUstream stream, CUresult status, void* argument);
/** The bytes of dynamic shared memory that a block of so many threads needs. */
typedef size_t (*CUoccupancyB2DSize)(int block_size);

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
  GANTRY_CUDA_ENTRY(CUresult, cuStreamIsCapturing,                                                 \
                    (CUstream stream, CUstreamCaptureStatus * status))                             \
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
                    (float* milliseconds, CUevent start, CUevent end))
/* clang-format on */

#define GANTRY_CUDA_DECLARE(result, name, parameters) result name parameters;
GANTRY_CUDA_ENTRIES(GANTRY_CUDA_DECLARE)
#undef GANTRY_CUDA_DECLARE

#ifdef __cplusplus
}
#endif

#endif
