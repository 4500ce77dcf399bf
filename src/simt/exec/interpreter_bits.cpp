// Logic, shifts and everything else that works on single bits and bytes.
#include "simt/exec/interpreter_machine.h"

#include <algorithm>

namespace gantry::simt::exec::interpreter {

namespace {

using ptx::Modifier;
using ptx::Opcode;
using ptx::Type;
using Word = std::uint64_t;

enum Prmt : std::uint32_t {
  kIndex,
  kForward4,
  kBackward4,
  kReplicate8,
  kEdgeLeft,
  kEdgeRight,
  kReplicate16
};

unsigned width_of(const Operation& operation) {
  return 8 * ptx::size_of(operation.type);
}
Word mask_of(const Operation& operation) {
  return operation.type == Type::kPred ? 1 : ~Word{0} >> (64 - width_of(operation));
}

Word bit_and(const Operation& operation, Word a, Word b, Word, Word) {
  return a & b & mask_of(operation);
}
Word bit_or(const Operation& operation, Word a, Word b, Word, Word) {
  return (a | b) & mask_of(operation);
}
Word bit_xor(const Operation& operation, Word a, Word b, Word, Word) {
  return (a ^ b) & mask_of(operation);
}
Word bit_not(const Operation& operation, Word a, Word, Word, Word) {
  return ~a & mask_of(operation);
}
Word is_zero(const Operation& operation, Word a, Word, Word, Word) {
  return (a & mask_of(operation)) == 0 ? 1 : 0;
}

Word shift_left(const Operation& operation, Word a, Word b, Word, Word) {
  const auto amount = static_cast<std::uint32_t>(b);
  return amount >= width_of(operation) ? 0 : a << amount & mask_of(operation);
}
template <typename T>
struct ShiftRight {
  static Word apply(const Operation&, Word a, Word b, Word, Word) {
    constexpr std::uint32_t kWidth = 8 * sizeof(T);
    const auto amount = static_cast<std::uint32_t>(b);
    const T value = static_cast<T>(a);
    if (amount >= kWidth) {
      return as_bits(static_cast<T>(value < 0 ? -1 : 0));
    }
    return as_bits(static_cast<T>(value >> amount));
  }
};
Word funnel_amount(const Operation& operation, Word c) {
  const auto amount = static_cast<std::uint32_t>(c);
  return operation.has(Modifier::kClamp) ? std::min(amount, 32U) : amount & 31;
}
Word funnel_left(const Operation& operation, Word a, Word b, Word c, Word) {
  const Word both = b << 32 | (a & 0xFFFF'FFFF);
  return (both << funnel_amount(operation, c)) >> 32;
}
Word funnel_right(const Operation& operation, Word a, Word b, Word c, Word) {
  const Word both = b << 32 | (a & 0xFFFF'FFFF);
  return both >> funnel_amount(operation, c) & 0xFFFF'FFFF;
}

Word count_ones(const Operation& operation, Word a, Word, Word, Word) {
  return static_cast<Word>(std::popcount(a & mask_of(operation)));
}
Word count_leading_zeros(const Operation& operation, Word a, Word, Word, Word) {
  return static_cast<Word>(std::countl_zero(a & mask_of(operation))) - (64 - width_of(operation));
}
Word reversed(const Operation& operation, Word a, Word, Word, Word) {
  return __builtin_bitreverse64(a) >> (64 - width_of(operation));
}

Word find_leading(const Operation& operation, Word a, Word, Word, Word) {
  Word value = extended(a, operation.type);
  if (ptx::is_signed(operation.type) && static_cast<std::int64_t>(value) < 0) {
    value = ~value;
  }
  value &= mask_of(operation);
  if (value == 0) {
    return 0xFFFF'FFFF;
  }
  const Word position = 63 - static_cast<Word>(std::countl_zero(value));
  return operation.has(Modifier::kShiftamt) ? width_of(operation) - 1 - position : position;
}

Word extract(const Operation& operation, Word a, Word b, Word c, Word) {
  const Word top = width_of(operation) - 1;
  const Word position = b & 0xFF;
  const Word length = c & 0xFF;
  const Word value = a & mask_of(operation);
  const Word sign_at = std::min(position + length - 1, top);
  const bool sign = ptx::is_signed(operation.type) && length != 0 && (value >> sign_at & 1) != 0;
  Word result = 0;
  for (Word i = 0; i <= top; ++i) {
    const bool inside = i < length && position + i <= top;
    result |= Word{inside ? (value >> (position + i) & 1) != 0 : sign} << i;
  }
  return result;
}
Word insert(const Operation& operation, Word a, Word b, Word c, Word d) {
  const Word position = c & 0xFF;
  const Word length = std::min<Word>(d & 0xFF, 64);
  const Word top = width_of(operation) - 1;
  if (length == 0 || position > top) {
    return b & mask_of(operation);
  }
  const Word field = (~Word{0} >> (64 - length)) << position;
  return ((b & ~field) | (a << position & field)) & mask_of(operation);
}

Word field_mask(const Operation& operation, Word a, Word b, Word, Word) {
  const bool clamps = operation.has(Modifier::kClamp);
  const auto position = static_cast<std::uint32_t>(a);
  const auto length = static_cast<std::uint32_t>(b);
  if (clamps && position >= 32) {
    return 0;
  }
  const Word from = position & 31;
  const Word count = clamps ? std::min(length, 32U) : length & 31;
  return ((Word{1} << count) - 1) << from & 0xFFFF'FFFF;
}

Word find_nth_set(const Operation&, Word a, Word b, Word c, Word) {
  const auto base = static_cast<std::int64_t>(b & 0xFFFF'FFFF);
  const auto offset = static_cast<std::int64_t>(static_cast<std::int32_t>(c));
  const auto is_set = [&](std::int64_t at) { return at >= 0 && at < 32 && (a >> at & 1) != 0; };
  if (offset == 0) {
    return is_set(base) ? static_cast<Word>(base) : 0xFFFF'FFFF;
  }
  const std::int64_t step = offset > 0 ? 1 : -1;
  std::int64_t left = offset * step;
  for (std::int64_t at = base; at >= 0 && at < 32; at += step) {
    if (is_set(at) && --left == 0) {
      return static_cast<Word>(at);
    }
  }
  return 0xFFFF'FFFF;
}

Word lookup(const Operation& operation, Word a, Word b, Word c, Word) {
  Word result = 0;
  for (unsigned entry = 0; entry < 8; ++entry) {
    if ((operation.detail >> entry & 1) != 0) {
      result |=
          ((entry & 4) != 0 ? a : ~a) & ((entry & 2) != 0 ? b : ~b) & ((entry & 1) != 0 ? c : ~c);
    }
  }
  return result & 0xFFFF'FFFF;
}
/// lop3 with a predicate: whether the result is not zero, combined with another one.
void lookup_and_test(Machine& machine, Group& group, const Operation& operation, LaneMask active) {
  Column scratch[3];
  const std::uint64_t* a = machine.read(group, operation.sources[0], scratch[0]);
  const std::uint64_t* b = machine.read(group, operation.sources[1], scratch[1]);
  const std::uint64_t* c = machine.read(group, operation.sources[2], scratch[2]);
  const LaneMask other = machine.read_predicate(group, operation.sources[4]);
  std::uint64_t* result = machine.result(group, operation.destinations[0]);
  std::uint64_t* predicate = machine.result(group, operation.destinations[1]);
  for_lanes(active, [&](unsigned lane) {
    const Word value = lookup(operation, a[lane], b[lane], c[lane], 0);
    const bool with = (other >> lane & 1) != 0;
    result[lane] = value;
    predicate[lane] = operation.has(Modifier::kAnd) ? value != 0 && with : value != 0 || with;
  });
}

Word permute(const Operation& operation, Word a, Word b, Word c, Word) {
  const Word bytes = b << 32 | (a & 0xFFFF'FFFF);
  const Word control = c & 3;
  Word result = 0;
  for (Word i = 0; i < 4; ++i) {
    Word from = 0;
    bool sign = false;
    switch (operation.detail) {
    case kForward4:
      from = control + i;
      break;
    case kBackward4:
      from = (control + 8 - i) & 7;
      break;
    case kReplicate8:
      from = control;
      break;
    case kEdgeLeft:
      from = std::max(control, i);
      break;
    case kEdgeRight:
      from = std::min(control, i);
      break;
    case kReplicate16:
      from = (control & 1) * 2 + (i & 1);
      break;
    default:
      from = c >> (4 * i) & 7;
      sign = (c >> (4 * i + 3) & 1) != 0;
      break;
    }
    Word byte = bytes >> (8 * from) & 0xFF;
    if (sign) {
      byte = (byte & 0x80) != 0 ? 0xFF : 0;
    }
    result |= byte << (8 * i);
  }
  return result;
}

std::uint32_t permute_mode(const Operation& operation) {
  constexpr std::pair<Modifier, Prmt> kModes[] = {
      {Modifier::kF4e, kForward4}, {Modifier::kB4e, kBackward4}, {Modifier::kRc8, kReplicate8},
      {Modifier::kEcl, kEdgeLeft}, {Modifier::kEcr, kEdgeRight}, {Modifier::kRc16, kReplicate16},
  };
  for (const auto& [modifier, mode] : kModes) {
    if (operation.has(modifier)) {
      return mode;
    }
  }
  return kIndex;
}

Word select(const Operation& operation, Word a, Word b, Word c, Word) {
  return (c != 0 ? a : b) & mask_of(operation);
}

} // namespace

Handler bit_handler(Operation& operation) {
  switch (operation.instruction->opcode) {
  case Opcode::k_and:
    return each_lane<bit_and>;
  case Opcode::k_or:
    return each_lane<bit_or>;
  case Opcode::k_xor:
    return each_lane<bit_xor>;
  case Opcode::k_not:
    return each_lane<bit_not>;
  case Opcode::k_cnot:
    return each_lane<is_zero>;
  case Opcode::k_shl:
    return each_lane<shift_left>;
  case Opcode::k_shr:
    return for_integer<ShiftRight>(operation.type);
  case Opcode::k_shf:
    return operation.has(Modifier::kLeft) ? each_lane<funnel_left> : each_lane<funnel_right>;
  case Opcode::k_popc:
    return each_lane<count_ones>;
  case Opcode::k_clz:
    return each_lane<count_leading_zeros>;
  case Opcode::k_brev:
    return each_lane<reversed>;
  case Opcode::k_bfind:
    return each_lane<find_leading>;
  case Opcode::k_bfe:
    return each_lane<extract>;
  case Opcode::k_bfi:
    return each_lane<insert>;
  case Opcode::k_bmsk:
    return each_lane<field_mask>;
  case Opcode::k_fns:
    return each_lane<find_nth_set>;
  case Opcode::k_lop3:
    operation.detail = static_cast<std::uint32_t>(operation.instruction->operands[4].value);
    return operation.destinations.size() == 2 ? lookup_and_test : each_lane<lookup>;
  case Opcode::k_prmt:
    operation.detail = permute_mode(operation);
    return each_lane<permute>;
  case Opcode::k_selp:
    return each_lane<select>;
  default:
    return nullptr;
  }
}

} // namespace gantry::simt::exec::interpreter
