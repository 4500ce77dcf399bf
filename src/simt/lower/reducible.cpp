#include "simt/lower/reducible.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/CycleAnalysis.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Scalar/Reg2Mem.h>
#include <llvm/Transforms/Utils/Mem2Reg.h>

namespace gantry::simt::lower {

namespace {

// The entries of an outermost cycle that has several; none if there is no such cycle.
llvm::SmallVector<llvm::BasicBlock*> entries_of_irreducible_cycle(llvm::Function& function) {
  llvm::CycleInfo cycles;
  cycles.compute(function);
  llvm::SmallVector<const llvm::Cycle*> work(cycles.toplevel_cycles());
  while (!work.empty()) {
    const llvm::Cycle* cycle = work.pop_back_val();
    if (!cycle->isReducible()) {
      return {cycle->entries().begin(), cycle->entries().end()};
    }
    work.append(cycle->child_begin(), cycle->child_end());
  }
  return {};
}

// There are no phis: values that several blocks know are in variables.
void lead_through_one(llvm::Function& function, llvm::ArrayRef<llvm::BasicBlock*> entries) {
  llvm::LLVMContext& context = function.getContext();
  auto* header = llvm::BasicBlock::Create(context, "header", &function);
  llvm::BasicBlock& first = function.getEntryBlock();
  llvm::IRBuilder<> builder(&first, first.begin());
  llvm::AllocaInst* where = builder.CreateAlloca(builder.getInt32Ty());
  for (unsigned i = 0; i < entries.size(); ++i) {
    const llvm::SmallSetVector<llvm::BasicBlock*, 4> from(llvm::from_range,
                                                          llvm::predecessors(entries[i]));
    for (llvm::BasicBlock* block : from) {
      // One for each, so that those from outside do not lie in the cycle.
      auto* way = llvm::BasicBlock::Create(context, "way", &function);
      block->getTerminator()->replaceSuccessorWith(entries[i], way);
      builder.SetInsertPoint(way);
      builder.CreateStore(builder.getInt32(i), where);
      builder.CreateBr(header);
    }
  }
  builder.SetInsertPoint(header);
  llvm::Value* target = builder.CreateLoad(builder.getInt32Ty(), where);
  for (unsigned i = 0; i + 2 < entries.size(); ++i) {
    auto* other = llvm::BasicBlock::Create(context, "header.next", &function);
    builder.CreateCondBr(builder.CreateICmpEQ(target, builder.getInt32(i)), entries[i], other);
    builder.SetInsertPoint(other);
  }
  const auto last = static_cast<unsigned>(entries.size()) - 1;
  builder.CreateCondBr(builder.CreateICmpEQ(target, builder.getInt32(last)), entries[last],
                       entries[last - 1]);
}

} // namespace

llvm::PreservedAnalyses MakeReducible::run(llvm::Function& function,
                                           llvm::FunctionAnalysisManager& analyses) {
  if (entries_of_irreducible_cycle(function).empty()) {
    return llvm::PreservedAnalyses::all();
  }
  llvm::RegToMemPass().run(function, analyses);
  for (;;) {
    const auto entries = entries_of_irreducible_cycle(function);
    if (entries.empty()) {
      break;
    }
    lead_through_one(function, entries);
  }
  analyses.invalidate(function, llvm::PreservedAnalyses::none());
  const llvm::PreservedAnalyses none = llvm::PromotePass().run(function, analyses);
  (void)none;
  return llvm::PreservedAnalyses::none();
}

} // namespace gantry::simt::lower
