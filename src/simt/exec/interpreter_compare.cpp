// setp, set and slct.
#include "simt/exec/arithmetic_format.h"
#include "simt/exec/interpreter_machine.h"

namespace gantry::simt::exec::interpreter {

namespace {

using ptx::Modifier;
using ptx::Opcode;
using ptx::Type;
using Word = std::uint64_t;

/// Operation::detail: for which of the four outcomes of a comparison it holds.
enum Outcome : std::uint32_t { kLess = 1, kEqual = 2, kGreater = 4, kUnordered = 8 };

std::uint32_t outcomes_of(const Operation& operation) {
  constexpr std::pair<Modifier, std::uint32_t> kComparisons[] = {
      {Modifier::kEq, kEqual},
      {Modifier::kNe, kLess | kGreater},
      {Modifier::kLt, kLess},
      {Modifier::kLo, kLess},
      {Modifier::kLe, kLess | kEqual},
      {Modifier::kLs, kLess | kEqual},
      {Modifier::kGt, kGreater},
      {Modifier::kHi, kGreater},
      {Modifier::kGe, kGreater | kEqual},
      {Modifier::kHs, kGreater | kEqual},
      {Modifier::kEqu, kEqual | kUnordered},
      {Modifier::kNeu, kLess | kGreater | kUnordered},
      {Modifier::kLtu, kLess | kUnordered},
      {Modifier::kLeu, kLess | kEqual | kUnordered},
      {Modifier::kGtu, kGreater | kUnordered},
      {Modifier::kGeu, kGreater | kEqual | kUnordered},
      {Modifier::kNum, kLess | kEqual | kGreater},
      {Modifier::kNan, kUnordered},
  };
  for (const auto& [modifier, outcomes] : kComparisons) {
    if (operation.has(modifier)) {
      return outcomes;
    }
  }
  return 0;
}

Outcome compare_floats(Type type, bool flushes, Word a, Word b) {
  const Format& format = format_of(type);
  const Word mask = format.sign() | format.magnitude();
  const double x = widened(format, flushes ? format.flushed(a & mask) : a & mask);
  const double y = widened(format, flushes ? format.flushed(b & mask) : b & mask);
  return x < y ? kLess : x == y ? kEqual : x > y ? kGreater : kUnordered;
}

Outcome compare(const Operation& operation, Type type, Word a, Word b) {
  if (ptx::is_float(type)) {
    return compare_floats(type, operation.has(Modifier::kFtz), a, b);
  }
  const Word x = extended(a, type);
  const Word y = extended(b, type);
  const bool less =
      ptx::is_signed(type) ? static_cast<std::int64_t>(x) < static_cast<std::int64_t>(y) : x < y;
  return x == y ? kEqual : less ? kLess : kGreater;
}

/// With the predicate that the instruction may combine the comparison with.
bool combined(const Operation& operation, bool value, bool other) {
  if (operation.has(Modifier::kAnd)) {
    return value && other;
  }
  if (operation.has(Modifier::kOr)) {
    return value || other;
  }
  return operation.has(Modifier::kXor) ? value != other : value;
}

struct Operands {
  const std::uint64_t* a;
  const std::uint64_t* b;
  LaneMask other;
};

Operands read(Machine& machine, Group& group, const Operation& operation, Column (&scratch)[2]) {
  return {machine.read(group, operation.sources[0], scratch[0]),
          machine.read(group, operation.sources[1], scratch[1]),
          operation.sources.size() > 2 ? machine.read_predicate(group, operation.sources[2]) : 0};
}

void set_predicates(Machine& machine, Group& group, const Operation& operation, LaneMask active) {
  Column scratch[2];
  const Operands in = read(machine, group, operation, scratch);
  std::uint64_t* first = machine.result(group, operation.destinations[0]);
  const bool has_second = operation.destinations.size() > 1;
  std::uint64_t* second = has_second ? machine.result(group, operation.destinations[1]) : nullptr;
  const Type type = operation.type;
  const bool packed = ptx::is_packed(type);
  for_lanes(active, [&](unsigned lane) {
    const bool other = (in.other >> lane & 1) != 0;
    const bool holds = (compare(operation, type, in.a[lane], in.b[lane]) & operation.detail) != 0;
    bool second_holds = !holds;
    if (packed) {
      second_holds =
          (compare(operation, type, in.a[lane] >> 16, in.b[lane] >> 16) & operation.detail) != 0;
    }
    first[lane] = combined(operation, holds, other);
    if (has_second) {
      second[lane] = combined(operation, second_holds, other);
    }
  });
}

/// What set gives for true.
Word truth(Type type) {
  switch (type) {
  case Type::kF32:
  case Type::kF16:
  case Type::kBf16:
  case Type::kF16x2:
  case Type::kBf16x2:
    return format_of(type).one();
  case Type::kU16:
  case Type::kS16:
    return 0xFFFF;
  default:
    return 0xFFFF'FFFF;
  }
}

void set_value(Machine& machine, Group& group, const Operation& operation, LaneMask active) {
  Column scratch[2];
  const Operands in = read(machine, group, operation, scratch);
  std::uint64_t* result = machine.result(group, operation.destinations[0]);
  const Type type = operation.second;
  if (!ptx::is_packed(type)) {
    for_lanes(active, [&](unsigned lane) {
      const bool holds = (compare(operation, type, in.a[lane], in.b[lane]) & operation.detail) != 0;
      result[lane] =
          combined(operation, holds, (in.other >> lane & 1) != 0) ? truth(operation.type) : 0;
    });
    return;
  }
  const Word half = truth(operation.type) & 0xFFFF;
  for_lanes(active, [&](unsigned lane) {
    Word value = 0;
    for (unsigned shift = 0; shift < 32; shift += 16) {
      const bool holds = (compare(operation, type, in.a[lane] >> shift, in.b[lane] >> shift) &
                          operation.detail) != 0;
      value |= combined(operation, holds, (in.other >> lane & 1) != 0) ? half << shift : 0;
    }
    result[lane] = value;
  });
}

Word select_by_sign(const Operation& operation, Word a, Word b, Word c, Word) {
  const bool chosen = (compare(operation, operation.second, c, 0) & (kEqual | kGreater)) != 0;
  return extended(chosen ? a : b, operation.type) &
         (~Word{0} >> (64 - 8 * ptx::size_of(operation.type)));
}

} // namespace

Handler compare_handler(Operation& operation) {
  switch (operation.instruction->opcode) {
  case Opcode::k_setp:
    operation.detail = outcomes_of(operation);
    return set_predicates;
  case Opcode::k_set:
    operation.detail = outcomes_of(operation);
    return set_value;
  case Opcode::k_slct:
    return each_lane<select_by_sign>;
  default:
    return nullptr;
  }
}

} // namespace gantry::simt::exec::interpreter
