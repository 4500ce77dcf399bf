#include "simt/amdgcn/exec/launch.h"

#include "simt/amdgcn/exec/code_map.h"
#include "simt/amdgcn/objects/kernel_descriptor.h"
#include "simt/host/settings.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <fmt/format.h>
#include <hsa/hsa.h>

namespace gantry::simt::amdgcn {

namespace {

constexpr std::uint32_t bits(std::uint32_t word, unsigned first, unsigned count) {
  return (word >> first) & ((1U << count) - 1);
}
constexpr bool bit(std::uint32_t word, unsigned number) {
  return ((word >> number) & 1) != 0;
}

/// Of a wave: gfx11's kernels say it.
unsigned lanes_of(const KernelDescriptor& descriptor, const Processor& processor) {
  if (!processor.is_gfx11) {
    return processor.wave;
  }
  return (descriptor.properties & kHasWavesOf32) != 0 ? 32 : 64;
}

RegisterPlan plan_of(const KernelDescriptor& descriptor, const Processor& processor,
                     unsigned lanes) {
  const std::uint32_t first = descriptor.rsrc1;
  const std::uint32_t second = descriptor.rsrc2;
  RegisterPlan plan;
  plan.user_sgprs = bits(second, 1, 5);
  plan.private_buffer = bit(descriptor.properties, 0);
  plan.dispatch = bit(descriptor.properties, 1);
  plan.queue = bit(descriptor.properties, 2);
  plan.kernarg = bit(descriptor.properties, 3);
  plan.dispatch_id = bit(descriptor.properties, 4);
  plan.flat_scratch = bit(descriptor.properties, 5);
  plan.private_size = bit(descriptor.properties, 6);
  for (unsigned i = 0; i < 3; ++i) {
    plan.group_id[i] = bit(second, 7 + i);
  }
  plan.group_info = bit(second, 10);
  plan.private_offset = bit(second, 0) && !processor.is_gfx11;
  plan.item_ids = bits(second, 11, 2) + 1;
  plan.mode = bits(first, 12, 8) | bits(first, 21, 1) << 8 | bits(first, 23, 1) << 9;
  const bool has_many = processor.is_gfx11 ? lanes != kLanes : processor.packs_work_item;
  const unsigned granule = has_many ? 8 : 4;
  plan.vgprs = std::min((bits(first, 0, 6) + 1) * granule, vector::kRegisters);
  return plan;
}

} // namespace

tl::expected<Launch, Fault> read_launch(const Dispatch& dispatch) {
  const auto invalid = [](std::string why) {
    const std::string what = "a dispatch: " + std::move(why);
    return tl::unexpected(Fault{.kind = FaultKind::kInvalidPacket,
                                .what = what,
                                .report = "gantry: error: " + what + "\n"});
  };
  hsa_kernel_dispatch_packet_t packet;
  std::memcpy(&packet, std::bit_cast<const void*>(dispatch.packet), sizeof packet);
  auto* const memory = DeviceMemory::instance();
  if (memory == nullptr || packet.kernel_object % kDescriptorAlignment != 0 ||
      !memory->accessible(packet.kernel_object, sizeof(KernelDescriptor))) {
    return invalid(
        fmt::format("its kernel object {:#x} is no kernel descriptor", packet.kernel_object));
  }
  KernelDescriptor descriptor;
  std::memcpy(&descriptor, std::bit_cast<const void*>(packet.kernel_object), sizeof descriptor);

  Launch launch;
  launch.entry = packet.kernel_object + static_cast<std::uint64_t>(descriptor.entry);
  launch.code = code_at(launch.entry);
  if (launch.code == nullptr || launch.entry % 4 != 0) {
    return invalid(fmt::format("its kernel object {:#x} is no kernel descriptor: where code should "
                               "begin, none is loaded",
                               packet.kernel_object));
  }
  launch.kernel = launch.code->function_at(launch.entry);
  if (&launch.code->processor() != dispatch.processor) {
    return invalid(fmt::format("kernel '{}' is of {}, the agent is {}", launch.kernel,
                               launch.code->processor().name, dispatch.processor->name));
  }
  launch.grid.processor = dispatch.processor;
  launch.grid.device = dispatch.device;
  launch.grid.checks_memory = settings().checks.memory;
  launch.grid.lanes = lanes_of(descriptor, *dispatch.processor);
  launch.registers = plan_of(descriptor, *dispatch.processor, launch.grid.lanes);
  if (!mode::is_known(launch.registers.mode)) {
    return invalid(fmt::format("of kernel '{}' asks for another rounding than to nearest, or for "
                               "halves and doubles without denormal numbers",
                               launch.kernel));
  }
  launch.packet = dispatch.packet;
  launch.queue = dispatch.queue;
  launch.kernarg = reinterpret_cast<std::uint64_t>(packet.kernarg_address);
  launch.private_size = (packet.private_segment_size + 3) / 4 * 4;
  launch.shared_size = packet.group_segment_size;

  const unsigned dimensions = packet.setup & 3;
  if (dimensions == 0) {
    return invalid(fmt::format("of kernel '{}' has no dimensions", launch.kernel));
  }
  const std::uint32_t group_sizes[] = {packet.workgroup_size_x, packet.workgroup_size_y,
                                       packet.workgroup_size_z};
  const std::uint32_t grid_sizes[] = {packet.grid_size_x, packet.grid_size_y, packet.grid_size_z};
  for (unsigned i = 0; i < dimensions; ++i) {
    launch.group[i] = group_sizes[i];
    launch.items[i] = grid_sizes[i];
    if (launch.group[i] == 0 || launch.items[i] == 0) {
      return invalid(
          fmt::format("of kernel '{}' has a size of 0 in dimension {}", launch.kernel, i));
    }
    launch.groups[i] = (launch.items[i] - 1) / launch.group[i] + 1;
  }
  const std::uint64_t group = std::uint64_t{launch.group[0]} * launch.group[1] * launch.group[2];
  if (group > kMostWorkGroup) {
    return invalid(fmt::format("of kernel '{}' has work-groups of {} work-items, the limit is {}",
                               launch.kernel, group, kMostWorkGroup));
  }
  if (launch.shared_size < descriptor.group_bytes || launch.shared_size > kMostGroupBytes) {
    return invalid(fmt::format("of kernel '{}' has {} bytes of LDS; the kernel needs {}, and the "
                               "limit is {}",
                               launch.kernel, launch.shared_size, descriptor.group_bytes,
                               kMostGroupBytes));
  }
  if (launch.private_size < descriptor.private_bytes || launch.private_size > kMostPrivateBytes) {
    return invalid(fmt::format("of kernel '{}' has {} bytes of private memory for each work-item; "
                               "the kernel needs {}, and the limit is {}",
                               launch.kernel, launch.private_size, descriptor.private_bytes,
                               kMostPrivateBytes));
  }
  return launch;
}

} // namespace gantry::simt::amdgcn
