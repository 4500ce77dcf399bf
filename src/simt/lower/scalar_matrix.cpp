// Matrices of a warp (PTX ISA 9.0, 9.7.14.5): the arithmetic and the exchange are one operation of
// the warp (exec/arithmetic/matrix.h). ldmatrix and stmatrix access memory as other loads and
// stores do, in the lanes that give the addresses: each a row of 16 bytes, in two words.
#include "simt/lower/scalar_function.h"
#include "simt/ptx/instruction.h"

#include <array>

namespace gantry::simt::lower {

using exec::MatrixKind;
using exec::MatrixOperation;
using ptx::Modifier;
using ptx::Opcode;
using ptx::Operand;
using ptx::Space;

namespace {

constexpr unsigned kRowBytes = 16;
constexpr unsigned kWordBytes = 8;

MatrixOperation move_of(MatrixKind kind, const ptx::Instruction& instruction) {
  MatrixOperation move;
  move.kind = kind;
  move.count = static_cast<std::uint8_t>(ptx::matrix_count(instruction));
  move.transpose = instruction.has(Modifier::kTrans);
  return move;
}

} // namespace

std::vector<llvm::Value*> ScalarFunction::exchange_matrices(const MatrixOperation& operation,
                                                            llvm::ArrayRef<Value*> words) {
  std::vector<Value*> arguments = {number(operation.packed())};
  for (Value* word : words) {
    arguments.push_back(builder_.CreateZExt(word, bits(64)));
  }
  arguments.push_back(site());
  const std::vector<LlvmType*> types(operation.words_out(), bits(64));
  Value* call =
      this->operation(LaneOperation::kMatrix, llvm::StructType::get(context_, types), arguments);
  std::vector<Value*> results;
  for (unsigned i = 0; i < types.size(); ++i) {
    results.push_back(builder_.CreateExtractValue(call, i));
  }
  return results;
}

bool ScalarFunction::lower_matrix(const ptx::Instruction& instruction) {
  switch (instruction.opcode) {
  case Opcode::k_mma:
    lower_multiply_matrices(instruction);
    return true;
  case Opcode::k_ldmatrix:
    lower_load_matrices(instruction);
    return true;
  case Opcode::k_stmatrix:
    lower_store_matrices(instruction);
    return true;
  case Opcode::k_movmatrix:
    set_bits(instruction.operands[0],
             exchange_matrices(move_of(MatrixKind::kTranspose, instruction),
                               get_bits(instruction.operands[1], 32))[0]);
    return true;
  default:
    return false;
  }
}

void ScalarFunction::lower_multiply_matrices(const ptx::Instruction& instruction) {
  const ptx::MatrixShape shape = ptx::matrix_shape(instruction);
  MatrixOperation product;
  product.rows = static_cast<std::uint8_t>(shape.rows);
  product.depth = static_cast<std::uint16_t>(shape.depth);
  product.result = instruction.type(0);
  product.a = instruction.type(1);
  product.b = instruction.type(2);
  product.rounding = instruction.has(Modifier::kRz)   ? exec::Rounding::kZero
                     : instruction.has(Modifier::kRm) ? exec::Rounding::kDown
                     : instruction.has(Modifier::kRp) ? exec::Rounding::kUp
                                                      : exec::Rounding::kNone;
  if (const auto layouts = ptx::matrix_layouts(instruction); shape.products > 1 && layouts) {
    product.kind = layouts->a_by_columns
                       ? (layouts->b_by_columns ? MatrixKind::kQuartersColumnColumn
                                                : MatrixKind::kQuartersColumnRow)
                   : layouts->b_by_columns ? MatrixKind::kQuartersRowColumn
                                           : MatrixKind::kQuartersRowRow;
    product.half_addend = instruction.type(3) == ptx::Type::kF16;
  }
  product.saturate = instruction.has(Modifier::kSatfinite);
  product.conjunction = instruction.has(Modifier::kAnd);
  std::vector<Value*> words;
  for (unsigned operand = 1; operand < 4; ++operand) {
    for (const Operand& member : instruction.operands[operand].members) {
      words.push_back(get_bits(member, instruction.type(operand) == ptx::Type::kF64 ? 64 : 32));
    }
  }
  const std::vector<Value*> results = exchange_matrices(product, words);
  for (std::size_t i = 0; i < results.size(); ++i) {
    set_bits(instruction.operands[0].members[i], results[i]);
  }
}

llvm::Value* ScalarFunction::row_pointer(const ptx::Instruction& instruction, unsigned operand) {
  Value* address = pointer(instruction.operands[operand], ptx::accessed_space(instruction));
  if (ptx::accessed_space(instruction) == Space::kGeneric) {
    auto* good = llvm::BasicBlock::Create(context_, "", function_, starts_[current_ + 1]);
    auto* bad = llvm::BasicBlock::Create(context_, "", function_, good);
    builder_.CreateCondBr(is_in_space(builder_.CreatePtrToInt(address, bits(64)), Space::kShared),
                          good, bad);
    builder_.SetInsertPoint(bad);
    trap(exec::Trap::kNotShared);
    builder_.SetInsertPoint(good);
  }
  return address;
}

void ScalarFunction::in_lanes_of_rows(unsigned matrices, llvm::function_ref<void()> body) {
  if (matrices == 4) {
    body();
    return;
  }
  Operand lane;
  lane.kind = Operand::Kind::kSpecial;
  lane.special = ptx::SpecialRegister::kLaneid;
  auto* behind = llvm::BasicBlock::Create(context_, "", function_, starts_[current_ + 1]);
  auto* rows = llvm::BasicBlock::Create(context_, "", function_, behind);
  builder_.CreateCondBr(
      builder_.CreateICmpULT(get_bits(lane, 32), number(std::uint64_t{8} * matrices)), rows,
      behind);
  builder_.SetInsertPoint(rows);
  body();
  builder_.CreateBr(behind);
  builder_.SetInsertPoint(behind);
}

void ScalarFunction::lower_load_matrices(const ptx::Instruction& instruction) {
  const MatrixOperation move = move_of(MatrixKind::kLoad, instruction);
  // Variables, because the lanes that give no row skip the loads.
  llvm::BasicBlock& entry = function_->getEntryBlock();
  llvm::IRBuilder<> in_front(&entry, entry.begin());
  std::array<llvm::AllocaInst*, kRowBytes / kWordBytes> words = {};
  for (llvm::AllocaInst*& word : words) {
    word = in_front.CreateAlloca(bits(64));
    builder_.CreateStore(number(0, 64), word);
  }
  in_lanes_of_rows(move.count, [&] {
    Value* row = row_pointer(instruction, 1);
    for (unsigned i = 0; i < words.size(); ++i) {
      set_origin(kRowBytes, i * kWordBytes);
      builder_.CreateStore(
          builder_.CreateAlignedLoad(
              bits(64), builder_.CreateConstGEP1_64(bits(8), row, std::uint64_t{i} * kWordBytes),
              llvm::Align(kWordBytes)),
          words[i]);
    }
    set_origin();
  });
  std::vector<Value*> rows;
  for (llvm::AllocaInst* word : words) {
    rows.push_back(builder_.CreateLoad(bits(64), word));
  }
  const std::vector<Value*> results = exchange_matrices(move, rows);
  for (std::size_t i = 0; i < results.size(); ++i) {
    set_bits(instruction.operands[0].members[i], results[i]);
  }
}

void ScalarFunction::lower_store_matrices(const ptx::Instruction& instruction) {
  const MatrixOperation move = move_of(MatrixKind::kStore, instruction);
  std::vector<Value*> fragments;
  for (const Operand& member : instruction.operands[1].members) {
    fragments.push_back(get_bits(member, 32));
  }
  const std::vector<Value*> words = exchange_matrices(move, fragments);
  in_lanes_of_rows(move.count, [&] {
    Value* row = row_pointer(instruction, 0);
    for (unsigned i = 0; i < words.size(); ++i) {
      set_origin(kRowBytes, i * kWordBytes);
      builder_.CreateAlignedStore(
          words[i], builder_.CreateConstGEP1_64(bits(8), row, std::uint64_t{i} * kWordBytes),
          llvm::Align(kWordBytes));
    }
    set_origin();
  });
}

} // namespace gantry::simt::lower
