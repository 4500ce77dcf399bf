#include "simt/amdgcn/lower/wave_function.h"

#include <llvm/IR/MDBuilder.h>

namespace gantry::simt::amdgcn::lower {

namespace {

using Kind = Meaning::Kind;

/// Longer runs are cut: what their values need is more registers than there are anyway.
constexpr std::size_t kLongestRun = 160;

/// Whether the instruction's meaning in a lane, if it has one, and signs of sources are all of it.
bool has_lane_form(const Instruction& instruction) {
  const Modifiers& modifiers = instruction.modifiers;
  return !instruction.meaning->writes_exec && instruction.lanes.control == LanePattern::kNone &&
         instruction.operations == nullptr && !modifiers.clamp && modifiers.sign == 0 &&
         modifiers.result == Part::kDword &&
         std::ranges::all_of(modifiers.parts, [](Part part) { return part == Part::kDword; });
}

const Instruction* next_of(const Instruction& instruction) {
  return &instruction + instruction.size;
}

} // namespace

WaveFunction::WaveFunction(const CompileRequest& request, Meanings& meanings)
    : request_(request), meanings_(meanings), module_(meanings.module()),
      builder_(module_.getContext()) {
  std::vector<bool> by_lanes;
  for (const CodePlace& code : request.code) {
    lanes_.push_back(has_lane_form(*code.place) ? meanings.lane(code.mnemonic) : nullptr);
    by_lanes.push_back(lanes_.back() != nullptr);
  }
  graph_.emplace(request, by_lanes);
}

llvm::BasicBlock* WaveFunction::new_block(const char* name) {
  return llvm::BasicBlock::Create(module_.getContext(), name, function_);
}

llvm::Value* WaveFunction::address(const void* place) {
  return builder_.CreateIntToPtr(builder_.getInt64(reinterpret_cast<std::uintptr_t>(place)),
                                 builder_.getPtrTy());
}

llvm::GlobalVariable* WaveFunction::constant_of(const Instruction& instruction) {
  const llvm::StringRef bytes(reinterpret_cast<const char*>(&instruction), sizeof instruction);
  llvm::Constant* const value =
      llvm::ConstantDataArray::getString(module_.getContext(), bytes, /*AddNull=*/false);
  auto* const variable =
      new llvm::GlobalVariable(module_, value->getType(), /*isConstant=*/true,
                               llvm::GlobalValue::PrivateLinkage, value, "instruction");
  variable->setAlignment(llvm::Align(alignof(Instruction)));
  return variable;
}

void WaveFunction::set_pc(const Instruction* place) {
  builder_.CreateStore(address(place), memory_->member(offsetof(Wave, pc)));
}

void WaveFunction::leave(llvm::Value* next) {
  builder_.CreateRet(next);
}
void WaveFunction::leave(const Instruction* place, Next next) {
  set_pc(place);
  leave(builder_.getInt8(static_cast<std::uint8_t>(next)));
}

llvm::BasicBlock* WaveFunction::block_of(const Instruction* place) {
  const std::size_t number = graph_->block_at(place);
  if (number < graph_->blocks().size()) {
    return blocks_[number];
  }
  llvm::BasicBlock* const out = new_block("out");
  const llvm::IRBuilder<>::InsertPointGuard guard(builder_);
  builder_.SetInsertPoint(out);
  leave(place, Next::kOn);
  return out;
}

llvm::Function* WaveFunction::build() {
  function_ = llvm::Function::Create(
      llvm::FunctionType::get(builder_.getInt8Ty(), {builder_.getPtrTy(), builder_.getInt32Ty()},
                              false),
      llvm::Function::ExternalLinkage, "code", module_);
  function_->setDoesNotThrow();
  llvm::Argument* const wave = function_->getArg(0);
  wave->addAttr(
      llvm::Attribute::getWithAlignment(module_.getContext(), llvm::Align(alignof(Wave))));
  wave->addAttr(llvm::Attribute::getWithDereferenceableBytes(module_.getContext(), sizeof(Wave)));
  memory_.emplace(builder_, wave);
  run_.emplace(*memory_, request_.lanes);
  llvm::BasicBlock* const entry = new_block("entry");
  for (const Block& block : graph_->blocks()) {
    (void)block;
    blocks_.push_back(new_block("block"));
  }
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    builder_.SetInsertPoint(blocks_[i]);
    emit_block(i);
  }
  builder_.SetInsertPoint(entry);
  llvm::BasicBlock* const nowhere = new_block("nowhere");
  llvm::SwitchInst* const choice = builder_.CreateSwitch(function_->getArg(1), nowhere);
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    if (graph_->blocks()[i].is_entry) {
      choice->addCase(builder_.getInt32(static_cast<std::uint32_t>(places_.size())), blocks_[i]);
      places_.push_back(request_.code[graph_->blocks()[i].first].place);
    }
  }
  builder_.SetInsertPoint(nowhere);
  builder_.CreateUnreachable();
  return function_;
}

void WaveFunction::emit_block(std::size_t number) {
  const Block& block = graph_->blocks()[number];
  known_.forget();
  for (std::size_t i = block.first; i < block.end; ++i) {
    emit_instruction(i);
    known_.run(request_.code[i]);
    if (builder_.GetInsertBlock()->getTerminator() != nullptr) {
      return;
    }
  }
  flush(block.end - 1);
  builder_.CreateBr(block_of(next_of(*request_.code[block.end - 1].place)));
}

void WaveFunction::flush(std::size_t behind) {
  run_->emit(graph_->behind(behind));
}

void WaveFunction::emit_instruction(std::size_t number) {
  const CodePlace& code = request_.code[number];
  const Instruction& instruction = *code.place;
  const Effects& effects = graph_->effects(number);
  const unsigned mask_size = request_.lanes > 32 ? 2 : 1;
  const auto flush_before = [&] {
    if (!run_->empty()) {
      flush(number - 1);
    }
  };
  if (const LaneFunction* const lane = lanes_[number]) {
    if (!run_->takes(instruction, mask_size) || run_->size() >= kLongestRun) {
      flush_before();
    }
    return run_->add(code, *lane, known_);
  }
  const Kind kind = instruction.meaning->kind;
  if (kind == Kind::kBranch) {
    flush_before();
    return emit_branch(code);
  }
  llvm::Function* const meaning = meanings_.run(code.mnemonic);
  const bool is_scalar = meaning != nullptr && (kind == Kind::kScalar || kind == Kind::kFlow);
  ScalarSet touched = effects.scalar_reads | effects.scalar_writes;
  for (unsigned i = 0; i < registers_of(instruction.meaning->result); ++i) {
    touched.set(std::min(instruction.result + i, scalar::kCount - 1));
  }
  if (!is_scalar || effects.changes_exec || may_be_left(code) || effects.ends ||
      run_->makes_any(touched)) {
    flush_before();
  }
  emit_run(code, is_scalar ? meaning : nullptr);
  if (effects.reads_all && kind == Kind::kScalar) { // a jump: the wave's pc says where to
    leave(builder_.getInt8(static_cast<std::uint8_t>(Next::kOn)));
  }
}

void WaveFunction::emit_run(const CodePlace& code, llvm::Function* meaning) {
  llvm::Value* next = nullptr;
  if (meaning != nullptr) {
    llvm::CallInst* const call =
        builder_.CreateCall(meaning, {memory_->wave(), constant_of(*code.place)});
    call->addFnAttr(llvm::Attribute::AlwaysInline);
    next = call;
  } else {
    set_pc(next_of(*code.place));
    llvm::FunctionType* const type = llvm::FunctionType::get(
        builder_.getInt8Ty(), {builder_.getPtrTy(), builder_.getPtrTy()}, false);
    next = builder_.CreateCall(type, address(reinterpret_cast<const void*>(code.run)),
                               {memory_->wave(), address(code.place)});
  }
  llvm::BasicBlock* const on = new_block("on");
  llvm::BasicBlock* const other = new_block("other");
  const auto is_on = builder_.getInt8(static_cast<std::uint8_t>(Next::kOn));
  llvm::MDBuilder weights(module_.getContext());
  builder_.CreateCondBr(builder_.CreateICmpEQ(next, is_on), on, other,
                        weights.createLikelyBranchWeights());
  builder_.SetInsertPoint(other);
  if (meaning != nullptr) {
    set_pc(next_of(*code.place));
  }
  leave(next);
  builder_.SetInsertPoint(on);
}

void WaveFunction::emit_branch(const CodePlace& code) {
  const Instruction& instruction = *code.place;
  llvm::BasicBlock* const not_taken = block_of(next_of(instruction));
  llvm::BasicBlock* taken = block_of(target_of(instruction));
  if (instruction.offset <= 0) { // others get their turn
    llvm::BasicBlock* const target = taken;
    taken = new_block("back");
    const llvm::IRBuilder<>::InsertPointGuard guard(builder_);
    builder_.SetInsertPoint(taken);
    llvm::Value* const place = memory_->member(offsetof(Wave, branches_left));
    llvm::Value* const left =
        builder_.CreateSub(builder_.CreateLoad(builder_.getInt32Ty(), place), builder_.getInt32(1));
    builder_.CreateStore(left, place);
    llvm::BasicBlock* const turn = new_block("turn");
    llvm::MDBuilder weights(module_.getContext());
    builder_.CreateCondBr(builder_.CreateICmpSGT(left, builder_.getInt32(0)), target, turn,
                          weights.createLikelyBranchWeights());
    builder_.SetInsertPoint(turn);
    leave(target_of(instruction), Next::kYield);
  }
  llvm::CallInst* const condition =
      builder_.CreateCall(meanings_.is_taken(code.mnemonic), {memory_->wave()});
  condition->addFnAttr(llvm::Attribute::AlwaysInline);
  builder_.CreateCondBr(condition, taken, not_taken);
}

} // namespace gantry::simt::amdgcn::lower
