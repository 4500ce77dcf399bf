// The video instructions, scalar and on packed bytes and halves, and the dot products (PTX ISA 9.0,
// 9.7.1.23, 9.7.1.24, 9.7.14, 9.7.15), as far as whole operands go.
#include "simt/lower/scalar_function.h"

#include <algorithm>

namespace gantry::simt::lower {

using ptx::Modifier;
using ptx::Opcode;
using ptx::Type;

namespace {

enum class Kind { kAdd, kSub, kAbsdiff, kAverage, kMin, kMax, kSet };

struct Row {
  Opcode opcode;
  Kind kind;
  unsigned parts; ///< 1, 2 or 4 parts of a word
};

constexpr Row kRows[] = {
    {Opcode::k_vadd, Kind::kAdd, 1},          {Opcode::k_vadd2, Kind::kAdd, 2},
    {Opcode::k_vadd4, Kind::kAdd, 4},         {Opcode::k_vsub, Kind::kSub, 1},
    {Opcode::k_vsub2, Kind::kSub, 2},         {Opcode::k_vsub4, Kind::kSub, 4},
    {Opcode::k_vabsdiff, Kind::kAbsdiff, 1},  {Opcode::k_vabsdiff2, Kind::kAbsdiff, 2},
    {Opcode::k_vabsdiff4, Kind::kAbsdiff, 4}, {Opcode::k_vavrg2, Kind::kAverage, 2},
    {Opcode::k_vavrg4, Kind::kAverage, 4},    {Opcode::k_vmin, Kind::kMin, 1},
    {Opcode::k_vmin2, Kind::kMin, 2},         {Opcode::k_vmin4, Kind::kMin, 4},
    {Opcode::k_vmax, Kind::kMax, 1},          {Opcode::k_vmax2, Kind::kMax, 2},
    {Opcode::k_vmax4, Kind::kMax, 4},         {Opcode::k_vset2, Kind::kSet, 2},
    {Opcode::k_vset4, Kind::kSet, 4},
};

} // namespace

bool ScalarFunction::lower_video(const ptx::Instruction& instruction) {
  const bool is_product =
      instruction.opcode == Opcode::k_dp4a || instruction.opcode == Opcode::k_dp2a;
  const auto* row = std::ranges::find(kRows, instruction.opcode, &Row::opcode);
  if (row == std::end(kRows) && !is_product) {
    return false;
  }
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
  if (is_product) {
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
    return true;
  }
  const unsigned width = 32 / row->parts;
  const bool of_set = row->kind == Kind::kSet;
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
  for (unsigned i = 0; i < row->parts; ++i) {
    Value* x = part(a, i, width, a_type);
    Value* y = part(b, i, width, b_type);
    Value* result = nullptr;
    switch (row->kind) {
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
  if (row->parts > 1) {
    set_bits(operands[0], instruction.has(Modifier::kAdd)
                              ? builder_.CreateAdd(builder_.CreateTrunc(sum, bits(32)), c)
                              : packed);
    return true;
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
  return true;
}

} // namespace gantry::simt::lower
