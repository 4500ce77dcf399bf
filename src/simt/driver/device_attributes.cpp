// What a simulated device answers to cuDeviceGetAttribute: what it can do, and for what it has not
// (textures, clusters, a PCI bus) the smallest value that programs accept.
#include "simt/driver/device.h"
#include "simt/exec/memory/host_memory.h"

namespace gantry::simt::driver {

std::optional<int> Device::attribute(CUdevice_attribute attribute) const {
  switch (attribute) {
  case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    return kThreadsOfBlock;
  case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X:
    return kBlockDim[0];
  case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y:
    return kBlockDim[1];
  case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z:
    return kBlockDim[2];
  case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X:
    return kGridDim[0];
  case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y:
    return kGridDim[1];
  case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z:
    return kGridDim[2];
  case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK:
    return kSharedOfBlock;
  case CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY:
    return 64 << 10;
  case CU_DEVICE_ATTRIBUTE_WARP_SIZE:
    return kWarpSize;
  case CU_DEVICE_ATTRIBUTE_MAX_PITCH:
    return 0x7FFFFFFF;
  case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK:
  case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR:
    return kRegisters;
  case CU_DEVICE_ATTRIBUTE_CLOCK_RATE:
  case CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE:
    return kClockKilohertz;
  case CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT:
  case CU_DEVICE_ATTRIBUTE_SURFACE_ALIGNMENT:
    return kPitch;
  case CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT:
    return 32;
  case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
    return static_cast<int>(multiprocessors_);
  case CU_DEVICE_ATTRIBUTE_PCI_BUS_ID:
    return pci_bus();
  case CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH:
    return 64;
  case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE:
    return 1 << 20;
  case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR:
    return static_cast<int>(limits_.threads);
  case CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT:
  case CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO:
    return 2;
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
    return static_cast<int>(major_);
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
    return static_cast<int>(minor_);
  case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR:
    return static_cast<int>(limits_.shared_bytes);
  case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
    return static_cast<int>(limits_.shared_bytes_of_block);
  case CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR:
    return static_cast<int>(limits_.blocks);
  case CU_DEVICE_ATTRIBUTE_NUMA_ID:
    return -1;
  case CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK:
    return major_ >= 8 ? 1 << 10 : 0;
  case CU_DEVICE_ATTRIBUTE_GPU_OVERLAP:
  case CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY:
  case CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS:
  case CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING:
  case CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED:
  case CU_DEVICE_ATTRIBUTE_GLOBAL_L1_CACHE_SUPPORTED:
  case CU_DEVICE_ATTRIBUTE_LOCAL_L1_CACHE_SUPPORTED:
  case CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY:
  case CU_DEVICE_ATTRIBUTE_HOST_NATIVE_ATOMIC_SUPPORTED:
  case CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS:
  case CU_DEVICE_ATTRIBUTE_COMPUTE_PREEMPTION_SUPPORTED:
  case CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM:
  case CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH:
  case CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED:
  case CU_DEVICE_ATTRIBUTE_DIRECT_MANAGED_MEM_ACCESS_FROM_HOST:
  case CU_DEVICE_ATTRIBUTE_READ_ONLY_HOST_REGISTER_SUPPORTED:
  case CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED:
  case CU_DEVICE_ATTRIBUTE_MEM_SYNC_DOMAIN_COUNT:
  case CU_DEVICE_ATTRIBUTE_INTEGRATED: // its memory is the host's
    return 1;
  // Kernels see no memory of the program that was not allocated by the driver, or registered,
  // unless the program asks for it (gantry/simt_driver.h); an access to it is found and reported.
  case CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS:
    return exec::may_use_host_memory(ordinal_) ? 1 : 0;
  case CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT:
  case CU_DEVICE_ATTRIBUTE_COMPUTE_MODE:
    return 0;
  default:
    break;
  }
  if (attribute >= CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_WIDTH &&
      attribute <= CU_DEVICE_ATTRIBUTE_ONLY_PARTIAL_HOST_NATIVE_ATOMIC_SUPPORTED) {
    return 0;
  }
  return std::nullopt;
}

} // namespace gantry::simt::driver
