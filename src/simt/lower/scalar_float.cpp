// Floating-point arithmetic, conversions and comparisons (PTX ISA 9.0, 9.7.3 to 9.7.6, 9.7.9.21).
//
// What the processor computes as PTX wants it is LLVM IR; everything else (directed rounding, bf16,
// approximations, clamping conversions with a rounding of their own) is a call of exec::compute.
// NaN results are made canonical where they leave arithmetic (canonical_nans.h), not here.
#include "simt/exec/arithmetic/arithmetic.h"
#include "simt/lower/scalar_function.h"

namespace gantry::simt::lower {

using exec::Arithmetic;
using exec::Operator;
using exec::Rounding;
using ptx::Modifier;
using ptx::Opcode;
using ptx::Operand;
using ptx::Type;

namespace {

Rounding rounding_of(const ptx::Instruction& instruction) {
  struct Row {
    Modifier modifier;
    Rounding rounding;
  };
  static constexpr Row kRows[] = {
      {Modifier::kRn, Rounding::kNearestEven},  {Modifier::kRz, Rounding::kZero},
      {Modifier::kRm, Rounding::kDown},         {Modifier::kRp, Rounding::kUp},
      {Modifier::kRna, Rounding::kNearestAway}, {Modifier::kRni, Rounding::kIntegerNearestEven},
      {Modifier::kRzi, Rounding::kIntegerZero}, {Modifier::kRmi, Rounding::kIntegerDown},
      {Modifier::kRpi, Rounding::kIntegerUp},
  };
  for (const Row& row : kRows) {
    if (instruction.has(row.modifier)) {
      return row.rounding;
    }
  }
  return Rounding::kNone;
}

bool to_nearest(Rounding rounding) {
  return rounding == Rounding::kNone || rounding == Rounding::kNearestEven;
}

} // namespace

llvm::Value* ScalarFunction::by_service(const ptx::Instruction& instruction,
                                        unsigned operation_number, llvm::ArrayRef<Value*> operands,
                                        Type type, Type source) {
  Arithmetic arithmetic;
  arithmetic.operation = static_cast<Operator>(operation_number);
  arithmetic.type = type;
  arithmetic.source = source;
  arithmetic.rounding = rounding_of(instruction);
  arithmetic.ftz = instruction.has(Modifier::kFtz);
  arithmetic.saturate = instruction.has(Modifier::kSat);
  arithmetic.propagate_nan = instruction.has(Modifier::kPropagateNan);
  arithmetic.xorsign_abs = instruction.has(Modifier::kXorsign);
  arithmetic.relu = instruction.has(Modifier::kRelu);
  arithmetic.approximate = instruction.has(Modifier::kApprox) || instruction.has(Modifier::kFull);
  llvm::SmallVector<Value*> words = {number(arithmetic.packed())};
  for (unsigned i = 0; i < 3; ++i) {
    words.push_back(i < operands.size() ? builder_.CreateZExt(as_bits(operands[i]), bits(64))
                                        : number(0, 64));
  }
  return builder_.CreateTrunc(operation(LaneOperation::kArithmetic, bits(64), words),
                              bits(width_of(type)));
}

// .ftz: subnormal f32 (and f16) numbers become zeros of their sign.
llvm::Value* ScalarFunction::flushed(Value* value, const ptx::Instruction& instruction) {
  if (!instruction.has(Modifier::kFtz) || !value->getType()->isFloatTy()) {
    return value;
  }
  Value* magnitude = builder_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, value);
  Value* small =
      builder_.CreateFCmpOLT(magnitude, llvm::ConstantFP::get(value->getType(), 0x1p-126));
  Value* zero = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::copysign,
                                               llvm::ConstantFP::get(value->getType(), 0.0), value);
  return builder_.CreateSelect(small, zero, value);
}

// .sat: to [+0, 1], and NaN to +0.
llvm::Value* ScalarFunction::saturated(Value* value, const ptx::Instruction& instruction) {
  if (!instruction.has(Modifier::kSat)) {
    return value;
  }
  auto* one = llvm::ConstantFP::get(value->getType(), 1.0);
  auto* zero = llvm::ConstantFP::get(value->getType(), 0.0);
  Value* positive = builder_.CreateFCmpOGT(value, zero);
  Value* below = builder_.CreateFCmpOLT(value, one);
  return builder_.CreateSelect(positive, builder_.CreateSelect(below, value, one), zero);
}

bool ScalarFunction::lower_float(const ptx::Instruction& instruction) {
  const Type type = instruction.type();
  const std::vector<Operand>& operands = instruction.operands;
  const auto native = [&] {
    return (type == Type::kF32 || type == Type::kF64 || (type == Type::kF16 && target_.f16c)) &&
           to_nearest(rounding_of(instruction)) &&
           !(type == Type::kF16 && instruction.has(Modifier::kFtz)) &&
           !instruction.has(Modifier::kRelu);
  };
  const auto service = [&](Operator operation_number, unsigned count) {
    llvm::SmallVector<Value*> values;
    for (unsigned i = 0; i < count; ++i) {
      values.push_back(get_bits(operands[i + 1], width_of(type)));
    }
    set_bits(operands[0],
             by_service(instruction, static_cast<unsigned>(operation_number), values, type));
    return true;
  };
  const auto binary = [&](Operator operation_number, auto make) {
    if (!native()) {
      return service(operation_number, 2);
    }
    Value* a = flushed(get(operands[1], type), instruction);
    Value* b = flushed(get(operands[2], type), instruction);
    set(operands[0], saturated(flushed(make(a, b), instruction), instruction), type);
    return true;
  };
  const auto unary = [&](Operator operation_number, auto make) {
    if (!native()) {
      return service(operation_number, 1);
    }
    Value* a = flushed(get(operands[1], type), instruction);
    set(operands[0], saturated(flushed(make(a), instruction), instruction), type);
    return true;
  };
  const auto approximate = [&](Operator operation_number,
                               Value* (ScalarFunction::*function)(Value*)) {
    return type != Type::kF32
               ? service(operation_number, 1)
               : unary(operation_number, [&](Value* a) { return (this->*function)(a); });
  };
  switch (instruction.opcode) {
  case Opcode::k_add:
    return binary(Operator::kAdd, [&](Value* a, Value* b) { return builder_.CreateFAdd(a, b); });
  case Opcode::k_sub:
    return binary(Operator::kSub, [&](Value* a, Value* b) { return builder_.CreateFSub(a, b); });
  case Opcode::k_mul:
    return binary(Operator::kMul, [&](Value* a, Value* b) { return builder_.CreateFMul(a, b); });
  case Opcode::k_div:
    // A quotient by .approx is zero for large divisors; the service knows.
    if (instruction.has(Modifier::kApprox) || instruction.has(Modifier::kFull)) {
      return service(Operator::kDiv, 2);
    }
    return binary(Operator::kDiv, [&](Value* a, Value* b) { return builder_.CreateFDiv(a, b); });
  case Opcode::k_mad:
  case Opcode::k_fma: {
    if (!native() || !target_.fma || type == Type::kF16) {
      return service(Operator::kFma, 3);
    }
    Value* a = flushed(get(operands[1], type), instruction);
    Value* b = flushed(get(operands[2], type), instruction);
    Value* c = flushed(get(operands[3], type), instruction);
    Value* result = builder_.CreateIntrinsic(llvm::Intrinsic::fma, {a->getType()}, {a, b, c});
    set(operands[0], saturated(flushed(result, instruction), instruction), type);
    return true;
  }
  case Opcode::k_sqrt:
    return unary(Operator::kSqrt,
                 [&](Value* a) { return builder_.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, a); });
  case Opcode::k_rcp:
    if (type == Type::kF64 && instruction.has(Modifier::kApprox)) {
      return service(Operator::kRcp, 1);
    }
    return unary(Operator::kRcp, [&](Value* a) {
      return builder_.CreateFDiv(llvm::ConstantFP::get(a->getType(), 1.0), a);
    });
  case Opcode::k_rsqrt:
    return approximate(Operator::kRsqrt, &ScalarFunction::reciprocal_root);
  case Opcode::k_sin:
    return service(Operator::kSin, 1);
  case Opcode::k_cos:
    return service(Operator::kCos, 1);
  case Opcode::k_lg2:
    return approximate(Operator::kLg2, &ScalarFunction::binary_logarithm);
  case Opcode::k_ex2:
    return approximate(Operator::kEx2, &ScalarFunction::power_of_two);
  case Opcode::k_tanh:
    return service(Operator::kTanh, 1);
  case Opcode::k_min:
  case Opcode::k_max: {
    const bool is_min = instruction.opcode == Opcode::k_min;
    const Operator which = is_min ? Operator::kMin : Operator::kMax;
    if ((type != Type::kF32 && type != Type::kF64) || instruction.has(Modifier::kXorsign) ||
        operands.size() != 3) {
      return service(which, static_cast<unsigned>(operands.size()) - 1);
    }
    const bool propagates = instruction.has(Modifier::kPropagateNan);
    return binary(which, [&](Value* a, Value* b) {
      const llvm::Intrinsic::ID id =
          propagates ? (is_min ? llvm::Intrinsic::minimum : llvm::Intrinsic::maximum)
                     : (is_min ? llvm::Intrinsic::minimumnum : llvm::Intrinsic::maximumnum);
      return builder_.CreateBinaryIntrinsic(id, a, b);
    });
  }
  case Opcode::k_abs:
  case Opcode::k_neg: {
    // Operations on the sign, whatever the rest is.
    const unsigned width = width_of(type);
    if (instruction.has(Modifier::kFtz)) {
      return service(instruction.opcode == Opcode::k_abs ? Operator::kAbs : Operator::kNeg, 1);
    }
    const std::uint64_t sign = ptx::is_packed(type) ? 0x80008000 : std::uint64_t{1} << (width - 1);
    Value* a = get_bits(operands[1], width);
    set_bits(operands[0], instruction.opcode == Opcode::k_abs
                              ? builder_.CreateAnd(a, number(~sign, width))
                              : builder_.CreateXor(a, number(sign, width)));
    return true;
  }
  case Opcode::k_copysign: {
    // The sign of the first operand, the magnitude of the second.
    const unsigned width = width_of(type);
    const std::uint64_t sign = std::uint64_t{1} << (width - 1);
    Value* a = builder_.CreateAnd(get_bits(operands[1], width), number(sign, width));
    Value* b = builder_.CreateAnd(get_bits(operands[2], width), number(~sign, width));
    set_bits(operands[0], builder_.CreateOr(a, b));
    return true;
  }
  case Opcode::k_testp: {
    const unsigned width = width_of(type);
    const std::uint64_t sign = std::uint64_t{1} << (width - 1);
    Value* magnitude = builder_.CreateAnd(get_bits(operands[1], width), number(~sign, width));
    Value* infinity = number(width == 32 ? 0x7F800000 : 0x7FF0000000000000, width);
    Value* normal = number(width == 32 ? 0x00800000 : 0x0010000000000000, width);
    Value* zero = builder_.CreateIsNull(magnitude);
    Value* finite = builder_.CreateICmpULT(magnitude, infinity);
    Value* at_least_normal = builder_.CreateICmpUGE(magnitude, normal);
    Value* result = nullptr;
    if (instruction.has(Modifier::kFinite)) {
      result = finite;
    } else if (instruction.has(Modifier::kInfinite)) {
      result = builder_.CreateICmpEQ(magnitude, infinity);
    } else if (instruction.has(Modifier::kNumber)) {
      result = builder_.CreateICmpULE(magnitude, infinity);
    } else if (instruction.has(Modifier::kNotanumber)) {
      result = builder_.CreateICmpUGT(magnitude, infinity);
    } else if (instruction.has(Modifier::kNormal)) {
      result = builder_.CreateAnd(finite, builder_.CreateOr(at_least_normal, zero));
    } else {
      result = builder_.CreateAnd(builder_.CreateNot(at_least_normal), builder_.CreateNot(zero));
    }
    set_bits(operands[0], result);
    return true;
  }
  case Opcode::k_cvt:
    lower_convert(instruction);
    return true;
  case Opcode::k_setp:
  case Opcode::k_set:
    lower_compare(instruction);
    return true;
  case Opcode::k_selp: {
    const unsigned width = width_of(type);
    set_bits(operands[0],
             builder_.CreateSelect(get_predicate(operands[3]), get_bits(operands[1], width),
                                   get_bits(operands[2], width)));
    return true;
  }
  case Opcode::k_slct: {
    // a if c >= 0 (for a floating-point c: not for NaN), else b.
    const unsigned width = width_of(type);
    Value* positive = nullptr;
    if (instruction.type(1) == Type::kF32) {
      Value* c = flushed(get(operands[3], Type::kF32), instruction);
      positive = builder_.CreateFCmpOGE(c, llvm::ConstantFP::get(c->getType(), 0.0));
    } else {
      positive = builder_.CreateICmpSGE(get_bits(operands[3], 32), number(0));
    }
    set_bits(operands[0], builder_.CreateSelect(positive, get_bits(operands[1], width),
                                                get_bits(operands[2], width)));
    return true;
  }
  default:
    return false;
  }
}

// The bits of an f32 whose lower 13 are zero.
llvm::Value* ScalarFunction::to_tf32(Value* single, exec::Rounding rounding,
                                     const ptx::Instruction& instruction) {
  constexpr std::uint32_t kUnit = 1U << 13;
  Value* added = number(0);
  if (rounding == Rounding::kNearestAway) {
    added = number(kUnit / 2);
  } else if (rounding == Rounding::kNearestEven) {
    Value* is_odd = builder_.CreateAnd(builder_.CreateLShr(single, 13), number(1));
    added = builder_.CreateAdd(number(kUnit / 2 - 1), is_odd);
  }
  // A carry goes into the exponent, and out of the largest one makes infinity.
  Value* result = builder_.CreateAnd(builder_.CreateAdd(single, added), number(~(kUnit - 1)));
  if (instruction.has(Modifier::kRelu)) {
    Value* is_negative = builder_.CreateICmpSLT(single, number(0));
    result = builder_.CreateSelect(is_negative, number(0), result);
  }
  Value* magnitude = builder_.CreateAnd(single, number(0x7FFF'FFFF));
  Value* is_nan = builder_.CreateICmpUGT(magnitude, number(0x7F80'0000));
  return builder_.CreateSelect(is_nan, number(0x7FFF'FFFF), result);
}

void ScalarFunction::lower_convert(const ptx::Instruction& instruction) {
  const Type to = instruction.type(0);
  const Type from = instruction.type(1);
  const std::vector<Operand>& operands = instruction.operands;
  const Rounding rounding = rounding_of(instruction);
  if (to == Type::kTf32) {
    set_bits(operands[0], to_tf32(get_bits(operands[1], 32), rounding, instruction));
    return;
  }
  const auto integral = [](Type type) { return !ptx::is_float(type); };
  const bool plain = !instruction.has(Modifier::kFtz) && !instruction.has(Modifier::kRelu);
  const auto simple = [&](Type type) {
    return type == Type::kF32 || type == Type::kF64 || (type == Type::kF16 && target_.f16c);
  };
  if (integral(to) && integral(from) && !instruction.has(Modifier::kSat)) {
    Value* value = get_bits(operands[1], width_of(from));
    auto* type = bits(width_of(to));
    value = ptx::is_signed(from) ? builder_.CreateSExtOrTrunc(value, type)
                                 : builder_.CreateZExtOrTrunc(value, type);
    set_bits(operands[0], value, ptx::is_signed(to));
    return;
  }
  if (plain && !instruction.has(Modifier::kSat) && integral(from) && simple(to) &&
      to_nearest(rounding) && to != Type::kF16) {
    Value* value = get_bits(operands[1], width_of(from));
    set(operands[0],
        ptx::is_signed(from) ? builder_.CreateSIToFP(value, value_type(to))
                             : builder_.CreateUIToFP(value, value_type(to)),
        to);
    return;
  }
  if (plain && simple(from) && simple(to) && ptx::size_of(from) <= ptx::size_of(to) &&
      (ptx::size_of(from) < ptx::size_of(to) || rounding != Rounding::kNone)) {
    // To a wider format, or to an integral number of the same: exact or rounded as it says.
    Value* value = get(operands[1], from);
    switch (rounding) {
    case Rounding::kIntegerNearestEven:
      value = builder_.CreateUnaryIntrinsic(llvm::Intrinsic::roundeven, value);
      break;
    case Rounding::kIntegerZero:
      value = builder_.CreateUnaryIntrinsic(llvm::Intrinsic::trunc, value);
      break;
    case Rounding::kIntegerDown:
      value = builder_.CreateUnaryIntrinsic(llvm::Intrinsic::floor, value);
      break;
    case Rounding::kIntegerUp:
      value = builder_.CreateUnaryIntrinsic(llvm::Intrinsic::ceil, value);
      break;
    default:
      break;
    }
    if (from != Type::kF16 || rounding < Rounding::kIntegerNearestEven) {
      if (ptx::size_of(from) < ptx::size_of(to)) {
        value = builder_.CreateFPExt(value, value_type(to));
      }
      set(operands[0], saturated(value, instruction), to);
      return;
    }
  }
  if (plain &&
      ((from == Type::kF64 && to == Type::kF32) ||
       (from == Type::kF32 && to == Type::kF16 && target_.f16c)) &&
      to_nearest(rounding)) {
    set(operands[0],
        saturated(builder_.CreateFPTrunc(get(operands[1], from), value_type(to)), instruction), to);
    return;
  }
  if (plain && rounding == Rounding::kIntegerZero && (from == Type::kF32 || from == Type::kF64) &&
      integral(to) && ptx::size_of(to) >= 4) {
    // Clamped; NaN is zero from f32 to 32 bits, and the topmost bit alone otherwise.
    Value* value = get(operands[1], from);
    auto* type = bits(width_of(to));
    Value* converted = builder_.CreateIntrinsic(ptx::is_signed(to) ? llvm::Intrinsic::fptosi_sat
                                                                   : llvm::Intrinsic::fptoui_sat,
                                                {type, value->getType()}, {value});
    if (from == Type::kF64 || ptx::size_of(to) == 8) {
      const unsigned width = width_of(to);
      converted = builder_.CreateSelect(builder_.CreateFCmpUNO(value, value),
                                        number(std::uint64_t{1} << (width - 1), width), converted);
    }
    set_bits(operands[0], converted, ptx::is_signed(to));
    return;
  }
  if (operands.size() > 2) {
    // cvt.rn.f16x2.f32 d, a, b: a goes to the upper half.
    const bool bf16 = to == Type::kBf16x2;
    const auto half = [&](unsigned index) {
      return by_service(instruction, static_cast<unsigned>(Operator::kConvert),
                        {get_bits(operands[index], width_of(from))},
                        bf16 ? Type::kBf16 : Type::kF16, from);
    };
    Value* upper = builder_.CreateShl(builder_.CreateZExt(half(1), bits(32)), 16);
    set_bits(operands[0], builder_.CreateOr(upper, builder_.CreateZExt(half(2), bits(32))));
    return;
  }
  Value* result = by_service(instruction, static_cast<unsigned>(Operator::kConvert),
                             {get_bits(operands[1], width_of(from))}, to, from);
  set_bits(operands[0], result, ptx::is_signed(to));
}

llvm::Value* ScalarFunction::compare(const ptx::Instruction& instruction, Value* a, Value* b,
                                     Type type) {
  using llvm::CmpInst;
  struct Row {
    Modifier modifier;
    CmpInst::Predicate ordered, signed_integer, unsigned_integer;
  };
  static constexpr Row kRows[] = {
      {Modifier::kEq, CmpInst::FCMP_OEQ, CmpInst::ICMP_EQ, CmpInst::ICMP_EQ},
      {Modifier::kNe, CmpInst::FCMP_ONE, CmpInst::ICMP_NE, CmpInst::ICMP_NE},
      {Modifier::kLt, CmpInst::FCMP_OLT, CmpInst::ICMP_SLT, CmpInst::ICMP_ULT},
      {Modifier::kLe, CmpInst::FCMP_OLE, CmpInst::ICMP_SLE, CmpInst::ICMP_ULE},
      {Modifier::kGt, CmpInst::FCMP_OGT, CmpInst::ICMP_SGT, CmpInst::ICMP_UGT},
      {Modifier::kGe, CmpInst::FCMP_OGE, CmpInst::ICMP_SGE, CmpInst::ICMP_UGE},
      {Modifier::kLo, CmpInst::FCMP_OLT, CmpInst::ICMP_ULT, CmpInst::ICMP_ULT},
      {Modifier::kLs, CmpInst::FCMP_OLE, CmpInst::ICMP_ULE, CmpInst::ICMP_ULE},
      {Modifier::kHi, CmpInst::FCMP_OGT, CmpInst::ICMP_UGT, CmpInst::ICMP_UGT},
      {Modifier::kHs, CmpInst::FCMP_OGE, CmpInst::ICMP_UGE, CmpInst::ICMP_UGE},
      {Modifier::kEqu, CmpInst::FCMP_UEQ, CmpInst::ICMP_EQ, CmpInst::ICMP_EQ},
      {Modifier::kNeu, CmpInst::FCMP_UNE, CmpInst::ICMP_NE, CmpInst::ICMP_NE},
      {Modifier::kLtu, CmpInst::FCMP_ULT, CmpInst::ICMP_SLT, CmpInst::ICMP_ULT},
      {Modifier::kLeu, CmpInst::FCMP_ULE, CmpInst::ICMP_SLE, CmpInst::ICMP_ULE},
      {Modifier::kGtu, CmpInst::FCMP_UGT, CmpInst::ICMP_SGT, CmpInst::ICMP_UGT},
      {Modifier::kGeu, CmpInst::FCMP_UGE, CmpInst::ICMP_SGE, CmpInst::ICMP_UGE},
      {Modifier::kNum, CmpInst::FCMP_ORD, CmpInst::ICMP_EQ, CmpInst::ICMP_EQ},
      {Modifier::kNan, CmpInst::FCMP_UNO, CmpInst::ICMP_NE, CmpInst::ICMP_NE},
  };
  for (const Row& row : kRows) {
    if (instruction.has(row.modifier)) {
      if (a->getType()->isFloatingPointTy()) {
        return builder_.CreateFCmp(row.ordered, a, b);
      }
      return builder_.CreateICmp(ptx::is_signed(type) ? row.signed_integer : row.unsigned_integer,
                                 a, b);
    }
  }
  return number(0, 1);
}

// setp.OP.BOOL p|q, a, b, c and set.OP.BOOL d, a, b, c.
void ScalarFunction::lower_compare(const ptx::Instruction& instruction) {
  const std::vector<Operand>& operands = instruction.operands;
  const bool sets = instruction.opcode == Opcode::k_set;
  const Type type = instruction.type(sets ? 1 : 0);
  const unsigned parts = ptx::is_packed(type) ? 2 : 1;
  const auto operand_of = [&](unsigned index, unsigned part) -> Value* {
    if (type == Type::kF32 || type == Type::kF64) {
      return flushed(get(operands[index], type), instruction);
    }
    if (!ptx::is_float(type)) {
      return get(operands[index], type);
    }
    // f16 and bf16 compare as f32: the conversion is exact.
    Value* word = get_bits(operands[index], width_of(type));
    Value* half = builder_.CreateTrunc(
        parts == 1 ? word : builder_.CreateLShr(word, std::uint64_t{16} * part), bits(16));
    const bool bf16 = type == Type::kBf16 || type == Type::kBf16x2;
    Value* wide = nullptr;
    if (bf16) {
      wide = builder_.CreateShl(builder_.CreateZExt(half, bits(32)), 16);
    } else {
      Arithmetic conversion;
      conversion.operation = Operator::kConvert;
      conversion.type = Type::kF32;
      conversion.source = Type::kF16;
      if (instruction.has(Modifier::kFtz)) {
        // Subnormal as f16: as f32 it is not.
        Value* small = builder_.CreateIsNull(builder_.CreateAnd(half, number(0x7C00, 16)));
        half = builder_.CreateSelect(small, builder_.CreateAnd(half, number(0x8000, 16)), half);
      }
      wide = builder_.CreateTrunc(
          operation(LaneOperation::kArithmetic, bits(64),
                    {number(conversion.packed()), builder_.CreateZExt(half, bits(64)),
                     number(0, 64), number(0, 64)}),
          bits(32));
    }
    return builder_.CreateBitCast(wide, llvm::Type::getFloatTy(context_));
  };
  const auto combined = [&](Value* result) -> Value* {
    const bool has_c = operands.size() > 3;
    if (!has_c) {
      return result;
    }
    Value* c = get_predicate(operands[3]);
    return instruction.has(Modifier::kAnd)  ? builder_.CreateAnd(result, c)
           : instruction.has(Modifier::kOr) ? builder_.CreateOr(result, c)
                                            : builder_.CreateXor(result, c);
  };
  Value* results[2] = {};
  for (unsigned part = 0; part < parts; ++part) {
    results[part] = compare(instruction, operand_of(1, part), operand_of(2, part), type);
  }
  if (!sets) {
    if (operands[0].kind == Operand::Kind::kPair) {
      // The second predicate is the complement, or for packed types that of the upper half.
      // Both before either is written: one may be what they are combined with.
      Value* const first = combined(results[0]);
      Value* const second = combined(parts == 2 ? results[1] : builder_.CreateNot(results[0]));
      set_bits(operands[0].members[0], first);
      set_bits(operands[0].members[1], second);
    } else {
      set_bits(operands[0], combined(results[0]));
    }
    return;
  }
  const Type to = instruction.type(0);
  Value* word = nullptr;
  for (unsigned part = 0; part < parts; ++part) {
    Value* truth = combined(results[part]);
    Value* value = nullptr;
    switch (to) {
    case Type::kF32:
      value = builder_.CreateSelect(truth, number(0x3F800000), number(0));
      break;
    case Type::kF16:
    case Type::kF16x2:
      value = builder_.CreateSelect(truth, number(0x3C00, 16), number(0, 16));
      break;
    case Type::kBf16:
    case Type::kBf16x2:
      value = builder_.CreateSelect(truth, number(0x3F80, 16), number(0, 16));
      break;
    default: {
      const unsigned width = width_of(to) / parts;
      value = builder_.CreateSExt(truth, bits(width));
      break;
    }
    }
    if (parts == 1) {
      word = value;
    } else {
      Value* field =
          builder_.CreateShl(builder_.CreateZExt(value, bits(32)), std::uint64_t{16} * part);
      word = word == nullptr ? field : builder_.CreateOr(word, field);
    }
  }
  set_bits(operands[0], word);
}

} // namespace gantry::simt::lower
