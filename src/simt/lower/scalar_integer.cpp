// Integer arithmetic, logic, shifts, bit fields and the video instructions (PTX
// ISA 9.0, 9.7.1, 9.7.2, 9.7.8, 9.7.14).
#include "simt/exec/arithmetic.h"
#include "simt/lower/scalar_function.h"

namespace gantry::simt::lower {

using llvm::Intrinsic::ID;
using ptx::Modifier;
using ptx::Opcode;
using ptx::Operand;
using ptx::Type;

namespace {

unsigned width_of(Type type) {
  return ptx::size_of(type) * 8;
}

} // namespace

bool ScalarFunction::lower_integer(const ptx::Instruction& instruction) {
  const Type type = instruction.type();
  const std::vector<Operand>& operands = instruction.operands;
  const bool is_float = ptx::is_float(type);
  const auto binary = [&](auto make) {
    set(operands[0], make(get(operands[1], type), get(operands[2], type)), type);
    return true;
  };
  switch (instruction.opcode) {
  case Opcode::k_add:
  case Opcode::k_sub: {
    if (is_float) {
      return false;
    }
    if (instruction.has(Modifier::kCc)) {
      lower_carry(instruction);
      return true;
    }
    const bool adds = instruction.opcode == Opcode::k_add;
    if (type == Type::kU16x2 || type == Type::kS16x2) {
      return binary([&](Value* a, Value* b) -> Value* {
        Value* result = number(0);
        for (const std::uint64_t low : {0, 16}) {
          const auto half = [&](Value* value) {
            return builder_.CreateTrunc(builder_.CreateLShr(value, low), bits(16));
          };
          Value* sum =
              adds ? builder_.CreateAdd(half(a), half(b)) : builder_.CreateSub(half(a), half(b));
          result = builder_.CreateOr(result,
                                     builder_.CreateShl(builder_.CreateZExt(sum, bits(32)), low));
        }
        return result;
      });
    }
    if (instruction.has(Modifier::kSat)) {
      return binary([&](Value* a, Value* b) {
        return builder_.CreateBinaryIntrinsic(
            adds ? ID(llvm::Intrinsic::sadd_sat) : ID(llvm::Intrinsic::ssub_sat), a, b);
      });
    }
    return binary([&](Value* a, Value* b) {
      return adds ? builder_.CreateAdd(a, b) : builder_.CreateSub(a, b);
    });
  }
  case Opcode::k_addc:
  case Opcode::k_subc:
  case Opcode::k_madc:
    lower_carry(instruction);
    return true;
  case Opcode::k_mul:
  case Opcode::k_mad:
    if (is_float) {
      return false;
    }
    [[fallthrough]];
  case Opcode::k_mul24:
  case Opcode::k_mad24:
    if (instruction.has(Modifier::kCc)) {
      lower_carry(instruction);
    } else {
      lower_multiply(instruction);
    }
    return true;
  case Opcode::k_div:
    if (is_float) {
      return false;
    }
    [[fallthrough]];
  case Opcode::k_rem:
    lower_divide(instruction);
    return true;
  case Opcode::k_min:
  case Opcode::k_max: {
    if (is_float || ptx::is_packed(type)) {
      return false;
    }
    const bool is_min = instruction.opcode == Opcode::k_min;
    return binary([&](Value* a, Value* b) -> Value* {
      const ID id = ptx::is_signed(type) ? (is_min ? llvm::Intrinsic::smin : llvm::Intrinsic::smax)
                                         : (is_min ? llvm::Intrinsic::umin : llvm::Intrinsic::umax);
      Value* result = builder_.CreateBinaryIntrinsic(id, a, b);
      return instruction.has(Modifier::kRelu)
                 ? builder_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, result,
                                                  number(0, width_of(type)))
                 : result;
    });
  }
  case Opcode::k_abs:
    if (is_float) {
      return false;
    }
    set(operands[0],
        builder_.CreateBinaryIntrinsic(llvm::Intrinsic::abs, get(operands[1], type), number(0, 1)),
        type);
    return true;
  case Opcode::k_neg:
    if (is_float) {
      return false;
    }
    set(operands[0], builder_.CreateNeg(get(operands[1], type)), type);
    return true;
  case Opcode::k_and:
    return binary([&](Value* a, Value* b) { return builder_.CreateAnd(a, b); });
  case Opcode::k_or:
    return binary([&](Value* a, Value* b) { return builder_.CreateOr(a, b); });
  case Opcode::k_xor:
    return binary([&](Value* a, Value* b) { return builder_.CreateXor(a, b); });
  case Opcode::k_not:
    set(operands[0], builder_.CreateNot(get(operands[1], type)), type);
    return true;
  case Opcode::k_cnot: {
    Value* a = get(operands[1], type);
    set(operands[0], builder_.CreateZExt(builder_.CreateIsNull(a), a->getType()), type);
    return true;
  }
  case Opcode::k_sad: {
    Value* a = get(operands[1], type);
    Value* b = get(operands[2], type);
    Value* above =
        ptx::is_signed(type) ? builder_.CreateICmpSGT(a, b) : builder_.CreateICmpUGT(a, b);
    Value* difference =
        builder_.CreateSelect(above, builder_.CreateSub(a, b), builder_.CreateSub(b, a));
    set(operands[0], builder_.CreateAdd(get(operands[3], type), difference), type);
    return true;
  }
  case Opcode::k_shl:
  case Opcode::k_shr:
  case Opcode::k_shf:
    lower_shift(instruction);
    return true;
  case Opcode::k_bfe:
  case Opcode::k_bfi:
  case Opcode::k_bfind:
  case Opcode::k_bmsk:
  case Opcode::k_brev:
  case Opcode::k_clz:
  case Opcode::k_popc:
  case Opcode::k_fns:
  case Opcode::k_lop3:
  case Opcode::k_prmt:
    lower_bits(instruction);
    return true;
  case Opcode::k_dp2a:
  case Opcode::k_dp4a:
  case Opcode::k_vadd:
  case Opcode::k_vsub:
  case Opcode::k_vabsdiff:
  case Opcode::k_vmin:
  case Opcode::k_vmax:
  case Opcode::k_vadd2:
  case Opcode::k_vadd4:
  case Opcode::k_vsub2:
  case Opcode::k_vsub4:
  case Opcode::k_vabsdiff2:
  case Opcode::k_vabsdiff4:
  case Opcode::k_vavrg2:
  case Opcode::k_vavrg4:
  case Opcode::k_vmin2:
  case Opcode::k_vmin4:
  case Opcode::k_vmax2:
  case Opcode::k_vmax4:
  case Opcode::k_vset2:
  case Opcode::k_vset4:
    lower_video(instruction);
    return true;
  default:
    return false;
  }
}

// add.cc, addc, sub.cc, subc, mad.cc, madc: with the carry flag in and out.
void ScalarFunction::lower_carry(const ptx::Instruction& instruction) {
  const Type type = instruction.type();
  const std::vector<Operand>& operands = instruction.operands;
  const bool reads = instruction.opcode == Opcode::k_addc || instruction.opcode == Opcode::k_subc ||
                     instruction.opcode == Opcode::k_madc;
  const bool multiplies =
      instruction.opcode == Opcode::k_mad || instruction.opcode == Opcode::k_madc;
  const bool subtracts =
      instruction.opcode == Opcode::k_sub || instruction.opcode == Opcode::k_subc;
  Value* a = get(operands[1], type);
  Value* b = get(operands[2], type);
  if (multiplies) {
    const unsigned width = width_of(type);
    if (instruction.has(Modifier::kHi)) {
      auto* wide = bits(2 * width);
      const auto widened = [&](Value* value) {
        return ptx::is_signed(type) ? builder_.CreateSExt(value, wide)
                                    : builder_.CreateZExt(value, wide);
      };
      a = builder_.CreateTrunc(
          builder_.CreateLShr(builder_.CreateMul(widened(a), widened(b)), width), a->getType());
    } else {
      a = builder_.CreateMul(a, b);
    }
    b = get(operands[3], type);
  }
  const ID id =
      subtracts ? llvm::Intrinsic::usub_with_overflow : llvm::Intrinsic::uadd_with_overflow;
  Value* first = builder_.CreateBinaryIntrinsic(id, a, b);
  Value* result = builder_.CreateExtractValue(first, 0);
  Value* carry = builder_.CreateExtractValue(first, 1);
  if (reads) {
    Value* in = builder_.CreateZExt(builder_.CreateLoad(bits(1), carry_), a->getType());
    Value* second = builder_.CreateBinaryIntrinsic(id, result, in);
    result = builder_.CreateExtractValue(second, 0);
    carry = builder_.CreateOr(carry, builder_.CreateExtractValue(second, 1));
  }
  if (instruction.has(Modifier::kCc)) {
    builder_.CreateStore(carry, carry_);
  }
  set(operands[0], result, type);
}

void ScalarFunction::lower_multiply(const ptx::Instruction& instruction) {
  const Type type = instruction.type();
  const std::vector<Operand>& operands = instruction.operands;
  const bool is_24 = instruction.opcode == Opcode::k_mul24 || instruction.opcode == Opcode::k_mad24;
  const bool adds = instruction.opcode == Opcode::k_mad || instruction.opcode == Opcode::k_mad24;
  const unsigned width = width_of(type);
  const auto widened = [&](Value* value) {
    auto* wide = bits(2 * width);
    return ptx::is_signed(type) ? builder_.CreateSExt(value, wide)
                                : builder_.CreateZExt(value, wide);
  };
  Value* a = get(operands[1], type);
  Value* b = get(operands[2], type);
  if (is_24) {
    const auto low_24 = [&](Value* value) {
      value = builder_.CreateShl(value, 8);
      return ptx::is_signed(type) ? builder_.CreateAShr(value, 8) : builder_.CreateLShr(value, 8);
    };
    a = low_24(a);
    b = low_24(b);
  }
  Value* result = nullptr;
  if (instruction.has(Modifier::kWide)) {
    result = builder_.CreateMul(widened(a), widened(b));
    if (adds) {
      result = builder_.CreateAdd(result, get_bits(operands[3], 2 * width));
    }
    set_bits(operands[0], result, ptx::is_signed(type));
    return;
  }
  if (instruction.has(Modifier::kHi)) {
    // The upper half of the product; of a 24-bit one the bits from 16 on.
    Value* product = builder_.CreateMul(widened(a), widened(b));
    result = builder_.CreateTrunc(builder_.CreateLShr(product, is_24 ? 16 : width), a->getType());
  } else {
    result = builder_.CreateMul(a, b);
  }
  if (adds) {
    Value* c = get(operands[3], type);
    result = instruction.has(Modifier::kSat)
                 ? builder_.CreateBinaryIntrinsic(llvm::Intrinsic::sadd_sat, result, c)
                 : builder_.CreateAdd(result, c);
  }
  set(operands[0], result, type);
}

// Division by zero gives all ones and leaves the dividend as the remainder; the smallest number by
// -1 wraps. Neither may reach the processor's instruction, which traps.
void ScalarFunction::lower_divide(const ptx::Instruction& instruction) {
  const Type type = instruction.type();
  const std::vector<Operand>& operands = instruction.operands;
  const unsigned width = width_of(type);
  const bool divides = instruction.opcode == Opcode::k_div;
  Value* a = get(operands[1], type);
  // Frozen: in a lane that is not active it may be anything, and still must not trap.
  Value* b = builder_.CreateFreeze(get(operands[2], type));
  Value* by_zero = builder_.CreateIsNull(b);
  Value* safe = builder_.CreateSelect(by_zero, number(1, width), b);
  Value* result = nullptr;
  if (ptx::is_signed(type)) {
    Value* by_minus_one =
        builder_.CreateICmpEQ(b, llvm::ConstantInt::getAllOnesValue(b->getType()));
    safe = builder_.CreateSelect(by_minus_one, number(1, width), safe);
    result = divides ? builder_.CreateSDiv(a, safe) : builder_.CreateSRem(a, safe);
    result = builder_.CreateSelect(by_minus_one, divides ? builder_.CreateNeg(a) : number(0, width),
                                   result);
  } else {
    result = divides ? builder_.CreateUDiv(a, safe) : builder_.CreateURem(a, safe);
  }
  result = builder_.CreateSelect(
      by_zero, divides ? llvm::ConstantInt::getAllOnesValue(a->getType()) : a, result);
  set(operands[0], result, type);
}

void ScalarFunction::lower_shift(const ptx::Instruction& instruction) {
  const Type type = instruction.type();
  const std::vector<Operand>& operands = instruction.operands;
  const unsigned width = width_of(type);
  if (instruction.opcode == Opcode::k_shf) {
    // The pair {b:a}, moved; shf.l gives its upper word, shf.r its lower one.
    Value* low = get_bits(operands[1], 32);
    Value* high = get_bits(operands[2], 32);
    Value* amount = get_bits(operands[3], 32);
    amount = instruction.has(Modifier::kClamp)
                 ? builder_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, amount, number(32))
                 : builder_.CreateAnd(amount, 31);
    Value* pair = builder_.CreateOr(builder_.CreateShl(builder_.CreateZExt(high, bits(64)), 32),
                                    builder_.CreateZExt(low, bits(64)));
    amount = builder_.CreateZExt(amount, bits(64));
    Value* result = instruction.has(Modifier::kLeft)
                        ? builder_.CreateLShr(builder_.CreateShl(pair, amount), 32)
                        : builder_.CreateLShr(pair, amount);
    set_bits(operands[0], builder_.CreateTrunc(result, bits(32)));
    return;
  }
  Value* a = get(operands[1], type);
  Value* amount = get_bits(operands[2], 32);
  Value* last = number(width - 1);
  Value* beyond = builder_.CreateICmpUGT(amount, last);
  const bool arithmetic = instruction.opcode == Opcode::k_shr && ptx::is_signed(type);
  Value* clamped = builder_.CreateSelect(beyond, arithmetic ? last : number(0), amount);
  clamped = builder_.CreateZExtOrTrunc(clamped, a->getType());
  Value* result = instruction.opcode == Opcode::k_shl ? builder_.CreateShl(a, clamped)
                  : arithmetic                        ? builder_.CreateAShr(a, clamped)
                                                      : builder_.CreateLShr(a, clamped);
  if (!arithmetic) {
    result = builder_.CreateSelect(beyond, number(0, width), result);
  }
  set(operands[0], result, type);
}

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
