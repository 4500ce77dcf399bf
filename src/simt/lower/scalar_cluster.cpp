// Clusters of blocks: their barrier, and addresses in each other's shared memory (PTX ISA 9.0,
// 9.7.9.23, 9.7.9.24 and 9.7.13.4), which lies side by side, by rank.
//
// An address of another block's shared memory in .shared::cluster is an offset from the block's
// own, and negative for blocks before it. So it is good in the block that made it.
#include "simt/lower/scalar_function.h"
#include "simt/ptx/instruction.h"

namespace gantry::simt::lower {

using exec::AsyncAction;
using exec::AsyncOperation;
using exec::AsyncPlace;
using ptx::Modifier;
using ptx::Opcode;
using ptx::Operand;
using ptx::Space;

bool ScalarFunction::lower_cluster(const ptx::Instruction& instruction) {
  const bool is_async = instruction.has(Modifier::kAsync);
  switch (instruction.opcode) {
  case Opcode::k_mapa:
    lower_map_address(instruction);
    return true;
  case Opcode::k_getctarank: {
    const bool is_offset = instruction.has(Modifier::kSharedCluster);
    Value* address = get_bits(instruction.operands[1], width_of(instruction.type()));
    set_bits(instruction.operands[0],
             builder_.CreateTrunc(builder_.CreateUDiv(from_first_block(address, is_offset),
                                                      number(exec::kSharedStride, 64)),
                                  bits(32)));
    return true;
  }
  case Opcode::k_barrier: {
    if (!instruction.has(Modifier::kCluster)) {
      return false;
    }
    AsyncOperation what;
    what.action = instruction.has(Modifier::kArrive) ? AsyncAction::kClusterArrive
                                                     : AsyncAction::kClusterWait;
    what.relaxed = instruction.has(Modifier::kRelaxed);
    async(what, {number(0, 64)});
    return true;
  }
  case Opcode::k_st:
  case Opcode::k_red:
    if (is_async) {
      lower_remote_store(instruction);
    }
    return is_async;
  default:
    return false;
  }
}

llvm::Value* ScalarFunction::cluster_rank(ptx::SpecialRegister which) {
  return builder_.CreateZExt(operation(LaneOperation::kSpecial, bits(32),
                                       {number(static_cast<unsigned>(which)), number(0)}),
                             bits(64));
}

llvm::Value* ScalarFunction::from_first_block(Value* address, bool is_offset) {
  Value* before = builder_.CreateMul(cluster_rank(ptx::SpecialRegister::kClusterCtarank),
                                     number(exec::kSharedStride, 64));
  Value* own = is_offset ? builder_.CreateSExt(builder_.CreateTrunc(address, bits(32)), bits(64))
                         : builder_.CreateSub(builder_.CreateZExt(address, bits(64)),
                                              operation(LaneOperation::kSharedBase, bits(64), {}));
  return builder_.CreateAdd(own, before);
}

// Without the parameters that lie behind each block's shared memory.
llvm::Value* ScalarFunction::is_in_cluster(Value* address) {
  Value* into = from_first_block(address, false);
  Value* stride = number(exec::kSharedStride, 64);
  Value* end = builder_.CreateMul(cluster_rank(ptx::SpecialRegister::kClusterNctarank), stride);
  return builder_.CreateAnd(
      builder_.CreateICmpULT(into, end),
      builder_.CreateICmpULT(builder_.CreateURem(into, stride), number(exec::kSharedWindow, 64)));
}

void ScalarFunction::lower_map_address(const ptx::Instruction& instruction) {
  const bool is_offset = instruction.has(Modifier::kSharedCluster);
  const unsigned width = width_of(instruction.type());
  const Operand& source = instruction.operands[1];
  Value* address = get_bits(source, width);
  if (!is_offset && source.kind != Operand::Kind::kRegister) {
    // A variable's address is an offset.
    address = builder_.CreateAdd(
        address, builder_.CreateZExtOrTrunc(operation(LaneOperation::kSharedBase, bits(64), {}),
                                            bits(width)));
  }
  Value* stride = number(exec::kSharedStride, 64);
  Value* from = builder_.CreateUDiv(from_first_block(address, is_offset), stride);
  Value* to = builder_.CreateZExt(get_bits(instruction.operands[2], 32), bits(64));
  Value* moved = builder_.CreateMul(builder_.CreateSub(to, from), stride);
  set_bits(instruction.operands[0],
           builder_.CreateAdd(address, builder_.CreateTrunc(moved, bits(width))));
}

// st.async and red.async, made at once.
void ScalarFunction::lower_remote_store(const ptx::Instruction& instruction) {
  AsyncOperation what;
  what.action = AsyncAction::kStore;
  what.to = AsyncPlace::kClusterShared;
  what.type = instruction.type();
  what.reduction =
      instruction.opcode == Opcode::k_red ? reduction_of(instruction) : exec::AsyncReduction::kNone;
  const Space space = ptx::accessed_space(instruction);
  const std::vector<Operand> elements = ptx::elements_of(instruction.operands[1], source_);
  std::vector<Value*> words = {generic_address(instruction.operands[0], space),
                               generic_address(instruction.operands[2], space),
                               number(elements.size(), 64)};
  for (const Operand& element : elements) {
    words.push_back(builder_.CreateZExt(get_bits(element, width_of(instruction.type())), bits(64)));
  }
  async(what, words);
}

} // namespace gantry::simt::lower
