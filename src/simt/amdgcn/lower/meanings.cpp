#include "simt/amdgcn/lower/meanings.h"

#include "simt/amdgcn/code/instruction.h"

#include <cstddef>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/CFG.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/Local.h>

// The bitcode that the build has made.
asm(R"(.pushsection .rodata
  .globl gantry_amdgcn_meanings
  .hidden gantry_amdgcn_meanings
  .globl gantry_amdgcn_meanings_end
  .hidden gantry_amdgcn_meanings_end
  .balign 16
gantry_amdgcn_meanings:
  .incbin ")" GANTRY_AMDGCN_MEANINGS R"("
gantry_amdgcn_meanings_end:
  .popsection)");
// NOLINTBEGIN(readability-identifier-naming): names of the assembler's
extern "C" const char gantry_amdgcn_meanings[];
extern "C" const char gantry_amdgcn_meanings_end[];
// NOLINTEND(readability-identifier-naming)

namespace gantry::simt::amdgcn::lower {

namespace {

// ieee.h's functions: sections of some, the name of one.
constexpr llvm::StringRef kNumericSection = "gantry.";
constexpr llvm::StringRef kUsually = "gantry.usually";

bool is_numeric_primitive(const llvm::Function& function) {
  return function.getSection().starts_with(kNumericSection);
}
bool is_usually(const llvm::Function& function) {
  return function.getName() == kUsually;
}

/// The functions that vectors have without calls.
bool is_cheap(llvm::Intrinsic::ID id) {
  using namespace llvm;
  switch (id) {
  case Intrinsic::fma:
  case Intrinsic::fabs:
  case Intrinsic::sqrt:
  case Intrinsic::floor:
  case Intrinsic::ceil:
  case Intrinsic::trunc:
  case Intrinsic::rint:
  case Intrinsic::nearbyint:
  case Intrinsic::roundeven:
  case Intrinsic::copysign:
  case Intrinsic::smax:
  case Intrinsic::smin:
  case Intrinsic::umax:
  case Intrinsic::umin:
  case Intrinsic::abs:
  case Intrinsic::ctlz:
  case Intrinsic::cttz:
  case Intrinsic::ctpop:
  case Intrinsic::bitreverse:
  case Intrinsic::bswap:
  case Intrinsic::fshl:
  case Intrinsic::fshr:
  case Intrinsic::is_fpclass:
  case Intrinsic::sadd_sat:
  case Intrinsic::uadd_sat:
  case Intrinsic::ssub_sat:
  case Intrinsic::usub_sat:
    return true;
  default:
    return false;
  }
}

bool is_inlined(const llvm::CallBase& call) {
  const llvm::Function* const callee = call.getCalledFunction();
  return callee != nullptr && !callee->isDeclaration() && !is_numeric_primitive(*callee);
}

/// Inlines all that the function calls but what `ieee.h` has marked.
void inline_calls(llvm::Function& function) {
  for (bool changed = true; changed;) {
    changed = false;
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      auto* const call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (call != nullptr && is_inlined(*call)) {
        llvm::InlineFunctionInfo info;
        changed = llvm::InlineFunction(*call, info).isSuccess();
        if (!changed) {
          return;
        }
        break;
      }
    }
  }
}

/// The calls in the function of functions that are `such`.
template <typename Predicate>
llvm::SmallVector<llvm::CallInst*> calls_of(llvm::Function& function, Predicate such) {
  llvm::SmallVector<llvm::CallInst*> calls;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* const call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    if (call != nullptr && call->getCalledFunction() != nullptr &&
        such(*call->getCalledFunction())) {
      calls.push_back(call);
    }
  }
  return calls;
}

void inline_primitives(llvm::Function& function) {
  for (llvm::CallInst* call : calls_of(function, is_numeric_primitive)) {
    llvm::InlineFunctionInfo info;
    (void)llvm::InlineFunction(*call, info);
  }
}

/// Leaves all cases in the function.
void keep_unusual_cases(llvm::Function& function) {
  for (llvm::CallInst* call : calls_of(function, is_usually)) {
    call->replaceAllUsesWith(call->getArgOperand(0));
    call->eraseFromParent();
  }
}

/// Leaves the usual case alone in the function, and a call of kUnusual. Whether there are others.
bool leave_out_unusual_cases(llvm::Function& function) {
  llvm::Module& module = *function.getParent();
  const auto calls = calls_of(function, is_usually);
  for (llvm::CallInst* call : calls) {
    llvm::IRBuilder<> builder(call);
    llvm::FunctionCallee unusual =
        module.getOrInsertFunction(kUnusual, builder.getVoidTy(), builder.getInt1Ty());
    auto& declared = *llvm::cast<llvm::Function>(unusual.getCallee());
    declared.setDoesNotThrow();
    declared.setWillReturn();
    declared.setOnlyAccessesInaccessibleMemory();
    builder.CreateCall(unusual, {builder.CreateNot(call->getArgOperand(0))});
    call->replaceAllUsesWith(builder.getTrue());
    call->eraseFromParent();
  }
  for (llvm::BasicBlock& block : function) {
    llvm::ConstantFoldTerminator(&block, /*DeleteDeadConditions=*/true);
  }
  llvm::removeUnreachableBlocks(function);
  for (llvm::BasicBlock& block : llvm::make_early_inc_range(function)) {
    llvm::MergeBlockIntoPredecessor(&block);
  }
  return !calls.empty();
}

/// The host's own operations in the place of those that choose among several that are no numbers.
void use_host_operations(llvm::Function& function) {
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    auto* const call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    if (call == nullptr || call->getCalledFunction() == nullptr ||
        !is_numeric_primitive(*call->getCalledFunction())) {
      continue;
    }
    const llvm::StringRef name =
        call->getCalledFunction()->getSection().drop_front(kNumericSection.size());
    llvm::IRBuilder<> builder(call);
    llvm::Value* made = nullptr;
    if (name == "sum") {
      made = builder.CreateFAdd(call->getArgOperand(0), call->getArgOperand(1));
    } else if (name == "product") {
      made = builder.CreateFMul(call->getArgOperand(0), call->getArgOperand(1));
    } else {
      made = builder.CreateIntrinsic(
          llvm::Intrinsic::fma, {call->getType()},
          {call->getArgOperand(0), call->getArgOperand(1), call->getArgOperand(2)});
    }
    call->replaceAllUsesWith(made);
    call->eraseFromParent();
  }
}

bool has_loop(const llvm::Function& function) {
  llvm::SmallVector<std::pair<const llvm::BasicBlock*, const llvm::BasicBlock*>> edges;
  llvm::FindFunctionBackedges(function, edges);
  return !edges.empty();
}

/// Whether each operation has a form for vectors.
bool can_be_vectors(const llvm::Function& function) {
  if (has_loop(function)) {
    return false;
  }
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    if (instruction.mayReadOrWriteMemory() && !llvm::isa<llvm::CallBase>(instruction)) {
      return false;
    }
    if (llvm::isa<llvm::AllocaInst>(instruction) ||
        instruction.getOpcode() == llvm::Instruction::FRem) {
      return false;
    }
    if (const auto* const cast = llvm::dyn_cast<llvm::FPTruncInst>(&instruction)) {
      if (cast->getSrcTy()->isDoubleTy() && cast->getDestTy()->isHalfTy()) {
        return false; // a call
      }
    }
    if (const auto* const call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
      const llvm::Function* const callee = call->getCalledFunction();
      if (callee == nullptr || (!is_numeric_primitive(*callee) && !is_usually(*callee) &&
                                !is_cheap(callee->getIntrinsicID()))) {
        return false;
      }
    }
  }
  return true;
}

/// The usual case of several, or an operation or two of floats, between which and those of other
/// instructions LLVM may look for what they have in common.
bool is_simple(const llvm::Function& function, bool has_cases) {
  constexpr unsigned kMost = 3;
  unsigned operations = 0;
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    const bool is_cast = llvm::isa<llvm::BitCastInst>(instruction);
    operations += instruction.getType()->isFPOrFPVectorTy() && !is_cast ? 1 : 0;
    // A conversion there and back is nothing to LLVM, but makes what is no number quiet.
    if (llvm::isa<llvm::FCmpInst>(instruction) || llvm::isa<llvm::SelectInst>(instruction) ||
        llvm::isa<llvm::FPExtInst>(instruction) || llvm::isa<llvm::FPTruncInst>(instruction)) {
      return false;
    }
  }
  return function.size() == 1 && (operations > 0 || has_cases) && operations <= kMost;
}

/// The mark of is_exact(): a flag that lets LLVM do nothing to these operations. Whether there are
/// any.
bool mark_exact(llvm::Function& function) {
  bool has_any = false;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (llvm::isa<llvm::FPMathOperator>(instruction)) {
      instruction.setHasApproxFunc(true);
      has_any = true;
    }
  }
  return has_any;
}

/// Whether the code only loads from what the argument points to: its address is nowhere.
bool is_only_loaded(const llvm::Value& pointer) {
  for (const llvm::User* user : pointer.users()) {
    if (const auto* const element = llvm::dyn_cast<llvm::GetElementPtrInst>(user)) {
      if (!is_only_loaded(*element)) {
        return false;
      }
    } else if (!llvm::isa<llvm::LoadInst>(user)) {
      return false;
    }
  }
  return true;
}

bool can_be_inlined(const llvm::Function& function) {
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    const auto* const call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (call != nullptr && !llvm::isa<llvm::IntrinsicInst>(call)) {
      return false;
    }
  }
  return !has_loop(function) && is_only_loaded(*function.getArg(1));
}

/// The function that a field of a constant structure points to; null if none.
llvm::Function* function_at(const llvm::DataLayout& layout, llvm::Constant& structure,
                            std::size_t offset) {
  auto* const type = llvm::cast<llvm::StructType>(structure.getType());
  const unsigned index = layout.getStructLayout(type)->getElementContainingOffset(offset);
  return llvm::dyn_cast<llvm::Function>(structure.getAggregateElement(index));
}

/// The text of a constant std::string_view.
llvm::StringRef text_of(const llvm::Constant& view) {
  const auto* const size = llvm::dyn_cast<llvm::ConstantInt>(view.getAggregateElement(0U));
  const auto* const text =
      llvm::dyn_cast<llvm::GlobalVariable>(view.getAggregateElement(1U)->stripPointerCasts());
  const auto* const data = text == nullptr || !text->hasInitializer()
                               ? nullptr
                               : llvm::dyn_cast<llvm::ConstantDataArray>(text->getInitializer());
  return size == nullptr || data == nullptr
             ? llvm::StringRef()
             : data->getRawDataValues().take_front(size->getZExtValue());
}

} // namespace

std::unique_ptr<Meanings> Meanings::read(llvm::LLVMContext& context, std::string& error) {
  const llvm::StringRef bytes(gantry_amdgcn_meanings,
                              gantry_amdgcn_meanings_end - gantry_amdgcn_meanings);
  auto module = llvm::parseBitcodeFile(llvm::MemoryBufferRef(bytes, "meanings"), context);
  if (!module) {
    error = "internal error: " + llvm::toString(module.takeError());
    return nullptr;
  }
  return std::unique_ptr<Meanings>(new Meanings(std::move(*module)));
}

Meanings::Meanings(std::unique_ptr<llvm::Module> module) : module_(std::move(module)) {
  for (llvm::Function& function : *module_) {
    // What they are compiled for here is what the code is, and all of it is inlined.
    function.removeFnAttr("target-cpu");
    function.removeFnAttr("target-features");
    function.removeFnAttr("tune-cpu");
    function.removeFnAttr(llvm::Attribute::NoInline);
    if (!function.isDeclaration()) {
      function.setComdat(nullptr);
      function.setLinkage(llvm::GlobalValue::InternalLinkage);
    }
  }
  for (const llvm::GlobalVariable& variable : module_->globals()) {
    if (variable.getName().contains("kMeanings") && variable.hasInitializer()) {
      read_table(variable);
    }
  }
}

void Meanings::read_table(const llvm::GlobalVariable& table) {
  const llvm::DataLayout& layout = module_->getDataLayout();
  const llvm::Constant& entries = *table.getInitializer();
  const auto count = llvm::cast<llvm::ArrayType>(entries.getType())->getNumElements();
  for (unsigned i = 0; i < count; ++i) {
    const llvm::Constant& entry = *entries.getAggregateElement(i);
    llvm::Constant& meaning = *entry.getAggregateElement(1U);
    Entry made;
    made.run = function_at(layout, meaning, offsetof(Meaning, run));
    made.lane = function_at(layout, meaning, offsetof(Meaning, lane));
    made.is_taken = function_at(layout, meaning, offsetof(Meaning, is_taken));
    entries_[text_of(*entry.getAggregateElement(0U))] = made;
  }
}

Meanings::Entry* Meanings::find(std::string_view mnemonic) {
  const auto found = entries_.find(mnemonic);
  if (found == entries_.end()) {
    return nullptr;
  }
  Entry& entry = found->second;
  if (entry.is_known) {
    return &entry;
  }
  entry.is_known = true;
  if (entry.run != nullptr) {
    inline_calls(*entry.run);
    entry.is_inlinable = can_be_inlined(*entry.run);
  }
  if (entry.is_taken != nullptr) {
    inline_calls(*entry.is_taken);
  }
  if (entry.lane != nullptr) {
    inline_calls(*entry.lane);
    if (can_be_vectors(*entry.lane)) {
      llvm::ValueToValueMapTy values;
      entry.of_lane.exact = entry.lane;
      entry.of_lane.numeric = llvm::CloneFunction(entry.lane, values);
      use_host_operations(*entry.of_lane.numeric);
      entry.of_lane.has_cases = leave_out_unusual_cases(*entry.of_lane.numeric);
      if (!is_simple(*entry.of_lane.numeric, entry.of_lane.has_cases)) {
        entry.of_lane.numeric = entry.of_lane.exact;
      }
      inline_primitives(*entry.of_lane.exact);
      keep_unusual_cases(*entry.of_lane.exact);
      entry.of_lane.has_floats = mark_exact(*entry.of_lane.exact);
    }
  }
  return &entry;
}

bool is_exact(const llvm::Instruction& operation) {
  return llvm::isa<llvm::FPMathOperator>(operation) && operation.hasApproxFunc();
}

const LaneFunction* Meanings::lane(std::string_view mnemonic) {
  const Entry* const entry = find(mnemonic);
  return entry == nullptr || entry->of_lane.exact == nullptr ? nullptr : &entry->of_lane;
}
llvm::Function* Meanings::run(std::string_view mnemonic) {
  const Entry* const entry = find(mnemonic);
  return entry == nullptr || !entry->is_inlinable ? nullptr : entry->run;
}
llvm::Function* Meanings::is_taken(std::string_view mnemonic) {
  const Entry* const entry = find(mnemonic);
  return entry == nullptr ? nullptr : entry->is_taken;
}

} // namespace gantry::simt::amdgcn::lower
