// The function that runs a wave: the code's blocks, between which all that a wave is lies in its
// registers' memory.
#pragma once

#include "simt/amdgcn/lower/flow_graph.h"
#include "simt/amdgcn/lower/lane_run.h"
#include "simt/amdgcn/lower/meanings.h"
#include "simt/amdgcn/lower/wave_memory.h"

#include <llvm/IR/IRBuilder.h>
#include <vector>

namespace gantry::simt::amdgcn::lower {

class WaveFunction {
public:
  WaveFunction(const CompileRequest& request, Meanings& meanings);

  /// Makes the function, in the module of the meanings.
  [[nodiscard]] llvm::Function* build();
  /// Where a wave may be taken up: CompiledImage::places.
  [[nodiscard]] const std::vector<const Instruction*>& places() const { return places_; }

private:
  void emit_block(std::size_t number);
  void emit_instruction(std::size_t number);
  void emit_branch(const CodePlace& code);
  /// What the meaning does, inlined, or by a call of what interprets it.
  void emit_run(const CodePlace& code, llvm::Function* meaning);
  /// The loop of the instructions that have been put off.
  void flush(std::size_t behind);
  /// To a place: its block, or out of the function.
  [[nodiscard]] llvm::BasicBlock* block_of(const Instruction* place);
  void leave(const Instruction* place, Next next);
  void leave(llvm::Value* next);
  void set_pc(const Instruction* place);
  [[nodiscard]] llvm::Value* address(const void* place);
  [[nodiscard]] llvm::BasicBlock* new_block(const char* name);
  /// A copy of the instruction, all of which LLVM knows.
  [[nodiscard]] llvm::GlobalVariable* constant_of(const Instruction& instruction);

  const CompileRequest& request_;
  Meanings& meanings_;
  std::vector<const LaneFunction*> lanes_; ///< of each instruction; null if it is none of a lane
  std::optional<FlowGraph> graph_;
  llvm::Module& module_;
  llvm::IRBuilder<> builder_;
  llvm::Function* function_ = nullptr;
  std::optional<WaveMemory> memory_;
  std::optional<LaneRun> run_;
  KnownScalars known_;
  std::vector<llvm::BasicBlock*> blocks_;
  std::vector<const Instruction*> places_;
};

} // namespace gantry::simt::amdgcn::lower
