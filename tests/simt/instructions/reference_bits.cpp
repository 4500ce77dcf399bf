// Logic, shifts, bit fields and bytes (PTX ISA 9.7.1 and 9.7.8), mov and selp.
#include "reference.h"

#include <bit>

namespace gantry::simt::instructions {

namespace {

using ptx::Modifier;
using ptx::Opcode;
using ptx::Type;
using Operands = std::span<const Word>;

Outcome exactly(Word bits) {
  return {Expected::exactly(bits)};
}
unsigned width_of(const Instance& instance) {
  return instance.type() == Type::kPred ? 1 : bits_of(instance.type());
}

Outcome logic(const Instance& instance, Operands operands) {
  switch (instance.opcode) {
  case Opcode::k_and:
    return exactly(operands[0] & operands[1]);
  case Opcode::k_or:
    return exactly(operands[0] | operands[1]);
  case Opcode::k_xor:
    return exactly(operands[0] ^ operands[1]);
  case Opcode::k_not:
    return exactly(low_bits(~operands[0], width_of(instance)));
  default:
    return exactly(operands[0] == 0 ? 1 : 0); // cnot
  }
}

// The amount is not taken modulo the width: what is shifted further is gone.
Outcome shift(const Instance& instance, Operands operands) {
  const unsigned width = width_of(instance);
  const auto amount = static_cast<unsigned>(std::min<Word>(operands[1], 64));
  if (instance.opcode == Opcode::k_shl) {
    return exactly(amount >= width ? 0 : low_bits(operands[0] << amount, width));
  }
  const __int128 value = value_of(instance.type(), operands[0]);
  return exactly(low_bits(static_cast<Word>(value >> amount), width));
}

Outcome funnel(const Instance& instance, Operands operands) {
  const Word both = operands[1] << 32 | operands[0];
  const Word amount =
      instance.has(Modifier::kWrap) ? operands[2] & 31 : std::min<Word>(operands[2], 32);
  return exactly(static_cast<std::uint32_t>(instance.has(Modifier::kLeft) ? both << amount >> 32
                                                                          : both >> amount));
}

Outcome count(const Instance& instance, Operands operands) {
  const auto bits = static_cast<unsigned>(std::popcount(operands[0]));
  if (instance.opcode == Opcode::k_popc) {
    return exactly(bits);
  }
  return exactly(width_of(instance) - static_cast<unsigned>(std::bit_width(operands[0])));
}

Outcome reverse(const Instance& instance, Operands operands) {
  Word result = 0;
  for (unsigned bit = 0; bit < width_of(instance); ++bit) {
    result |= (operands[0] >> bit & 1) << (width_of(instance) - 1 - bit);
  }
  return exactly(result);
}

// The highest bit that is not the sign's.
Outcome find(const Instance& instance, Operands operands) {
  const __int128 value = value_of(instance.type(), operands[0]);
  const auto magnitude = static_cast<Word>(value < 0 ? ~value : value);
  if (magnitude == 0) {
    return exactly(0xFFFFFFFF);
  }
  const auto position = static_cast<unsigned>(std::bit_width(magnitude)) - 1;
  return exactly(instance.has(Modifier::kShiftamt) ? width_of(instance) - 1 - position : position);
}

Outcome extract(const Instance& instance, Operands operands) {
  const unsigned highest = width_of(instance) - 1;
  const auto position = static_cast<unsigned>(operands[1] & 0xFF);
  const auto length = static_cast<unsigned>(operands[2] & 0xFF);
  const bool has_sign = ptx::is_signed(instance.type()) && length != 0;
  const Word sign = has_sign ? operands[0] >> std::min(position + length - 1, highest) & 1 : 0;
  Word result = 0;
  for (unsigned bit = 0; bit <= highest; ++bit) {
    const bool inside = bit < length && position + bit <= highest;
    result |= (inside ? operands[0] >> (position + bit) & 1 : sign) << bit;
  }
  return exactly(result);
}

Outcome insert(const Instance& instance, Operands operands) {
  const unsigned highest = width_of(instance) - 1;
  const auto position = static_cast<unsigned>(operands[2] & 0xFF);
  const auto length = static_cast<unsigned>(operands[3] & 0xFF);
  Word result = operands[1];
  for (unsigned bit = 0; bit < length && position + bit <= highest; ++bit) {
    const Word mask = Word{1} << (position + bit);
    result = (operands[0] >> bit & 1) != 0 ? result | mask : result & ~mask;
  }
  return exactly(result);
}

// Position and length count modulo 32, but .clamp takes what is beyond for what it is.
Outcome mask(const Instance& instance, Operands operands) {
  const bool clamps = instance.has(Modifier::kClamp);
  const auto position = static_cast<unsigned>(operands[0] & 31);
  const auto length = static_cast<unsigned>(operands[1] & 31);
  if (clamps && operands[0] >= 32) {
    return exactly(0);
  }
  const Word from = 0xFFFFFFFFU << position;
  const bool to_the_end = position + length >= 32 || (clamps && operands[1] >= 32);
  const Word beyond = to_the_end ? 0 : 0xFFFFFFFFU << (position + length);
  return exactly(static_cast<std::uint32_t>(from & ~beyond));
}

Outcome find_nth_set(const Instance&, Operands operands) {
  const auto offset = static_cast<std::int32_t>(operands[2]);
  if (operands[1] > 31) {
    return {Expected::any()};
  }
  auto position = static_cast<std::int64_t>(operands[1]);
  std::int64_t left = offset == 0 ? 0 : (offset < 0 ? -std::int64_t{offset} : offset) - 1;
  const int step = offset < 0 ? -1 : 1;
  for (; position >= 0 && position < 32; position += step) {
    if ((operands[0] >> position & 1) != 0) {
      if (left == 0) {
        return exactly(static_cast<Word>(position));
      }
      --left;
    }
    if (offset == 0) {
      break;
    }
  }
  return exactly(0xFFFFFFFF);
}

Outcome look_up(const Instance& instance, Operands operands) {
  Word result = 0;
  for (unsigned bit = 0; bit < 32; ++bit) {
    const Word row =
        (operands[0] >> bit & 1) << 2 | (operands[1] >> bit & 1) << 1 | (operands[2] >> bit & 1);
    result |= (operands[3] >> row & 1) << bit;
  }
  const bool any = result != 0;
  if (instance.has(Modifier::kAnd)) {
    return {Expected::exactly(result), Expected::exactly(any && operands[4] != 0 ? 1 : 0)};
  }
  if (instance.has(Modifier::kOr)) {
    return {Expected::exactly(result), Expected::exactly(any || operands[4] != 0 ? 1 : 0)};
  }
  return exactly(result);
}

// Each mode's selector by c & 3, a nibble a byte, as the ISA's table has it.
Outcome permute(const Instance& instance, Operands operands) {
  static constexpr std::pair<Modifier, std::array<unsigned, 4>> kModes[] = {
      {Modifier::kF4e, {0x3210, 0x4321, 0x5432, 0x6543}},
      {Modifier::kB4e, {0x5670, 0x6701, 0x7012, 0x0123}},
      {Modifier::kRc8, {0x0000, 0x1111, 0x2222, 0x3333}},
      {Modifier::kEcl, {0x3210, 0x3211, 0x3222, 0x3333}},
      {Modifier::kEcr, {0x0000, 0x1110, 0x2210, 0x3210}},
      {Modifier::kRc16, {0x1010, 0x3232, 0x1010, 0x3232}},
  };
  auto selector = static_cast<unsigned>(operands[2]);
  for (const auto& [mode, selectors] : kModes) {
    if (instance.has(mode)) {
      selector = selectors[operands[2] & 3];
    }
  }
  const Word bytes = operands[1] << 32 | operands[0];
  Word result = 0;
  for (unsigned byte = 0; byte < 4; ++byte) {
    const unsigned choice = selector >> (4 * byte) & 15;
    Word value = bytes >> (8 * (choice & 7)) & 0xFF;
    if ((choice & 8) != 0) {
      value = (value & 0x80) != 0 ? 0xFF : 0;
    }
    result |= value << (8 * byte);
  }
  return exactly(result);
}

Outcome dot_product(const Instance& instance, Operands operands) {
  const auto element = [](Type type, Word word, unsigned index, unsigned width) {
    const Word bits = word >> (index * width) & ((Word{1} << width) - 1);
    const bool negative = ptx::is_signed(type) && (bits >> (width - 1) & 1) != 0;
    return bits - (negative ? Word{1} << width : 0);
  };
  const bool by_four = instance.opcode == Opcode::k_dp4a;
  Word total = operands[2];
  for (unsigned i = 0; i < (by_four ? 4 : 2); ++i) {
    const unsigned byte = i + (instance.has(Modifier::kHi) ? 2 : 0);
    total += element(instance.type(0), operands[0], i, by_four ? 8 : 16) *
             element(instance.type(1), operands[1], byte, 8);
  }
  return exactly(static_cast<std::uint32_t>(total));
}

Outcome move(const Instance&, Operands operands) {
  return exactly(operands[0]);
}
Outcome select(const Instance&, Operands operands) {
  return exactly(operands[2] != 0 ? operands[0] : operands[1]);
}

// The third operand's sign selects; NaN is no number that is at least zero.
Outcome select_by_sign(const Instance& instance, Operands operands) {
  bool first = value_of(Type::kS32, operands[2]) >= 0;
  if (instance.type(1) == Type::kF32) {
    const Word bits = instance.has(Modifier::kFtz) ? kSingle.flushed(operands[2]) : operands[2];
    first = !kSingle.is_nan(bits) && (kSingle.is_zero(bits) || (bits & kSingle.sign()) == 0);
  }
  return exactly(first ? operands[0] : operands[1]);
}

constexpr Reference kReferences[] = {
    {Opcode::k_and, logic},
    {Opcode::k_or, logic},
    {Opcode::k_xor, logic},
    {Opcode::k_not, logic},
    {Opcode::k_cnot, logic},
    {Opcode::k_shl, shift},
    {Opcode::k_shr, shift},
    {Opcode::k_shf, funnel},
    {Opcode::k_popc, count},
    {Opcode::k_clz, count},
    {Opcode::k_brev, reverse},
    {Opcode::k_bfind, find},
    {Opcode::k_bfe, extract},
    {Opcode::k_bfi, insert},
    {Opcode::k_bmsk, mask},
    {Opcode::k_fns, find_nth_set},
    {Opcode::k_lop3, look_up},
    {Opcode::k_prmt, permute},
    {Opcode::k_dp4a, dot_product},
    {Opcode::k_dp2a, dot_product},
    {Opcode::k_mov, move},
    {Opcode::k_selp, select},
    {Opcode::k_slct, select_by_sign},
};

} // namespace

std::span<const Reference> bit_references() {
  return kReferences;
}

} // namespace gantry::simt::instructions
