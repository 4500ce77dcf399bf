#include "plugins/cuda/launch.h"

#include "plugins/cuda/functions.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace gantry::cuda {

namespace {

constexpr std::uint32_t kWarpSize = 32;
/// Behind the launch environment, aligned for every type.
constexpr std::size_t kRecordsOffset = 64;

/// Makes `memory` large enough for the kernel's reduction.
std::int32_t reserve(LaunchMemory& memory, const gantry_kernel_environment& kernel,
                     const Device& device, CUstream stream) {
  const std::size_t bytes = kRecordsOffset + static_cast<std::size_t>(kernel.reduction_bytes) *
                                                 static_cast<std::size_t>(kernel.reduction_records);
  if (bytes <= memory.bytes) {
    return GANTRY_SUCCESS;
  }
  CUdeviceptr address = 0;
  GANTRY_STATUS_TRY(enter(device));
  GANTRY_CUDA_TRY(cuStreamSynchronize, stream);
  GANTRY_CUDA_TRY(cuMemAlloc_v2, &address, bytes);
  gantry_launch_environment environment = {};
  environment.records = address + kRecordsOffset;
  GANTRY_CUDA_TRY(cuMemcpyHtoDAsync_v2, address, &environment, sizeof environment, stream);
  if (memory.environment != 0) {
    GANTRY_CUDA_TRY(cuMemFree_v2, memory.environment);
  }
  memory.environment = address;
  memory.bytes = bytes;
  return GANTRY_SUCCESS;
}

/// Arguments that are put together without an allocation.
constexpr std::size_t kFewArguments = 64;

} // namespace

// The question to the driver and its answer are kept in one word.
int resident_blocks(gantry_kernel& kernel, std::uint32_t threads, std::uint32_t dynamic_memory) {
  constexpr unsigned kQuestionBits = 48;
  const std::uint64_t question = std::uint64_t{threads} << 32 | dynamic_memory;
  const std::uint64_t known = kernel.occupancy.load(std::memory_order_relaxed);
  if (known != 0 && (known & ((std::uint64_t{1} << kQuestionBits) - 1)) == question) {
    return static_cast<int>(known >> kQuestionBits);
  }
  int resident = 0;
  if (enter(*kernel.device) != GANTRY_SUCCESS ||
      driver().cuOccupancyMaxActiveBlocksPerMultiprocessor(
          &resident, kernel.function, static_cast<int>(threads), dynamic_memory) != CUDA_SUCCESS ||
      resident < 1) {
    resident = 1;
  }
  kernel.occupancy.store(static_cast<std::uint64_t>(resident) << kQuestionBits | question,
                         std::memory_order_relaxed);
  return resident;
}

gpu::Grid choose_grid(gantry_kernel& kernel, const gantry_launch& launch) {
  const Device& device = *kernel.device;
  const gpu::GridLimits limits = {
      .warp_size = kWarpSize,
      .block_size = static_cast<std::uint32_t>(kernel.max_block_size),
      .usual_threads = device.usual_threads,
      .blocks = static_cast<std::uint32_t>(device.max_grid_size),
      .open_team = kernel.open_team,
  };
  return gpu::choose_grid(kernel.environment, launch, limits, [&](std::uint32_t threads) {
    return resident_blocks(kernel, threads, launch.dynamic_memory) * device.multiprocessors;
  });
}

std::int32_t LaunchMemory::give_back_stacks(Device& device) {
  const CUdeviceptr borrowed = std::exchange(borrowed_stacks, 0);
  if (borrowed == 0 || device.memory.put_back(borrowed)) {
    return GANTRY_SUCCESS;
  }
  GANTRY_STATUS_TRY(enter(device));
  return device.memory.release(borrowed);
}

std::int32_t LaunchMemory::release(Device& device) {
  std::int32_t status = give_back_stacks(device);
  if (environment != 0) {
    keep_failure(status, check(driver().cuMemFree_v2(environment), "cuMemFree"));
  }
  if (stacks != 0) {
    keep_failure(status, device.memory.release(stacks));
  }
  return status;
}

std::int32_t start(gantry_kernel& kernel, const gantry_launch& launch, CUstream stream,
                   LaunchMemory& memory) {
  GANTRY_STATUS_TRY(have_functions(*kernel.device));
  if (kernel.convention != Convention::kClang) {
    return start_of_gcc(kernel, launch, stream, memory);
  }
  const gpu::Grid grid = choose_grid(kernel, launch);
  void* const* arguments = launch.arguments;
  std::array<void*, kFewArguments> few;
  std::vector<void*> many;
  if (kernel.environment.reduction_bytes > 0 && kernel.environment.reduction_records > 0) {
    GANTRY_STATUS_TRY(reserve(memory, kernel.environment, *kernel.device, stream));
    void** copied = few.data();
    if (launch.argument_count > kFewArguments) {
      many.resize(launch.argument_count);
      copied = many.data();
    }
    std::copy_n(launch.arguments, launch.argument_count, copied);
    copied[0] = reinterpret_cast<void*>(memory.environment);
    arguments = copied;
  }
  // All parameters are words, so that they lie in memory as the kernel has them.
  std::size_t bytes = launch.argument_count * sizeof(void*);
  std::array<void*, 5> parameters = {CU_LAUNCH_PARAM_BUFFER_POINTER, const_cast<void**>(arguments),
                                     CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
  return check_in_context(*kernel.device, "cuLaunchKernel", [&] {
    return driver().cuLaunchKernel(kernel.function, grid.blocks[0], grid.blocks[1], grid.blocks[2],
                                   grid.threads[0], grid.threads[1], grid.threads[2],
                                   launch.dynamic_memory, stream, nullptr, parameters.data());
  });
}

} // namespace gantry::cuda
