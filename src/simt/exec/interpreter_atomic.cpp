// atom and red: one lane after the other, each a single operation for all other threads.
#include "simt/exec/arithmetic_format.h"
#include "simt/exec/interpreter_access.h"

#include <algorithm>

namespace gantry::simt::exec::interpreter {

namespace {

using ptx::Modifier;
using ptx::Opcode;
using ptx::Type;
using Word = std::uint64_t;

/// Replaces what is at `at` by function(what is there) and returns what was.
template <typename Bits, typename Function>
Word update(std::byte* at, Function function) {
  auto* place = reinterpret_cast<Bits*>(at);
  Bits old = __atomic_load_n(place, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(place, &old, static_cast<Bits>(function(Word{old})), true,
                                      __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {
  }
  return old;
}

template <typename Function>
Word update_sized(std::byte* at, unsigned size, Function function) {
  switch (size) {
  case 2:
    return update<std::uint16_t>(at, function);
  case 4:
    return update<std::uint32_t>(at, function);
  default:
    return update<std::uint64_t>(at, function);
  }
}

Word sum(const Operation& operation, bool flushes, Word old, Word value) {
  if (!ptx::is_float(operation.type)) {
    return old + value;
  }
  Arithmetic addition;
  addition.operation = Operator::kAdd;
  addition.type = operation.type;
  addition.ftz = flushes;
  return compute(addition, old, value);
}

Word changed(const Operation& operation, bool flushes, Word old, Word value, Word third) {
  const Type type = operation.type;
  const auto is_less = [&](Word a, Word b) {
    return ptx::is_signed(type) ? static_cast<std::int64_t>(extended(a, type)) <
                                      static_cast<std::int64_t>(extended(b, type))
                                : extended(a, type) < extended(b, type);
  };
  if (operation.has(Modifier::kAdd)) {
    return sum(operation, flushes, old, value);
  }
  if (operation.has(Modifier::kCas)) {
    return old == extended(value, type) ? third : old;
  }
  if (operation.has(Modifier::kExch)) {
    return value;
  }
  if (operation.has(Modifier::kMin)) {
    return is_less(value, old) ? value : old;
  }
  if (operation.has(Modifier::kMax)) {
    return is_less(old, value) ? value : old;
  }
  if (operation.has(Modifier::kAnd)) {
    return old & value;
  }
  if (operation.has(Modifier::kOr)) {
    return old | value;
  }
  if (operation.has(Modifier::kXor)) {
    return old ^ value;
  }
  const Word bound = extended(value, type);
  if (operation.has(Modifier::kInc)) {
    return old >= bound ? 0 : old + 1;
  }
  return old == 0 || old > bound ? bound : old - 1;
}

bool is_shared(const Warp& warp, const std::byte* at) {
  return reinterpret_cast<std::uint64_t>(at) - reinterpret_cast<std::uint64_t>(warp.shared) <
         warp.shared_size;
}

void update_memory(Machine& machine, Group& group, const Operation& operation, LaneMask active) {
  const unsigned size = ptx::size_of(operation.type);
  const Places places = checked_places(machine, group, operation, operation.address, active, size,
                                       AccessKind::kAtomic);
  Column scratch[2];
  const std::uint64_t* value = machine.read(group, operation.sources[0], scratch[0]);
  const std::uint64_t* third =
      operation.sources.size() > 1 ? machine.read(group, operation.sources[1], scratch[1]) : value;
  Column old;
  for_lanes(active, [&](unsigned lane) {
    // Sums of f32 flush subnormal numbers in global memory, and only there.
    const bool flushes =
        operation.type == Type::kF32 && !is_shared(machine.warp(), places.at[lane]);
    old[lane] = update_sized(places.at[lane], size, [&](Word current) {
      return changed(operation, flushes, current, value[lane], third[lane]);
    });
  });
  if (!operation.destinations.empty()) {
    std::uint64_t* result = machine.result(group, operation.destinations[0]);
    for_lanes(active, [&](unsigned lane) { result[lane] = old[lane]; });
  }
}

} // namespace

Handler atomic_handler(Operation& operation) {
  const Opcode opcode = operation.instruction->opcode;
  return opcode == Opcode::k_atom || opcode == Opcode::k_red ? update_memory : nullptr;
}

} // namespace gantry::simt::exec::interpreter
