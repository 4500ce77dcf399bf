// The video instructions, scalar and on packed bytes and halves, and the dot products (PTX ISA 9.0,
// 9.7.1.23, 9.7.1.24, 9.7.14, 9.7.15), as far as whole operands go.
#include "simt/lower/scalar_function.h"

namespace gantry::simt::lower {

using ptx::Modifier;
using ptx::Opcode;
using ptx::Type;

namespace {

enum class Kind { kAdd, kSub, kAbsdiff, kAverage, kMin, kMax, kSet };

struct Shape {
  Kind kind;
  unsigned parts; ///< 1, 2 or 4 parts of a word
};

Shape shape_of(Opcode opcode) {
  switch (opcode) {
  case Opcode::k_vadd:
    return {Kind::kAdd, 1};
  case Opcode::k_vadd2:
    return {Kind::kAdd, 2};
  case Opcode::k_vadd4:
    return {Kind::kAdd, 4};
  case Opcode::k_vsub:
    return {Kind::kSub, 1};
  case Opcode::k_vsub2:
    return {Kind::kSub, 2};
  case Opcode::k_vsub4:
    return {Kind::kSub, 4};
  case Opcode::k_vabsdiff:
    return {Kind::kAbsdiff, 1};
  case Opcode::k_vabsdiff2:
    return {Kind::kAbsdiff, 2};
  case Opcode::k_vabsdiff4:
    return {Kind::kAbsdiff, 4};
  case Opcode::k_vavrg2:
    return {Kind::kAverage, 2};
  case Opcode::k_vavrg4:
    return {Kind::kAverage, 4};
  case Opcode::k_vmin:
    return {Kind::kMin, 1};
  case Opcode::k_vmin2:
    return {Kind::kMin, 2};
  case Opcode::k_vmin4:
    return {Kind::kMin, 4};
  case Opcode::k_vmax:
    return {Kind::kMax, 1};
  case Opcode::k_vmax2:
    return {Kind::kMax, 2};
  case Opcode::k_vmax4:
    return {Kind::kMax, 4};
  case Opcode::k_vset2:
    return {Kind::kSet, 2};
  default:
    return {Kind::kSet, 4};
  }
}

} // namespace

void ScalarFunction::lower_video(const ptx::Instruction& instruction) {
  const std::vector<ptx::Operand>& operands = instruction.operands;
  // A part of a word, as a number of 64 bits: nothing overflows until the end.
  const auto part = [&](Value* word, unsigned index, unsigned width, Type type) {
    Value* narrow =
        builder_.CreateTrunc(builder_.CreateLShr(word, std::uint64_t{index} * width), bits(width));
    return ptx::is_signed(type) ? builder_.CreateSExt(narrow, bits(64))
                                : builder_.CreateZExt(narrow, bits(64));
  };
  Value* a = get_bits(operands[1], 32);
  Value* b = get_bits(operands[2], 32);
  if (instruction.opcode == Opcode::k_dp4a || instruction.opcode == Opcode::k_dp2a) {
    // The types are those of a and b; dp2a takes halves of a and two bytes of b.
    const bool four = instruction.opcode == Opcode::k_dp4a;
    const unsigned first = instruction.has(Modifier::kHi) ? 2 : 0;
    Value* sum = builder_.CreateSExt(get_bits(operands[3], 32), bits(64));
    for (unsigned i = 0; i < (four ? 4U : 2U); ++i) {
      Value* left = part(a, i, four ? 8 : 16, instruction.type(0));
      Value* right = part(b, four ? i : first + i, 8, instruction.type(1));
      sum = builder_.CreateAdd(sum, builder_.CreateMul(left, right));
    }
    set_bits(operands[0], builder_.CreateTrunc(sum, bits(32)));
    return;
  }
  const Shape shape = shape_of(instruction.opcode);
  const unsigned width = 32 / shape.parts;
  const bool of_set = shape.kind == Kind::kSet;
  const Type result_type = instruction.type(0);
  const Type a_type = of_set ? instruction.type(0) : instruction.type(1);
  const Type b_type = of_set ? instruction.type(1) : instruction.type(2);
  const auto smaller = [&](Value* x, Value* y) {
    return builder_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, x, y);
  };
  const auto larger = [&](Value* x, Value* y) {
    return builder_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, x, y);
  };
  Value* packed = number(0);
  Value* sum = number(0, 64);
  for (unsigned i = 0; i < shape.parts; ++i) {
    Value* x = part(a, i, width, a_type);
    Value* y = part(b, i, width, b_type);
    Value* result = nullptr;
    switch (shape.kind) {
    case Kind::kAdd:
      result = builder_.CreateAdd(x, y);
      break;
    case Kind::kSub:
      result = builder_.CreateSub(x, y);
      break;
    case Kind::kAbsdiff:
      result = builder_.CreateSub(larger(x, y), smaller(x, y));
      break;
    case Kind::kAverage: {
      // Halves round away from zero.
      Value* total = builder_.CreateAdd(x, y);
      Value* negative = builder_.CreateICmpSLT(total, number(0, 64));
      Value* up =
          builder_.CreateAdd(total, builder_.CreateSelect(negative, number(0, 64), number(1, 64)));
      result = builder_.CreateAShr(up, 1);
      break;
    }
    case Kind::kMin:
      result = smaller(x, y);
      break;
    case Kind::kMax:
      result = larger(x, y);
      break;
    case Kind::kSet: {
      // Both sides are numbers of 64 bits by now, so one signed comparison serves all types.
      result = builder_.CreateZExt(compare(instruction, x, y, Type::kS64), bits(64));
      break;
    }
    }
    if (instruction.has(Modifier::kSat)) {
      const bool is_signed = ptx::is_signed(result_type);
      const std::int64_t top =
          is_signed ? (std::int64_t{1} << (width - 1)) - 1 : (std::int64_t{1} << width) - 1;
      const std::int64_t bottom = is_signed ? -top - 1 : 0;
      result = larger(smaller(result, number(static_cast<std::uint64_t>(top), 64)),
                      number(static_cast<std::uint64_t>(bottom), 64));
    }
    sum = builder_.CreateAdd(sum, result);
    Value* field =
        builder_.CreateTrunc(builder_.CreateAnd(result, (std::uint64_t{1} << width) - 1), bits(32));
    packed = builder_.CreateOr(packed, builder_.CreateShl(field, std::uint64_t{i} * width));
  }
  Value* c = operands.size() > 3 ? get_bits(operands[3], 32) : nullptr;
  if (shape.parts > 1) {
    set_bits(operands[0], instruction.has(Modifier::kAdd)
                              ? builder_.CreateAdd(builder_.CreateTrunc(sum, bits(32)), c)
                              : packed);
    return;
  }
  Value* result = packed;
  const bool is_signed = ptx::is_signed(result_type);
  if (instruction.has(Modifier::kAdd)) {
    result = builder_.CreateAdd(result, c);
  } else if (instruction.has(Modifier::kMin)) {
    result = builder_.CreateBinaryIntrinsic(
        is_signed ? llvm::Intrinsic::smin : llvm::Intrinsic::umin, result, c);
  } else if (instruction.has(Modifier::kMax)) {
    result = builder_.CreateBinaryIntrinsic(
        is_signed ? llvm::Intrinsic::smax : llvm::Intrinsic::umax, result, c);
  }
  set_bits(operands[0], result);
}

} // namespace gantry::simt::lower
