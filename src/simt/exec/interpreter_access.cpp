#include "simt/exec/interpreter_access.h"

#include "simt/exec/device_memory.h"
#include "simt/exec/fault_report.h"

#include <cstring>

namespace gantry::simt::exec::interpreter {

namespace {

using ptx::Space;

/// The numbers that access_fault() has for spaces.
std::uint32_t number_of(Space space) {
  switch (space) {
  case Space::kGlobal:
    return 1;
  case Space::kShared:
    return 3;
  case Space::kConst:
    return 4;
  case Space::kLocal:
    return 5;
  default:
    return 0;
  }
}

bool is_live(const Warp& warp, std::uint64_t address, std::uint32_t size) {
  const std::uint64_t offset = address - warp.arena;
  const std::uint64_t in_granule = address % DeviceMemory::kGranule;
  if (offset < warp.arena_size && in_granule + size <= DeviceMemory::kGranule &&
      warp.shadow[offset / DeviceMemory::kGranule] >= in_granule + size) {
    return true;
  }
  return DeviceMemory::instance()->accessible(address, size);
}

bool is_kernel_parameter(Machine& machine, std::uint64_t address, std::uint32_t size) {
  const std::uint64_t offset = address - reinterpret_cast<std::uint64_t>(machine.warp().parameters);
  const std::uint64_t bytes = machine.kernel().facts.parameter_bytes;
  return offset < bytes && bytes - offset >= size;
}

/// A generic address of local memory names a place in the memory of whoever uses it, whichever
/// thread it comes from: GCC's code keeps one in shared memory for all.
std::uint64_t own_address(const Warp& warp, unsigned lane, std::uint64_t address) {
  const auto local = reinterpret_cast<std::uint64_t>(warp.local);
  const std::uint64_t offset = address - local;
  if (offset >= std::uint64_t{warp.local_stride} * kLanes) {
    return address;
  }
  return local + std::uint64_t{lane} * warp.local_stride + offset % warp.local_stride;
}

/// `part`: bytes of an element, of an access to several.
bool may_access(Machine& machine, Space space, std::uint64_t address, std::uint32_t size,
                std::uint32_t part, AccessKind kind) {
  const Warp& warp = machine.warp();
  switch (space) {
  case Space::kShared:
    return address <= warp.shared_size && warp.shared_size - address >= size;
  case Space::kLocal:
    return address <= warp.local_size && warp.local_size - address >= size;
  default:
    return is_live(warp, address, size - part + needed_bytes(kind, part)) ||
           (kind == AccessKind::kLoad && is_kernel_parameter(machine, address, size));
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
      addresses[lane] = own_address(warp, lane, addresses[lane]);
    }
  });
  if (machine.checks_memory()) {
    LaneMask wrong = 0;
    std::uint32_t size = alignment;
    for_lanes(active, [&](unsigned lane) {
      const bool right =
          addresses[lane] % alignment == 0 &&
          (sizes[lane] == 0 || may_access(machine, space, addresses[lane], sizes[lane],
                                          sizes[lane] / operation.vector, kind));
      wrong |= right ? 0 : 1U << lane;
      size = right ? size : std::max(size, sizes[lane]);
    });
    if (wrong != 0) {
      machine.block().fail(machine.warp(), access_fault(warp, wrong, addresses.data(), size, kind,
                                                        number_of(space), operation.site));
    }
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
