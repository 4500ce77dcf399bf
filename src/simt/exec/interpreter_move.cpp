// mov, address conversions and what a function's local memory needs.
#include "simt/exec/device_memory.h"
#include "simt/exec/fault_report.h"
#include "simt/exec/interpreter_machine.h"

namespace gantry::simt::exec::interpreter {

namespace {

using ptx::Modifier;
using ptx::Opcode;
using ptx::Space;

void move(Machine& machine, Group& group, const Operation& operation, LaneMask active) {
  // All sources before the first result: mov.v2 may exchange two registers.
  Column values[4];
  const std::size_t count = operation.sources.size();
  for (std::size_t i = 0; i < count; ++i) {
    Column scratch;
    const std::uint64_t* source = machine.read(group, operation.sources[i], scratch);
    std::copy(source, source + kLanes, values[i].begin());
  }
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t* result = machine.result(group, operation.destinations[i]);
    for_lanes(active, [&](unsigned lane) {
      result[lane] =
          operation.type == ptx::Type::kPred
              ? values[i][lane]
              : values[i][lane] & ~std::uint64_t{0} >> (64 - 8 * ptx::size_of(operation.type));
    });
  }
}

void pack(Machine& machine, Group& group, const Operation& operation, LaneMask active) {
  const auto count = static_cast<unsigned>(operation.sources.size());
  const unsigned width = 8 * ptx::size_of(operation.type) / count;
  Column packed = {};
  for (unsigned i = 0; i < count; ++i) {
    Column scratch;
    const std::uint64_t* part = machine.read(group, operation.sources[i], scratch);
    for_lanes(active, [&](unsigned lane) {
      packed[lane] |= (part[lane] & ((1ULL << width) - 1)) << (i * width);
    });
  }
  std::uint64_t* result = machine.result(group, operation.destinations[0]);
  for_lanes(active, [&](unsigned lane) { result[lane] = packed[lane]; });
}

void unpack(Machine& machine, Group& group, const Operation& operation, LaneMask active) {
  const auto count = static_cast<unsigned>(operation.destinations.size());
  const unsigned width = 8 * ptx::size_of(operation.type) / count;
  Column scratch;
  const std::uint64_t* source = machine.read(group, operation.sources[0], scratch);
  Column whole;
  std::copy(source, source + kLanes, whole.begin());
  for (unsigned i = 0; i < count; ++i) {
    std::uint64_t* result = machine.result(group, operation.destinations[i]);
    for_lanes(active, [&](unsigned lane) {
      result[lane] = whole[lane] >> (i * width) & ((1ULL << width) - 1);
    });
  }
}

/// What is added to an offset in the space to make a generic address.
std::uint64_t window_of(Machine& machine, Space space, unsigned lane) {
  const Warp& warp = machine.warp();
  switch (space) {
  case Space::kShared:
    return reinterpret_cast<std::uint64_t>(warp.shared);
  case Space::kLocal:
    return reinterpret_cast<std::uint64_t>(warp.local) + std::uint64_t{lane} * warp.local_stride;
  case Space::kParam:
    return reinterpret_cast<std::uint64_t>(warp.parameters);
  default:
    return 0;
  }
}

void convert_address(Machine& machine, Group& group, const Operation& operation, LaneMask active) {
  Column scratch;
  const std::uint64_t* source = machine.read(group, operation.sources[0], scratch);
  std::uint64_t* result = machine.result(group, operation.destinations[0]);
  const bool to_space = operation.has(Modifier::kTo);
  const bool is_local = operation.address.space == Space::kLocal;
  const std::uint64_t stride = machine.warp().local_stride;
  for_lanes(active, [&](unsigned lane) {
    const std::uint64_t address = source[lane];
    const std::uint64_t window = window_of(machine, operation.address.space, lane);
    // A generic address of local memory may come from another thread: the place is the same.
    const std::uint64_t offset = address - window_of(machine, Space::kLocal, 0);
    if (to_space && is_local && offset < std::uint64_t{kLanes} * stride) {
      result[lane] = offset % stride;
    } else {
      result[lane] = to_space ? address - window : address + window;
    }
  });
}

bool is_constant(Machine& machine, std::uint64_t address) {
  const ptx::Program& program = machine.program();
  for (std::size_t i = 0; i < program.variables.size(); ++i) {
    const ptx::ProgramVariable& variable = program.variables[i];
    if (variable.space == Space::kConst &&
        address - machine.warp().variables[i] < variable.variable->size()) {
      return true;
    }
  }
  return false;
}

bool is_in(Machine& machine, Space space, std::uint64_t address) {
  const Warp& warp = machine.warp();
  switch (space) {
  case Space::kShared:
    return address - window_of(machine, Space::kShared, 0) < warp.shared_size;
  case Space::kLocal:
    return address - window_of(machine, Space::kLocal, 0) <
           std::uint64_t{kLanes} * warp.local_stride;
  case Space::kParam:
    return address - window_of(machine, Space::kParam, 0) < machine.kernel().facts.parameter_bytes;
  case Space::kConst:
    return is_constant(machine, address);
  default:
    return !is_in(machine, Space::kShared, address) && !is_in(machine, Space::kLocal, address) &&
           !is_in(machine, Space::kParam, address) && !is_constant(machine, address);
  }
}

void test_space(Machine& machine, Group& group, const Operation& operation, LaneMask active) {
  Column scratch;
  const std::uint64_t* source = machine.read(group, operation.sources[0], scratch);
  std::uint64_t* result = machine.result(group, operation.destinations[0]);
  for_lanes(active, [&](unsigned lane) {
    result[lane] = is_in(machine, operation.address.space, source[lane]) ? 1 : 0;
  });
}

void allocate(Machine& machine, Group& group, const Operation& operation, LaneMask active) {
  Column scratch;
  const std::uint64_t* size = machine.read(group, operation.sources[0], scratch);
  std::uint64_t* result = machine.result(group, operation.destinations[0]);
  const std::uint64_t alignment =
      operation.instruction->operands.size() > 2
          ? static_cast<std::uint64_t>(operation.instruction->operands[2].value)
          : 8;
  LaneMask without = 0;
  for_lanes(active, [&](unsigned lane) {
    const std::uint64_t limit = machine.warp().local_size;
    const std::uint64_t begin = (group.frame->local_top[lane] + alignment - 1) & ~(alignment - 1);
    const std::uint64_t bytes = extended(size[lane], operation.type);
    if (begin > limit || limit - begin < bytes) {
      without |= 1U << lane;
      return;
    }
    result[lane] = begin;
    machine.set_local_top(*group.frame, lane, static_cast<std::uint32_t>(begin + bytes));
  });
  if (without != 0) {
    machine.trap(without, Trap::kLocalOverflow, operation.site);
  }
}

void save_stack(Machine& machine, Group& group, const Operation& operation, LaneMask active) {
  std::uint64_t* result = machine.result(group, operation.destinations[0]);
  for_lanes(active, [&](unsigned lane) { result[lane] = group.frame->local_top[lane]; });
}

void restore_stack(Machine& machine, Group& group, const Operation& operation, LaneMask active) {
  Column scratch;
  const std::uint64_t* source = machine.read(group, operation.sources[0], scratch);
  const Frame& frame = *group.frame;
  const std::uint64_t least = frame.local_base + frame.function->local_bytes;
  LaneMask wrong = 0;
  for_lanes(active, [&](unsigned lane) {
    const std::uint64_t top = extended(source[lane], operation.type);
    if (top < least || top > frame.local_top[lane]) {
      wrong |= 1U << lane;
      return;
    }
    machine.set_local_top(*group.frame, lane, static_cast<std::uint32_t>(top));
  });
  if (wrong != 0) {
    machine.trap(wrong, Trap::kStackOverflow, operation.site);
  }
}

} // namespace

Handler move_handler(const Operation& operation) {
  switch (operation.instruction->opcode) {
  case Opcode::k_mov:
    return operation.sources.size() == operation.destinations.size() ? move
           : operation.sources.size() > 1                            ? pack
                                                                     : unpack;
  case Opcode::k_cvta:
    return convert_address;
  case Opcode::k_isspacep:
    return test_space;
  case Opcode::k_alloca:
    return allocate;
  case Opcode::k_stacksave:
    return save_stack;
  case Opcode::k_stackrestore:
    return restore_stack;
  default:
    return nullptr;
  }
}

} // namespace gantry::simt::exec::interpreter
