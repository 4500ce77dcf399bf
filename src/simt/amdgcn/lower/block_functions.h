// The exact meanings of instructions for a block of lanes at once, as functions of their own: what
// code calls where operands turn out to be no numbers, which is seldom.
#pragma once

#include "simt/amdgcn/lower/meanings.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>

namespace gantry::simt::amdgcn::lower {

/// Lanes of a block, which become elements of vectors.
inline constexpr unsigned kBlock = 8;

/// Ends a loop over a block's lanes, which begins at `loop` with `number`: it is to become one turn
/// of vectors, and its accesses, which have `accesses`, have nothing to do with each other.
void end_lanes(llvm::IRBuilder<>& builder, llvm::PHINode& number, llvm::BasicBlock* before,
               llvm::BasicBlock* behind, llvm::MDNode* accesses);

/// Of a module.
class BlockFunctions {
public:
  /// Takes the sources of all lanes, and a bit of each; returns the results and bits.
  [[nodiscard]] llvm::Function* of(const LaneFunction& lane);

private:
  llvm::DenseMap<llvm::Function*, llvm::Function*> made_;
};

} // namespace gantry::simt::amdgcn::lower
