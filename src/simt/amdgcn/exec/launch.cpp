#include "simt/amdgcn/exec/launch.h"

#include "simt/amdgcn/exec/code_map.h"
#include "simt/exec/host/settings.h"

#include <bit>
#include <cstring>
#include <fmt/format.h>

namespace gantry::simt::amdgcn {

namespace {

/// hsa_kernel_dispatch_packet_t (HSA Platform System Architecture, "Kernel dispatch packet").
struct Packet {
  std::uint16_t header, setup;
  std::uint16_t group[3];
  std::uint16_t reserved;
  std::uint32_t items[3];
  std::uint32_t private_size, shared_size;
  std::uint64_t kernel, kernarg, reserved_two, signal;
};
static_assert(sizeof(Packet) == 64);

/// amdhsa_kernel_descriptor (AMDGPUUsage, "Kernel Descriptor").
struct Descriptor {
  std::uint32_t shared_size, private_size, kernarg_size, reserved;
  std::int64_t entry;
  std::uint8_t reserved_two[20];
  std::uint32_t resources[3]; ///< 3, 1, 2
  std::uint16_t properties, preload;
  std::uint32_t reserved_three;
};
static_assert(sizeof(Descriptor) == 64);

constexpr std::uint32_t bits(std::uint32_t word, unsigned first, unsigned count) {
  return (word >> first) & ((1U << count) - 1);
}
constexpr bool bit(std::uint32_t word, unsigned number) {
  return ((word >> number) & 1) != 0;
}

RegisterPlan plan_of(const Descriptor& descriptor, const Processor& processor) {
  const std::uint32_t first = descriptor.resources[1];
  const std::uint32_t second = descriptor.resources[2];
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
  plan.private_offset = bit(second, 0);
  plan.item_ids = bits(second, 11, 2) + 1;
  const unsigned granule = processor.packs_work_item ? 8 : 4;
  plan.vgprs = std::min((bits(first, 0, 6) + 1) * granule, vector::kRegisters);
  return plan;
}

} // namespace

tl::expected<Launch, Fault> read_launch(const Dispatch& dispatch) {
  const auto invalid = [](std::string why) {
    return tl::unexpected(
        Fault{FaultKind::kInvalidPacket, 0, "gantry: error: a dispatch: " + std::move(why) + "\n"});
  };
  Packet packet;
  std::memcpy(&packet, std::bit_cast<const void*>(dispatch.packet), sizeof packet);
  auto* const memory = exec::DeviceMemory::instance();
  if (memory == nullptr || packet.kernel % 64 != 0 ||
      !memory->accessible(packet.kernel, sizeof(Descriptor))) {
    return invalid(fmt::format("its kernel object {:#x} is no kernel descriptor", packet.kernel));
  }
  Descriptor descriptor;
  std::memcpy(&descriptor, std::bit_cast<const void*>(packet.kernel), sizeof descriptor);

  Launch launch;
  launch.entry = packet.kernel + static_cast<std::uint64_t>(descriptor.entry);
  launch.code = code_at(launch.entry);
  if (launch.code == nullptr || launch.entry % 4 != 0) {
    return invalid(fmt::format("its kernel object {:#x} is no kernel descriptor: where code should "
                               "begin, none is loaded",
                               packet.kernel));
  }
  launch.kernel = launch.code->function_at(launch.entry);
  if (&launch.code->processor() != dispatch.processor) {
    return invalid(fmt::format("kernel '{}' is of {}, the agent is {}", launch.kernel,
                               launch.code->processor().name, dispatch.processor->name));
  }
  launch.grid.processor = dispatch.processor;
  launch.grid.device = dispatch.device;
  launch.grid.checks_memory = exec::settings().checks.memory;
  launch.registers = plan_of(descriptor, *dispatch.processor);
  launch.packet = dispatch.packet;
  launch.queue = dispatch.queue;
  launch.kernarg = packet.kernarg;
  launch.private_size = (packet.private_size + 3) / 4 * 4;
  launch.shared_size = packet.shared_size;

  const unsigned dimensions = packet.setup & 3;
  if (dimensions == 0) {
    return invalid(fmt::format("of kernel '{}' has no dimensions", launch.kernel));
  }
  for (unsigned i = 0; i < dimensions; ++i) {
    launch.group[i] = packet.group[i];
    launch.items[i] = packet.items[i];
    if (packet.group[i] == 0 || packet.items[i] == 0) {
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
  if (launch.shared_size < descriptor.shared_size || launch.shared_size > kMostGroupBytes) {
    return invalid(fmt::format("of kernel '{}' has {} bytes of LDS; the kernel needs {}, and the "
                               "limit is {}",
                               launch.kernel, launch.shared_size, descriptor.shared_size,
                               kMostGroupBytes));
  }
  if (launch.private_size < descriptor.private_size || launch.private_size > kMostPrivateBytes) {
    return invalid(fmt::format("of kernel '{}' has {} bytes of private memory for each work-item; "
                               "the kernel needs {}, and the limit is {}",
                               launch.kernel, launch.private_size, descriptor.private_size,
                               kMostPrivateBytes));
  }
  return launch;
}

} // namespace gantry::simt::amdgcn
