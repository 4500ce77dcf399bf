// Integer arithmetic, logic and shifts (PTX ISA 9.0, 9.7.1, 9.7.2, 9.7.8).
#include "simt/exec/arithmetic/arithmetic.h"
#include "simt/lower/scalar_function.h"

namespace gantry::simt::lower {

using llvm::Intrinsic::ID;
using ptx::Modifier;
using ptx::Opcode;
using ptx::Operand;
using ptx::Type;

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
  default:
    return lower_video(instruction);
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
    // By -1 it is the negative of what it is by 1; the remainders are alike.
    result = divides ? builder_.CreateSDiv(a, safe) : builder_.CreateSRem(a, safe);
    result =
        divides ? builder_.CreateSelect(by_minus_one, builder_.CreateNeg(result), result) : result;
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

} // namespace gantry::simt::lower
