#include "simt/exec/interpreter_access.h"

#include "simt/exec/fault_report.h"
#include "simt/exec/lane_memory.h"

#include <cstring>

namespace gantry::simt::exec::interpreter {

namespace {

using ptx::Space;

AccessSpace access_space(Space space) {
  switch (space) {
  case Space::kGlobal:
    return AccessSpace::kGlobal;
  case Space::kShared:
    return AccessSpace::kShared;
  case Space::kConst:
    return AccessSpace::kConst;
  case Space::kLocal:
    return AccessSpace::kLocal;
  default:
    return AccessSpace::kGeneric;
  }
}

/// Calls each(lanes, size) for the lanes of each size.
template <typename Each>
void by_size(LaneMask lanes, const std::array<std::uint32_t, kLanes>& sizes, const Each& each) {
  while (lanes != 0) {
    const std::uint32_t size = sizes[static_cast<unsigned>(std::countr_zero(lanes))];
    LaneMask same = 0;
    for_lanes(lanes, [&](unsigned lane) { same |= sizes[lane] == size ? 1U << lane : 0; });
    each(same, size);
    lanes &= ~same;
  }
}

} // namespace

Places checked_places(Machine& machine, Group& group, const Operation& operation,
                      const Address& address, LaneMask active,
                      const std::array<std::uint32_t, kLanes>& sizes, std::uint32_t alignment,
                      AccessKind kind) {
  const Warp& warp = machine.warp();
  Column scratch;
  const std::uint64_t* base = machine.read(group, address.base, scratch);
  const Space space = address.space;
  const std::uint64_t window =
      space == Space::kParam ? reinterpret_cast<std::uint64_t>(warp.parameters) : 0;
  const bool is_window = space == Space::kShared || space == Space::kLocal;
  Column addresses;
  for_lanes(active, [&](unsigned lane) {
    const std::uint64_t sum = base[lane] + static_cast<std::uint64_t>(address.offset);
    // Arithmetic on an address of 32 bits stays in 32 bits.
    addresses[lane] = window + (address.narrow && is_window ? sum & 0xFFFF'FFFF : sum);
    if (space == Space::kGeneric) {
      addresses[lane] = LaneMemory(warp, lane).own_address(addresses[lane]);
    }
  });
  if (machine.checks_memory()) {
    LaneMask wrong = 0;
    std::uint32_t size = alignment;
    // Of an access to several elements, those before the last one have to be there whole.
    const auto needed = [&](std::uint32_t bytes) {
      const std::uint32_t last = bytes / operation.vector;
      return bytes - last + needed_bytes(kind, last);
    };
    for_lanes(active, [&](unsigned lane) {
      const bool right =
          addresses[lane] % alignment == 0 &&
          (sizes[lane] == 0 || LaneMemory(warp, lane)
                                   .may_access(access_space(space), addresses[lane], sizes[lane],
                                               needed(sizes[lane]), kind));
      wrong |= right ? 0 : 1U << lane;
      size = right ? size : std::max(size, sizes[lane]);
    });
    if (wrong != 0) {
      machine.block().fail(machine.warp(), access_fault(warp, wrong, addresses.data(), size, kind,
                                                        access_space(space), operation.site));
    }
  }
  if (BlockChecks* const checks = machine.block().checks.get()) {
    const auto each = [&](LaneMask lanes, std::uint32_t size) {
      checks->access(machine.warp(), lanes, addresses.data(), size, kind, access_space(space),
                     operation.site);
    };
    by_size(active, sizes, each);
  }
  Places places;
  for_lanes(active, [&](unsigned lane) {
    std::byte* origin = nullptr;
    if (space == Space::kShared) {
      origin = warp.shared;
    } else if (space == Space::kLocal) {
      origin = warp.local + std::size_t{lane} * warp.local_stride;
    }
    places.at[lane] =
        reinterpret_cast<std::byte*>(reinterpret_cast<std::uint64_t>(origin) + addresses[lane]);
  });
  return places;
}

Places checked_places(Machine& machine, Group& group, const Operation& operation,
                      const Address& address, LaneMask active, std::uint32_t size,
                      AccessKind kind) {
  std::array<std::uint32_t, kLanes> sizes;
  sizes.fill(size);
  return checked_places(machine, group, operation, address, active, sizes, size, kind);
}

std::uint64_t load(const std::byte* at, unsigned size, Order order) {
  const int memory_order = order == Order::kAcquire ? __ATOMIC_ACQUIRE : __ATOMIC_RELAXED;
  switch (size) {
  case 1:
    return __atomic_load_n(reinterpret_cast<const std::uint8_t*>(at), memory_order);
  case 2:
    return __atomic_load_n(reinterpret_cast<const std::uint16_t*>(at), memory_order);
  case 4:
    return __atomic_load_n(reinterpret_cast<const std::uint32_t*>(at), memory_order);
  default:
    return __atomic_load_n(reinterpret_cast<const std::uint64_t*>(at), memory_order);
  }
}

void store(std::byte* at, unsigned size, std::uint64_t value, Order order) {
  const int memory_order = order == Order::kRelease ? __ATOMIC_RELEASE : __ATOMIC_RELAXED;
  switch (size) {
  case 1:
    __atomic_store_n(reinterpret_cast<std::uint8_t*>(at), static_cast<std::uint8_t>(value),
                     memory_order);
    break;
  case 2:
    __atomic_store_n(reinterpret_cast<std::uint16_t*>(at), static_cast<std::uint16_t>(value),
                     memory_order);
    break;
  case 4:
    __atomic_store_n(reinterpret_cast<std::uint32_t*>(at), static_cast<std::uint32_t>(value),
                     memory_order);
    break;
  default:
    __atomic_store_n(reinterpret_cast<std::uint64_t*>(at), value, memory_order);
    break;
  }
}

} // namespace gantry::simt::exec::interpreter
