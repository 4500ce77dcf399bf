// Fields, counts and permutations of bits (PTX ISA 9.0, 9.7.1).
#include "simt/exec/arithmetic.h"
#include "simt/lower/scalar_function.h"

namespace gantry::simt::lower {

using llvm::Intrinsic::ID;
using ptx::Modifier;
using ptx::Opcode;
using ptx::Operand;
using ptx::Type;

void ScalarFunction::lower_bits(const ptx::Instruction& instruction) {
  const Type type = instruction.type();
  const std::vector<Operand>& operands = instruction.operands;
  const unsigned width = width_of(type);
  auto* word = bits(width);
  const auto low_byte = [&](const Operand& operand) {
    return builder_.CreateZExtOrTrunc(builder_.CreateAnd(get_bits(operand, 32), 0xFF), bits(64));
  };
  // The lowest `length` bits of 64, for lengths up to 64 and beyond.
  const auto ones = [&](Value* length) {
    Value* all = builder_.CreateICmpUGE(length, number(64, 64));
    Value* shift = builder_.CreateSelect(all, number(0, 64), length);
    return builder_.CreateSelect(
        all, number(~std::uint64_t{0}, 64),
        builder_.CreateSub(builder_.CreateShl(number(1, 64), shift), number(1, 64)));
  };
  const auto clamped = [&](Value* value, std::uint64_t limit) {
    return builder_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, value, number(limit, 64));
  };
  switch (instruction.opcode) {
  case Opcode::k_brev:
    set(operands[0],
        builder_.CreateUnaryIntrinsic(llvm::Intrinsic::bitreverse, get(operands[1], type)), type);
    return;
  case Opcode::k_popc:
    set_bits(operands[0],
             builder_.CreateZExtOrTrunc(
                 builder_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, get(operands[1], type)),
                 bits(32)));
    return;
  case Opcode::k_clz:
    set_bits(operands[0], builder_.CreateZExtOrTrunc(
                              builder_.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz,
                                                             get(operands[1], type), number(0, 1)),
                              bits(32)));
    return;
  case Opcode::k_bfind: {
    Value* a = get(operands[1], type);
    if (ptx::is_signed(type)) {
      a = builder_.CreateXor(a, builder_.CreateAShr(a, width - 1));
    }
    Value* zeros = builder_.CreateZExtOrTrunc(
        builder_.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, a, number(0, 1)), bits(32));
    Value* found =
        instruction.has(Modifier::kShiftamt) ? zeros : builder_.CreateSub(number(width - 1), zeros);
    set_bits(operands[0],
             builder_.CreateSelect(builder_.CreateIsNull(a), number(0xFFFFFFFF), found));
    return;
  }
  case Opcode::k_bfe: {
    // Bits beyond the topmost read as zero, or as the sign of the field's last bit.
    Value* a = get(operands[1], type);
    Value* position = low_byte(operands[2]);
    Value* length = low_byte(operands[3]);
    Value* wide =
        ptx::is_signed(type) ? builder_.CreateSExt(a, bits(64)) : builder_.CreateZExt(a, bits(64));
    if (!ptx::is_signed(type)) {
      Value* beyond = builder_.CreateICmpUGT(position, number(63, 64));
      Value* shifted = builder_.CreateLShr(wide, clamped(position, 63));
      shifted = builder_.CreateSelect(beyond, number(0, 64), shifted);
      set(operands[0], builder_.CreateZExtOrTrunc(builder_.CreateAnd(shifted, ones(length)), word),
          type);
      return;
    }
    Value* shifted = builder_.CreateAShr(wide, clamped(position, 63));
    // Keep `length` bits and repeat the last of them; all of them if the field passes the top.
    Value* kept = clamped(length, 64);
    Value* up = builder_.CreateSub(number(64, 64), kept);
    Value* empty = builder_.CreateIsNull(kept);
    up = builder_.CreateSelect(empty, number(0, 64), up);
    Value* field = builder_.CreateAShr(builder_.CreateShl(shifted, up), up);
    set(operands[0], builder_.CreateTrunc(builder_.CreateSelect(empty, number(0, 64), field), word),
        type);
    return;
  }
  case Opcode::k_bfi: {
    Value* a = builder_.CreateZExtOrTrunc(get_bits(operands[1], width), bits(64));
    Value* b = builder_.CreateZExtOrTrunc(get_bits(operands[2], width), bits(64));
    Value* position = low_byte(operands[3]);
    Value* length = low_byte(operands[4]);
    Value* beyond = builder_.CreateICmpUGT(position, number(width - 1, 64));
    Value* shift = builder_.CreateSelect(beyond, number(0, 64), position);
    Value* field = builder_.CreateShl(ones(length), shift);
    Value* inserted = builder_.CreateOr(builder_.CreateAnd(builder_.CreateShl(a, shift), field),
                                        builder_.CreateAnd(b, builder_.CreateNot(field)));
    set_bits(operands[0],
             builder_.CreateZExtOrTrunc(builder_.CreateSelect(beyond, b, inserted), word));
    return;
  }
  case Opcode::k_bmsk: {
    Value* position = get_bits(operands[1], 32);
    Value* length = get_bits(operands[2], 32);
    if (instruction.has(Modifier::kWrap)) {
      position = builder_.CreateAnd(position, 31);
      length = builder_.CreateAnd(length, 31);
    }
    position = clamped(builder_.CreateZExt(position, bits(64)), 32);
    length = clamped(builder_.CreateZExt(length, bits(64)), 32);
    set_bits(operands[0],
             builder_.CreateTrunc(builder_.CreateShl(ones(length), position), bits(32)));
    return;
  }
  case Opcode::k_fns: {
    // Rank by rank there is no instruction for this; the loop is short, and in the IR.
    Value* mask = get_bits(operands[1], 32);
    Value* base = get_bits(operands[2], 32);
    Value* offset = get_bits(operands[3], 32);
    Value* at = number(0xFFFFFFFF);
    Value* forward = builder_.CreateICmpSGT(offset, number(0));
    Value* backward = builder_.CreateICmpSLT(offset, number(0));
    Value* rank = builder_.CreateSelect(backward, builder_.CreateNeg(offset), offset);
    Value* up = number(0);
    Value* down = number(0);
    for (unsigned i = 0; i < 32; ++i) {
      for (const bool rising : {true, false}) {
        const unsigned position = rising ? i : 31 - i;
        Value* bit = builder_.CreateTrunc(builder_.CreateLShr(mask, position), bits(1));
        Value* side = rising ? builder_.CreateICmpULE(base, number(position))
                             : builder_.CreateICmpUGE(base, number(position));
        Value* counts = builder_.CreateAnd(bit, side);
        Value*& seen = rising ? up : down;
        seen = builder_.CreateAdd(seen, builder_.CreateZExt(counts, bits(32)));
        Value* hit =
            builder_.CreateAnd(builder_.CreateAnd(counts, builder_.CreateICmpEQ(seen, rank)),
                               rising ? forward : backward);
        at = builder_.CreateSelect(hit, number(position), at);
      }
    }
    Value* inside = builder_.CreateICmpULT(base, number(32));
    Value* own = builder_.CreateTrunc(
        builder_.CreateLShr(mask, builder_.CreateSelect(inside, base, number(0))), bits(1));
    own = builder_.CreateAnd(builder_.CreateAnd(own, inside), builder_.CreateIsNull(offset));
    set_bits(operands[0], builder_.CreateSelect(own, base, at));
    return;
  }
  case Opcode::k_lop3: {
    // The table's bit for each combination of the three inputs.
    Value* a = get_bits(operands[1], 32);
    Value* b = get_bits(operands[2], 32);
    Value* c = get_bits(operands[3], 32);
    const auto table = static_cast<unsigned>(operands[4].value);
    Value* result = number(0);
    for (unsigned row = 0; row < 8; ++row) {
      if ((table >> row & 1) != 0) {
        Value* term = builder_.CreateAnd((row & 4) != 0 ? a : builder_.CreateNot(a),
                                         (row & 2) != 0 ? b : builder_.CreateNot(b));
        term = builder_.CreateAnd(term, (row & 1) != 0 ? c : builder_.CreateNot(c));
        result = builder_.CreateOr(result, term);
      }
    }
    if (operands[0].kind == Operand::Kind::kPair) {
      // d|p: p = (d != 0) BOOL q
      set_bits(operands[0].members[0], result);
      Value* any = builder_.CreateIsNotNull(result);
      Value* q = get_predicate(operands[5]);
      set_bits(operands[0].members[1], instruction.has(Modifier::kOr) ? builder_.CreateOr(any, q)
                                                                      : builder_.CreateAnd(any, q));
      return;
    }
    set_bits(operands[0], result);
    return;
  }
  case Opcode::k_prmt:
    set_bits(operands[0], permute_bytes(get_bits(operands[1], 32), get_bits(operands[2], 32),
                                        get_bits(operands[3], 32), instruction));
    return;
  default:
    return;
  }
}

llvm::Value* ScalarFunction::permute_bytes(Value* a, Value* b, Value* selector,
                                           const ptx::Instruction& how) {
  Value* pair = builder_.CreateOr(builder_.CreateShl(builder_.CreateZExt(b, bits(64)), 32),
                                  builder_.CreateZExt(a, bits(64)));
  // In the named modes the four selectors follow from the lowest two bits of the operand.
  struct Mode {
    Modifier modifier;
    std::uint16_t selectors[4]; ///< for 0, 1, 2, 3: a nibble for each byte of the result
  };
  static constexpr Mode kModes[] = {
      {Modifier::kF4e, {0x3210, 0x4321, 0x5432, 0x6543}},
      {Modifier::kB4e, {0x5670, 0x6701, 0x7012, 0x0123}},
      {Modifier::kRc8, {0x0000, 0x1111, 0x2222, 0x3333}},
      {Modifier::kEcl, {0x3210, 0x3211, 0x3222, 0x3333}},
      {Modifier::kEcr, {0x0000, 0x1110, 0x2210, 0x3210}},
      {Modifier::kRc16, {0x1010, 0x3232, 0x1010, 0x3232}},
  };
  for (const Mode& mode : kModes) {
    if (how.has(mode.modifier)) {
      Value* which = builder_.CreateAnd(selector, 3);
      selector = number(mode.selectors[3]);
      for (unsigned i = 0; i < 3; ++i) {
        selector = builder_.CreateSelect(builder_.CreateICmpEQ(which, number(i)),
                                         number(mode.selectors[i]), selector);
      }
    }
  }
  Value* result = number(0);
  for (unsigned i = 0; i < 4; ++i) {
    Value* nibble = builder_.CreateLShr(selector, std::uint64_t{4} * i);
    Value* shift =
        builder_.CreateZExt(builder_.CreateShl(builder_.CreateAnd(nibble, 7), 3), bits(64));
    Value* byte = builder_.CreateTrunc(builder_.CreateLShr(pair, shift), bits(8));
    Value* sign = builder_.CreateAShr(byte, 7);
    Value* repeats = builder_.CreateTrunc(builder_.CreateLShr(nibble, 3), bits(1));
    byte = builder_.CreateSelect(repeats, sign, byte);
    result = builder_.CreateOr(
        result, builder_.CreateShl(builder_.CreateZExt(byte, bits(32)), std::uint64_t{8} * i));
  }
  return result;
}

} // namespace gantry::simt::lower
