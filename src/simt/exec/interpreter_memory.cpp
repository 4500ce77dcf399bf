// Loads, stores, asynchronous copies and what caches are told.
#include "simt/exec/interpreter_access.h"

#include <cstring>

namespace gantry::simt::exec::interpreter {

namespace {

using ptx::Modifier;
using ptx::Opcode;

void load_memory(Machine& machine, Group& group, const Operation& operation, LaneMask active) {
  const unsigned size = ptx::size_of(operation.type);
  const std::uint32_t bytes = size * operation.vector;
  const Places places = checked_places(machine, group, operation, operation.address, active, bytes,
                                       AccessKind::kLoad);
  // Memory is read by all lanes before a register is written: one may be the address.
  std::array<Column, 8> values;
  // Lanes that name one place see one value, even while somebody else writes there: code that runs
  // in lockstep counts on it.
  for (unsigned i = 0; i < operation.vector; ++i) {
    const std::byte* before = nullptr;
    std::uint64_t value = 0;
    for_lanes(active, [&](unsigned lane) {
      std::byte* place = places.at[lane] + std::size_t{i} * size;
      value = place == before ? value : load(place, size, operation.order);
      before = place;
      values[i][lane] = value;
    });
  }
  for (unsigned i = 0; i < operation.vector; ++i) {
    const Destination& destination = operation.destinations[i];
    std::uint64_t* result = machine.result(group, destination);
    for_lanes(active, [&](unsigned lane) {
      result[lane] = fitted(values[i][lane], operation.type, destination);
    });
  }
}

void load_frame(Machine& machine, Group& group, const Operation& operation, LaneMask active) {
  const unsigned size = ptx::size_of(operation.type);
  for (unsigned i = 0; i < operation.vector; ++i) {
    const Destination& destination = operation.destinations[i];
    const auto offset = static_cast<std::uint32_t>(operation.address.offset) + i * size;
    std::uint64_t* result = machine.result(group, destination);
    for_lanes(active, [&](unsigned lane) {
      std::uint64_t value = 0;
      std::memcpy(&value, group.frame->parameter(lane, offset), size);
      result[lane] = fitted(value, operation.type, destination);
    });
  }
}

void store_memory(Machine& machine, Group& group, const Operation& operation, LaneMask active) {
  const unsigned size = ptx::size_of(operation.type);
  const std::uint32_t bytes = size * operation.vector;
  const Places places = checked_places(machine, group, operation, operation.address, active, bytes,
                                       AccessKind::kStore);
  std::array<Column, 8> scratch;
  std::array<const std::uint64_t*, 8> values = {};
  for (unsigned i = 0; i < operation.vector; ++i) {
    values[i] = machine.read(group, operation.sources[i], scratch[i]);
  }
  for_lanes(active, [&](unsigned lane) {
    for (unsigned i = 0; i < operation.vector; ++i) {
      store(places.at[lane] + std::size_t{i} * size, size, values[i][lane], operation.order);
    }
  });
}

void store_frame(Machine& machine, Group& group, const Operation& operation, LaneMask active) {
  const unsigned size = ptx::size_of(operation.type);
  for (unsigned i = 0; i < operation.vector; ++i) {
    Column scratch;
    const std::uint64_t* values = machine.read(group, operation.sources[i], scratch);
    const auto offset = static_cast<std::uint32_t>(operation.address.offset) + i * size;
    for_lanes(active, [&](unsigned lane) {
      std::memcpy(group.frame->parameter(lane, offset), &values[lane], size);
    });
  }
}

/// cp.async, done at once: nothing may rely on its being late.
void copy(Machine& machine, Group& group, const Operation& operation, LaneMask active) {
  const auto size = static_cast<std::uint32_t>(operation.instruction->operands[2].value);
  std::array<std::uint32_t, kLanes> read_sizes;
  read_sizes.fill(size);
  if (operation.sources.size() == 1) {
    if (operation.detail != 0) {
      const LaneMask ignored = machine.read_predicate(group, operation.sources[0]);
      for_lanes(ignored, [&](unsigned lane) { read_sizes[lane] = 0; });
    } else {
      Column scratch;
      const std::uint64_t* given = machine.read(group, operation.sources[0], scratch);
      for_lanes(active, [&](unsigned lane) {
        read_sizes[lane] = std::min(size, static_cast<std::uint32_t>(given[lane]));
      });
    }
  }
  const Places from = checked_places(machine, group, operation, operation.copied, active,
                                     read_sizes, size, AccessKind::kLoad);
  const Places to = checked_places(machine, group, operation, operation.address, active, size,
                                   AccessKind::kStore);
  std::array<std::array<std::byte, 16>, kLanes> values = {};
  for_lanes(active, [&](unsigned lane) {
    if (read_sizes[lane] != 0) {
      std::memcpy(values[lane].data(), from.at[lane], read_sizes[lane]);
    }
  });
  for_lanes(active, [&](unsigned lane) { std::memcpy(to.at[lane], values[lane].data(), size); });
}

void nothing(Machine&, Group&, const Operation&, LaneMask) {}

void fence(Machine& machine, Group&, const Operation&, LaneMask active) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (BlockChecks* const checks = machine.block().checks.get()) {
    checks->fence(machine.warp(), active);
  }
}

} // namespace

Handler memory_handler(Operation& operation) {
  switch (operation.instruction->opcode) {
  case Opcode::k_ld:
  case Opcode::k_ldu:
    operation.order = operation.has(Modifier::kAcquire) ? Order::kAcquire : Order::kRelaxed;
    return operation.address.in_frame ? load_frame : load_memory;
  case Opcode::k_st:
    operation.order = operation.has(Modifier::kRelease) ? Order::kRelease : Order::kRelaxed;
    return operation.address.in_frame ? store_frame : store_memory;
  case Opcode::k_cp:
    return operation.has(Modifier::kGlobal) ? copy : nothing;
  case Opcode::k_prefetch:
  case Opcode::k_prefetchu:
  case Opcode::k_discard:
    return nothing;
  case Opcode::k_membar:
  case Opcode::k_fence:
    return fence;
  default:
    return nullptr;
  }
}

} // namespace gantry::simt::exec::interpreter
