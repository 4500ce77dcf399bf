// What a simulated device answers to cuDeviceGetAttribute: what it can do, and for what it has not
// (textures, a PCI bus) the smallest value that programs accept.
#include "simt/driver/device.h"
#include "simt/memory/host_memory.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace gantry::simt::driver {

std::optional<int> Device::attribute(CUdevice_attribute attribute) const {
  const std::pair<CUdevice_attribute, int> values[] = {
      {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kThreadsOfBlock},
      {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, kBlockDim[0]},
      {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, kBlockDim[1]},
      {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, kBlockDim[2]},
      {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, kGridDim[0]},
      {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, kGridDim[1]},
      {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, kGridDim[2]},
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, kSharedOfBlock},
      {CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY, 64 << 10},
      {CU_DEVICE_ATTRIBUTE_WARP_SIZE, kWarpSize},
      {CU_DEVICE_ATTRIBUTE_MAX_PITCH, 0x7FFFFFFF},
      {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, kRegisters},
      {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, kRegisters},
      {CU_DEVICE_ATTRIBUTE_CLOCK_RATE, kClockKilohertz},
      {CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, kClockKilohertz},
      {CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT, kPitch},
      {CU_DEVICE_ATTRIBUTE_SURFACE_ALIGNMENT, kPitch},
      {CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT, 32},
      {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, static_cast<int>(multiprocessors_)},
      {CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, pci_bus()},
      {CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, 64},
      {CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 1 << 20},
      {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, static_cast<int>(limits_.threads)},
      {CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT, 2},
      {CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO, 2},
      {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, static_cast<int>(major_)},
      {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, static_cast<int>(minor_)},
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR,
       static_cast<int>(limits_.shared_bytes)},
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
       static_cast<int>(limits_.shared_bytes_of_block)},
      {CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, static_cast<int>(limits_.blocks)},
      {CU_DEVICE_ATTRIBUTE_NUMA_ID, -1},
      {CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK, major_ >= 8 ? 1 << 10 : 0},
      {CU_DEVICE_ATTRIBUTE_GPU_OVERLAP, 1},
      {CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY, 1},
      {CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS, 1},
      {CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING, 1},
      {CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED, 1},
      {CU_DEVICE_ATTRIBUTE_GLOBAL_L1_CACHE_SUPPORTED, 1},
      {CU_DEVICE_ATTRIBUTE_LOCAL_L1_CACHE_SUPPORTED, 1},
      {CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY, 1},
      {CU_DEVICE_ATTRIBUTE_HOST_NATIVE_ATOMIC_SUPPORTED, 1},
      {CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS, 1},
      {CU_DEVICE_ATTRIBUTE_COMPUTE_PREEMPTION_SUPPORTED, 1},
      {CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM, 1},
      {CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, 1},
      {CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH, major_ >= 9 ? 1 : 0},
      {CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED, 1},
      {CU_DEVICE_ATTRIBUTE_DIRECT_MANAGED_MEM_ACCESS_FROM_HOST, 1},
      {CU_DEVICE_ATTRIBUTE_READ_ONLY_HOST_REGISTER_SUPPORTED, 1},
      {CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, 1},
      {CU_DEVICE_ATTRIBUTE_VIRTUAL_ADDRESS_MANAGEMENT_SUPPORTED, 1},
      {CU_DEVICE_ATTRIBUTE_MEM_SYNC_DOMAIN_COUNT, 1},
      {CU_DEVICE_ATTRIBUTE_INTEGRATED, 1}, // its memory is the host's
      // Kernels see no memory of the program that was not allocated by the driver, or registered,
      // unless the program asks for it (gantry/simt_driver.h); an access to it is found and
      // reported.
      {CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS, may_use_host_memory(ordinal_) ? 1 : 0},
      {CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT, 0},
      {CU_DEVICE_ATTRIBUTE_COMPUTE_MODE, 0},
  };
  const auto* const found =
      std::ranges::find(values, attribute, [](const auto& row) { return row.first; });
  if (found != std::end(values)) {
    return found->second;
  }
  if (attribute >= CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_WIDTH &&
      attribute <= CU_DEVICE_ATTRIBUTE_ONLY_PARTIAL_HOST_NATIVE_ATOMIC_SUPPORTED) {
    return 0;
  }
  return std::nullopt;
}

} // namespace gantry::simt::driver
