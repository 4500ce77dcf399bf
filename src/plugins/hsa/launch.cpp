#include "plugins/hsa/launch.h"

#include "plugins/hsa/functions.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace gantry::hsa {

namespace {

/// Behind the launch environment, aligned for every type.
constexpr std::size_t kRecordsOffset = 64;

/// Makes `memory` large enough for the kernel's reduction.
std::int32_t reserve(LaunchMemory& memory, const gantry_kernel_environment& kernel, Device& device,
                     Stream& stream) {
  const std::size_t bytes = kRecordsOffset + static_cast<std::size_t>(kernel.reduction_bytes) *
                                                 static_cast<std::size_t>(kernel.reduction_records);
  if (bytes <= memory.bytes) {
    return GANTRY_SUCCESS;
  }
  GANTRY_STATUS_TRY(stream.wait_for_all());
  gpu::DeviceAddress address = 0;
  GANTRY_STATUS_TRY(device.memory.allocate(bytes, address));
  gantry_launch_environment environment = {};
  environment.records = address + kRecordsOffset;
  const std::int32_t code = write(device, pointer_to(address), &environment, sizeof environment);
  if (code != GANTRY_SUCCESS) {
    (void)device.memory.release(address);
    return code;
  }
  if (memory.environment != 0) {
    GANTRY_STATUS_TRY(device.memory.release(memory.environment));
  }
  memory.environment = address;
  memory.bytes = bytes;
  return GANTRY_SUCCESS;
}

/// Where threads find private and group memory, in the upper half of an address.
struct Apertures {
  std::uint32_t group = 0;
  std::uint32_t private_memory = 0;
};
Apertures apertures_of(const hsa_queue_t& queue) {
  // Of amd_queue_t, which begins with an hsa_queue_t.
  constexpr std::size_t kGroupOffset = 64;
  constexpr std::size_t kPrivateOffset = 68;
  Apertures apertures;
  const auto* const bytes = reinterpret_cast<const std::byte*>(&queue);
  std::memcpy(&apertures.group, bytes + kGroupOffset, sizeof apertures.group);
  std::memcpy(&apertures.private_memory, bytes + kPrivateOffset, sizeof apertures.private_memory);
  return apertures;
}

std::uint64_t value_of(HiddenArgument kind, const gpu::Grid& grid, const gantry_launch& launch,
                       const hsa_queue_t& queue) {
  switch (kind) {
  case HiddenArgument::kBlockCountX:
    return grid.blocks[0];
  case HiddenArgument::kBlockCountY:
    return grid.blocks[1];
  case HiddenArgument::kBlockCountZ:
    return grid.blocks[2];
  case HiddenArgument::kGroupSizeX:
    return grid.threads[0];
  case HiddenArgument::kGroupSizeY:
    return grid.threads[1];
  case HiddenArgument::kGroupSizeZ:
    return grid.threads[2];
  case HiddenArgument::kRemainderX: // all blocks are whole
  case HiddenArgument::kRemainderY:
  case HiddenArgument::kRemainderZ:
    return 0;
  case HiddenArgument::kGridDimensions:
    return grid.blocks[2] * grid.threads[2] > 1 ? 3 : grid.blocks[1] * grid.threads[1] > 1 ? 2 : 1;
  case HiddenArgument::kDynamicGroupMemory:
    return launch.dynamic_memory;
  case HiddenArgument::kPrivateBase:
    return apertures_of(queue).private_memory;
  case HiddenArgument::kSharedBase:
    return apertures_of(queue).group;
  case HiddenArgument::kQueue:
    return reinterpret_cast<std::uint64_t>(&queue);
  }
  return 0;
}

std::int32_t check_grid(const gantry_kernel& kernel, const gpu::Grid& grid,
                        const gantry_launch& launch) {
  const Device& device = *kernel.device;
  const std::uint64_t threads = std::uint64_t{grid.threads[0]} * grid.threads[1] * grid.threads[2];
  if (threads > kernel.max_block_size) {
    return report(GANTRY_FAILURE,
                  "a team of {} threads is larger than the kernel can have, which is {}; give "
                  "thread_limit",
                  threads, kernel.max_block_size);
  }
  for (std::size_t i = 0; i < grid.blocks.size(); ++i) {
    if (std::uint64_t{grid.blocks[i]} * grid.threads[i] > device.max_grid_size) {
      return report(GANTRY_FAILURE, "{} teams of {} threads are more than the device can start",
                    grid.blocks[i], grid.threads[i]);
    }
  }
  const std::uint64_t group = std::uint64_t{kernel.group_bytes} + launch.dynamic_memory;
  if (device.group_memory != 0 && group > device.group_memory) {
    return report(GANTRY_FAILURE,
                  "a team needs {} bytes of group-private memory, {} of them dynamic, and the "
                  "device has {}",
                  group, launch.dynamic_memory, device.group_memory);
  }
  return GANTRY_SUCCESS;
}

std::uint32_t blocks_at_once(const gantry_kernel& kernel, std::uint32_t threads,
                             std::uint32_t dynamic_memory) {
  const Device& device = *kernel.device;
  const std::uint32_t waves = (threads + kernel.wave_size - 1) / kernel.wave_size;
  std::uint64_t blocks = std::max(kernel.waves_at_once / std::max(waves, 1U), 1U);
  if (const std::uint64_t group = std::uint64_t{kernel.group_bytes} + dynamic_memory; group > 0) {
    blocks = std::clamp<std::uint64_t>(device.group_memory / group, 1, blocks);
  }
  return static_cast<std::uint32_t>(blocks) * device.compute_units;
}

} // namespace

gpu::Grid choose_grid(const gantry_kernel& kernel, const gantry_launch& launch) {
  constexpr std::uint32_t kUsualThreads = 128;
  const Device& device = *kernel.device;
  const gpu::GridLimits limits = {
      .warp_size = kernel.wave_size,
      .block_size = kernel.max_block_size,
      .usual_threads = kUsualThreads,
      .blocks = device.max_grid_size / std::max(kernel.max_block_size, 1U),
  };
  return gpu::choose_grid(kernel.environment, launch, limits, [&](std::uint32_t threads) {
    return blocks_at_once(kernel, threads, launch.dynamic_memory);
  });
}

std::int32_t LaunchMemory::release(Device& device) {
  std::int32_t status = arguments.release();
  if (environment != 0) {
    keep_failure(status, device.memory.release(environment));
  }
  return status;
}

std::int32_t start(gantry_kernel& kernel, const gantry_launch& launch, Stream& stream,
                   LaunchMemory& memory) {
  Device& device = *kernel.device;
  const gpu::Grid grid = choose_grid(kernel, launch);
  GANTRY_STATUS_TRY(check_grid(kernel, grid, launch));
  GANTRY_STATUS_TRY(have_functions(device));
  GANTRY_STATUS_TRY(stream.choose_hardware());
  const bool has_records =
      kernel.environment.reduction_bytes > 0 && kernel.environment.reduction_records > 0;
  if (has_records) {
    GANTRY_STATUS_TRY(reserve(memory, kernel.environment, device, stream));
  }
  // All parameters are words, so that they lie in memory as the kernel has them.
  const std::size_t given = launch.argument_count * sizeof(void*);
  const std::size_t size = std::max<std::size_t>(kernel.argument_bytes, given);
  std::byte* arguments = nullptr;
  GANTRY_STATUS_TRY(memory.arguments.reserve(stream, size, arguments));
  std::memset(arguments, 0, size);
  if (given > 0) {
    std::memcpy(arguments, launch.arguments, given);
  }
  if (has_records && given > 0) {
    std::memcpy(arguments, &memory.environment, sizeof memory.environment);
  }
  for (const HiddenArgumentPlace& place : kernel.hidden) {
    if (place.offset <= size && place.size <= size - place.offset) {
      const std::uint64_t value = value_of(place.kind, grid, launch, *stream.handle());
      std::memcpy(arguments + place.offset, &value, place.size);
    }
  }
  hsa_kernel_dispatch_packet_t packet = {};
  packet.setup = 3 << HSA_KERNEL_DISPATCH_PACKET_SETUP_DIMENSIONS;
  packet.workgroup_size_x = static_cast<std::uint16_t>(grid.threads[0]);
  packet.workgroup_size_y = static_cast<std::uint16_t>(grid.threads[1]);
  packet.workgroup_size_z = static_cast<std::uint16_t>(grid.threads[2]);
  packet.grid_size_x = grid.blocks[0] * grid.threads[0];
  packet.grid_size_y = grid.blocks[1] * grid.threads[1];
  packet.grid_size_z = grid.blocks[2] * grid.threads[2];
  packet.private_segment_size = kernel.private_bytes;
  packet.group_segment_size = kernel.group_bytes + launch.dynamic_memory;
  packet.kernel_object = kernel.object;
  packet.kernarg_address = arguments;
  return stream.dispatch(packet, &kernel);
}

} // namespace gantry::hsa
