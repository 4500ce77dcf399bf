// Video instructions: arithmetic with a second operation on whole registers, and on the halves or
// bytes of registers at once.
#include "simt/exec/interpreter_machine.h"

#include <algorithm>

namespace gantry::simt::exec::interpreter {

namespace {

using ptx::Modifier;
using ptx::Opcode;
using ptx::Type;
using Word = std::uint64_t;

/// Operation::detail, with the width of an element (8, 16, 32) above bit 8.
enum Kind : std::uint32_t { kAdd, kSubtract, kDifference, kMinimum, kMaximum, kAverage, kCompare };

std::int64_t element(Type type, Word word, unsigned index, unsigned width) {
  const Word bits = word >> (index * width) & ((Word{1} << width) - 1);
  const bool negative = ptx::is_signed(type) && (bits >> (width - 1) & 1) != 0;
  return static_cast<std::int64_t>(bits) - (negative ? std::int64_t{1} << width : 0);
}

std::int64_t clamped(Type type, std::int64_t value, unsigned width) {
  const std::int64_t span = std::int64_t{1} << width;
  return ptx::is_signed(type) ? std::clamp(value, -span / 2, span / 2 - 1)
                              : std::clamp(value, std::int64_t{0}, span - 1);
}

bool holds(const Operation& operation, std::int64_t a, std::int64_t b) {
  return (operation.has(Modifier::kEq) && a == b) || (operation.has(Modifier::kNe) && a != b) ||
         (operation.has(Modifier::kLt) && a < b) || (operation.has(Modifier::kLe) && a <= b) ||
         (operation.has(Modifier::kGt) && a > b) || (operation.has(Modifier::kGe) && a >= b);
}

std::int64_t apply(const Operation& operation, std::int64_t a, std::int64_t b) {
  switch (operation.detail & 0xFF) {
  case kAdd:
    return a + b;
  case kSubtract:
    return a - b;
  case kDifference:
    return a < b ? b - a : a - b;
  case kMinimum:
    return std::min(a, b);
  case kMaximum:
    return std::max(a, b);
  case kAverage:
    return (a + b + (a + b >= 0 ? 1 : 0)) >> 1;
  default:
    return holds(operation, a, b) ? 1 : 0;
  }
}

Word whole(const Operation& operation, Word a, Word b, Word c, Word) {
  const Type type = operation.type;
  std::int64_t value = apply(operation, element(operation.second, a, 0, 32),
                             element(operation.instruction->type(2), b, 0, 32));
  if (operation.has(Modifier::kSat)) {
    value = clamped(type, value, 32);
  }
  const Word bits = static_cast<std::uint32_t>(value);
  if (operation.has(Modifier::kAdd)) {
    return (bits + c) & 0xFFFF'FFFF;
  }
  const std::int64_t first = element(type, bits, 0, 32);
  const std::int64_t second = element(type, c, 0, 32);
  if (operation.has(Modifier::kMin)) {
    return static_cast<std::uint32_t>(std::min(first, second));
  }
  if (operation.has(Modifier::kMax)) {
    return static_cast<std::uint32_t>(std::max(first, second));
  }
  return bits;
}

Word elements(const Operation& operation, Word a, Word b, Word c, Word) {
  const unsigned width = operation.detail >> 8;
  // vset has no type of the result: zeros and ones.
  const bool compares = (operation.detail & 0xFF) == kCompare;
  const Type type = compares ? Type::kU32 : operation.type;
  const Type a_type = compares ? operation.type : operation.second;
  const Type b_type = compares ? operation.second : operation.instruction->type(2);
  Word merged = 0;
  Word sum = c;
  for (unsigned i = 0; i < 32 / width; ++i) {
    std::int64_t value =
        apply(operation, element(a_type, a, i, width), element(b_type, b, i, width));
    if (operation.has(Modifier::kSat)) {
      value = clamped(type, value, width);
    }
    sum += static_cast<Word>(value);
    merged |= (static_cast<Word>(value) & ((Word{1} << width) - 1)) << (i * width);
  }
  return (operation.has(Modifier::kAdd) ? sum : merged) & 0xFFFF'FFFF;
}

struct Row {
  Opcode opcode;
  Kind kind;
  unsigned width;
};
constexpr Row kRows[] = {
    {Opcode::k_vadd, kAdd, 32},
    {Opcode::k_vadd2, kAdd, 16},
    {Opcode::k_vadd4, kAdd, 8},
    {Opcode::k_vsub, kSubtract, 32},
    {Opcode::k_vsub2, kSubtract, 16},
    {Opcode::k_vsub4, kSubtract, 8},
    {Opcode::k_vabsdiff, kDifference, 32},
    {Opcode::k_vabsdiff2, kDifference, 16},
    {Opcode::k_vabsdiff4, kDifference, 8},
    {Opcode::k_vmin, kMinimum, 32},
    {Opcode::k_vmin2, kMinimum, 16},
    {Opcode::k_vmin4, kMinimum, 8},
    {Opcode::k_vmax, kMaximum, 32},
    {Opcode::k_vmax2, kMaximum, 16},
    {Opcode::k_vmax4, kMaximum, 8},
    {Opcode::k_vavrg2, kAverage, 16},
    {Opcode::k_vavrg4, kAverage, 8},
    {Opcode::k_vset2, kCompare, 16},
    {Opcode::k_vset4, kCompare, 8},
};

} // namespace

Handler video_handler(Operation& operation) {
  const auto* row = std::ranges::find(kRows, operation.instruction->opcode, &Row::opcode);
  if (row == std::end(kRows)) {
    return nullptr;
  }
  operation.detail = row->kind | row->width << 8;
  return row->width == 32 ? each_lane<whole> : each_lane<elements>;
}

} // namespace gantry::simt::exec::interpreter
