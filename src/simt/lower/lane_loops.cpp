#include "simt/lower/lane_loops.h"

#include "simt/lower/divergence.h"
#include "simt/lower/operations.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Support/CheckedArithmetic.h>
#include <llvm/Transforms/Utils/Cloning.h>

namespace gantry::simt::lower {

namespace {

/// What one iteration of a loop consists of, for all lanes together.
struct Work {
  unsigned streamed = 0;    ///< accesses of lanes to places of their own, each of which goes on
  unsigned scattered = 0;   ///< to places of their own, anywhere in each iteration
  unsigned updates = 0;     ///< atomic operations, which a warp does lane by lane in any case
  unsigned consecutive = 0; ///< accesses of lanes side by side
  unsigned others = 0;      ///< instructions on vectors
};

/// The loops of a function, and what their variables do.
struct FunctionLoops {
  llvm::DominatorTree dominators;
  llvm::LoopInfo loops;
  llvm::AssumptionCache assumptions;
  llvm::TargetLibraryInfoImpl library_names;
  llvm::TargetLibraryInfo library;
  llvm::ScalarEvolution evolution;

  explicit FunctionLoops(llvm::Function& function)
      : dominators(function), loops(dominators), assumptions(function),
        library_names(function.getParent()->getTargetTriple()), library(library_names),
        evolution(function, library, assumptions, dominators, loops) {}
};

llvm::SmallSetVector<llvm::Value*, 16> inputs_of(const llvm::Loop& loop) {
  llvm::SmallSetVector<llvm::Value*, 16> inputs;
  const auto add = [&](llvm::Value* value) {
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
    if (llvm::isa<llvm::Argument>(value) ||
        (instruction != nullptr && !loop.contains(instruction))) {
      inputs.insert(value);
    }
  };
  for (const llvm::BasicBlock* block : loop.blocks()) {
    for (const llvm::Instruction& instruction : *block) {
      for (llvm::Value* operand : instruction.operands()) {
        add(operand);
      }
    }
  }
  for (const llvm::PHINode& phi : loop.getUniqueExitBlock()->phis()) {
    for (llvm::Value* value : phi.incoming_values()) {
      add(value);
    }
  }
  return inputs;
}

/// Whether 32 of the type lie in memory as an array as they do as a vector.
bool has_places(const llvm::Type& type, const llvm::DataLayout& layout) {
  auto* const element = const_cast<llvm::Type*>(&type);
  return type.isIntegerTy(1) || // has a byte there
         (llvm::VectorType::isValidElementType(element) &&
          layout.getTypeSizeInBits(element) == layout.getTypeAllocSizeInBits(element));
}

class Candidate {
public:
  Candidate(const llvm::Loop& loop, FunctionLoops& function, const DivergenceAnalysis& analysis,
            bool local_addresses)
      : loop_(loop), function_(function), analysis_(analysis), local_addresses_(local_addresses) {}

  [[nodiscard]] bool is_quicker_by_lane() const {
    if (loop_.getLoopPreheader() == nullptr || loop_.getUniqueExitBlock() == nullptr ||
        !lanes_leave_apart() || !is_self_contained() || !passes_plain_values() ||
        chases_pointers()) {
      return false;
    }
    // Measured: a gather of 32 with its check costs as much as a dozen instructions on vectors.
    constexpr unsigned kOthersToAnAccess = 12;
    const Work work = work_of_iteration();
    // Where 32 accesses to anywhere are made at once, they wait for memory together.
    return work.consecutive == 0 && work.streamed >= work.scattered &&
           work.others <= kOthersToAnAccess * (work.streamed + work.scattered + work.updates);
  }

private:
  [[nodiscard]] bool lanes_leave_apart() const {
    llvm::SmallVector<llvm::BasicBlock*> exiting;
    loop_.getExitingBlocks(exiting);
    return llvm::any_of(exiting, [&](const llvm::BasicBlock* block) {
      const auto* branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
      return branch != nullptr && !analysis_.shape(branch->getCondition()).is_uniform();
    });
  }

  template <typename Function>
  bool all_of(Function function) const {
    for (const llvm::BasicBlock* block : loop_.blocks()) {
      if (!llvm::all_of(*block, function)) {
        return false;
      }
    }
    return true;
  }

  /// Nothing concerns another lane or another thread, or waits for one.
  [[nodiscard]] bool is_self_contained() const {
    const llvm::BasicBlock* const exit = loop_.getUniqueExitBlock();
    return all_of([&](const llvm::Instruction& instruction) {
      const bool leaks = llvm::any_of(instruction.users(), [&](const llvm::User* user) {
        const auto* at = llvm::cast<llvm::Instruction>(user);
        return !loop_.contains(at) && !(llvm::isa<llvm::PHINode>(at) && at->getParent() == exit);
      });
      return !leaks && concerns_one_lane(instruction);
    });
  }

  /// Whether what comes in and goes out is of types that can be passed from lane to lane.
  [[nodiscard]] bool passes_plain_values() const {
    const llvm::DataLayout& layout = loop_.getHeader()->getDataLayout();
    return llvm::all_of(
               inputs_of(loop_),
               [&](const llvm::Value* input) { return has_places(*input->getType(), layout); }) &&
           llvm::all_of(loop_.getUniqueExitBlock()->phis(), [&](const llvm::PHINode& phi) {
             return has_places(*phi.getType(), layout);
           });
  }

  [[nodiscard]] bool concerns_one_lane(const llvm::Instruction& instruction) const {
    if (llvm::isa<llvm::AllocaInst, llvm::FenceInst, llvm::AtomicCmpXchgInst>(instruction)) {
      return false;
    }
    if (instruction.isTerminator()) {
      return llvm::isa<llvm::BranchInst>(instruction);
    }
    if (const llvm::Value* pointer = pointer_of(instruction)) {
      const unsigned space = pointer->getType()->getPointerAddressSpace();
      // Loads and stores that are atomic or volatile are signals; so is the result of an update.
      const bool is_quiet = llvm::isa<llvm::AtomicRMWInst>(instruction)
                                ? instruction.use_empty()
                                : !instruction.isAtomic() && !instruction.isVolatile();
      return is_quiet && space != kLocal && !(space == kGeneric && local_addresses_);
    }
    const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    if (call == nullptr) {
      return true;
    }
    if (llvm::isa<llvm::IntrinsicInst>(call)) {
      return !call->mayReadOrWriteMemory() && !call->mayHaveSideEffects();
    }
    const std::optional<LaneOperation> operation = operation_of(instruction);
    return operation &&
           (*operation == LaneOperation::kVariable || *operation == LaneOperation::kParameters ||
            *operation == LaneOperation::kFunction || *operation == LaneOperation::kSharedBase ||
            (*operation == LaneOperation::kSpecial && analysis_.shape(call).is_uniform()));
  }

  [[nodiscard]] static const llvm::Value* pointer_of(const llvm::Instruction& instruction) {
    if (const auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
      return update->getPointerOperand();
    }
    return llvm::getLoadStorePointerOperand(&instruction);
  }

  /// Whether the way on, or the place of an access, depends on what an earlier iteration has read:
  /// for 32 lanes at once the memory answers sooner.
  [[nodiscard]] bool chases_pointers() const {
    llvm::SmallPtrSet<const llvm::Value*, 16> carried;
    llvm::SmallVector<const llvm::Value*> left;
    for (const llvm::Loop* loop : loop_.getLoopsInPreorder()) {
      for (const llvm::PHINode& phi : loop->getHeader()->phis()) {
        if (comes_from_memory(phi, *loop)) {
          left.push_back(&phi);
        }
      }
    }
    while (!left.empty()) {
      const llvm::Value* const value = left.pop_back_val();
      if (!carried.insert(value).second) {
        continue;
      }
      for (const llvm::User* user : value->users()) {
        const auto* at = llvm::cast<llvm::Instruction>(user);
        if (loop_.contains(at)) {
          left.push_back(at);
        }
      }
    }
    return !all_of([&](const llvm::Instruction& instruction) {
      const llvm::Value* const pointer = pointer_of(instruction);
      const auto* branch = llvm::dyn_cast<llvm::BranchInst>(&instruction);
      return !(pointer != nullptr && carried.contains(pointer)) &&
             !(branch != nullptr && carried.contains(branch));
    });
  }

  /// Whether the value is made of something that an iteration of the loop has read.
  [[nodiscard]] static bool comes_from_memory(const llvm::Value& value, const llvm::Loop& loop) {
    llvm::SmallPtrSet<const llvm::Value*, 16> seen;
    llvm::SmallVector<const llvm::Value*> left = {&value};
    while (!left.empty()) {
      const auto* at = llvm::dyn_cast<llvm::Instruction>(left.pop_back_val());
      if (at == nullptr || !loop.contains(at) || !seen.insert(at).second) {
        continue;
      }
      if (llvm::isa<llvm::LoadInst>(at)) {
        return true;
      }
      left.append(at->op_begin(), at->op_end());
    }
    return false;
  }

  [[nodiscard]] Work work_of_iteration() const {
    constexpr unsigned kPassesOfInnerLoops = 8;
    Work work;
    for (const llvm::BasicBlock* block : loop_.blocks()) {
      unsigned passes = 1;
      for (const llvm::Loop* inner = function_.loops.getLoopFor(block); inner != &loop_;
           inner = inner->getParentLoop()) {
        passes *= kPassesOfInnerLoops;
      }
      for (const llvm::Instruction& instruction : *block) {
        if (const llvm::Value* pointer = pointer_of(instruction)) {
          add_access(work, instruction, pointer, passes);
        } else if (!instruction.isTerminator() && !llvm::isa<llvm::PHINode>(instruction) &&
                   analysis_.shape(&instruction).is_varying()) {
          work.others += passes;
        }
      }
    }
    return work;
  }

  void add_access(Work& work, const llvm::Instruction& instruction, const llvm::Value* address,
                  unsigned passes) const {
    const Shape pointer = analysis_.shape(address);
    const llvm::Type* const type = llvm::isa<llvm::LoadInst>(instruction)
                                       ? instruction.getType()
                                       : instruction.getOperand(0)->getType();
    const auto size = static_cast<std::int64_t>(
        instruction.getDataLayout().getTypeStoreSize(const_cast<llvm::Type*>(type)));
    if (llvm::isa<llvm::AtomicRMWInst>(instruction)) {
      work.updates += passes;
    } else if (loop_.isLoopInvariant(number_of(address))) {
      // Of a place that stays, all but the first access is in the cache.
    } else if (pointer.is_affine() && pointer.stride == size) {
      work.consecutive += passes;
    } else if (!pointer.is_uniform() && (pointer.is_varying() || pointer.stride != 0)) {
      (goes_on(address, *instruction.getParent()) ? work.streamed : work.scattered) += passes;
    }
  }

  /// The number that the address is, but for a constant: in the one-lane form
  /// addresses are made of numbers.
  [[nodiscard]] static const llvm::Value* number_of(const llvm::Value* address) {
    for (;;) {
      const auto* const element = llvm::dyn_cast<llvm::GetElementPtrInst>(address);
      if (element == nullptr || !element->hasAllConstantIndices()) {
        break;
      }
      address = element->getPointerOperand();
    }
    const auto* const cast = llvm::dyn_cast<llvm::IntToPtrInst>(address);
    return cast == nullptr ? address : cast->getOperand(0);
  }

  /// Whether the address, in the innermost loop around the block, moves within a line of the cache
  /// from one iteration to the next.
  [[nodiscard]] bool goes_on(const llvm::Value* address, const llvm::BasicBlock& block) const {
    constexpr std::uint64_t kLine = 64;
    constexpr unsigned kDepth = 8;
    const std::optional<std::int64_t> step =
        step_of(function_.evolution.getSCEV(const_cast<llvm::Value*>(number_of(address))),
                *function_.loops.getLoopFor(&block), kDepth);
    return step && llvm::AbsoluteValue(*step) <= kLine;
  }

  /// How far the number moves in an iteration of the loop; nothing if that differs, or cannot be
  /// seen `depth` operations away. Taken to wrap around nowhere, which for indices of 32 bits
  /// cannot be known.
  [[nodiscard]] std::optional<std::int64_t> step_of(const llvm::SCEV* number,
                                                    const llvm::Loop& loop, unsigned depth) const {
    if (function_.evolution.isLoopInvariant(number, &loop)) {
      return 0;
    }
    if (depth-- == 0) {
      return std::nullopt;
    }
    if (const auto* cast = llvm::dyn_cast<llvm::SCEVCastExpr>(number)) {
      return step_of(cast->getOperand(0), loop, depth);
    }
    if (const auto* steps = llvm::dyn_cast<llvm::SCEVAddRecExpr>(number)) {
      return steps->getLoop() == &loop ? small(steps->getStepRecurrence(function_.evolution))
                                       : std::nullopt;
    }
    if (const auto* product = llvm::dyn_cast<llvm::SCEVMulExpr>(number)) {
      const auto factor = small(product->getOperand(0));
      const auto step = factor && product->getNumOperands() == 2
                            ? step_of(product->getOperand(1), loop, depth)
                            : std::nullopt;
      return step ? llvm::checkedMul(*factor, *step) : std::nullopt;
    }
    if (const auto* sum = llvm::dyn_cast<llvm::SCEVAddExpr>(number)) {
      std::optional<std::int64_t> all = 0;
      for (const llvm::SCEV* part : sum->operands()) {
        const auto step = all ? step_of(part, loop, depth) : std::nullopt;
        all = step ? llvm::checkedAdd(*all, *step) : std::nullopt;
      }
      return all;
    }
    return std::nullopt;
  }

  /// The constant, if it is one and has 64 bits.
  [[nodiscard]] static std::optional<std::int64_t> small(const llvm::SCEV* number) {
    const auto* const constant = llvm::dyn_cast<llvm::SCEVConstant>(number);
    return constant == nullptr ? std::nullopt : constant->getAPInt().trySExtValue();
  }

  const llvm::Loop& loop_;
  FunctionLoops& function_;
  const DivergenceAnalysis& analysis_;
  const bool local_addresses_;
};

/// Outermost candidates first: what is inside of one moves with it.
void find_candidates(llvm::ArrayRef<llvm::Loop*> loops, FunctionLoops& function,
                     const DivergenceAnalysis& analysis, bool local_addresses,
                     std::vector<const llvm::Loop*>& found) {
  for (const llvm::Loop* loop : loops) {
    if (Candidate(*loop, function, analysis, local_addresses).is_quicker_by_lane()) {
      found.push_back(loop);
    } else {
      find_candidates(loop->getSubLoops(), function, analysis, local_addresses, found);
    }
  }
}

llvm::Function* function_of(const llvm::Loop& loop, llvm::ArrayRef<llvm::Value*> inputs) {
  llvm::BasicBlock* const exit = loop.getUniqueExitBlock();
  llvm::LLVMContext& context = exit->getContext();
  llvm::SmallVector<llvm::Type*> results;
  for (const llvm::PHINode& phi : exit->phis()) {
    results.push_back(phi.getType());
  }
  llvm::SmallVector<llvm::Type*> arguments;
  for (const llvm::Value* input : inputs) {
    arguments.push_back(input->getType());
  }
  auto* const result = llvm::StructType::get(context, results);
  auto* const function =
      llvm::Function::Create(llvm::FunctionType::get(result, arguments, false),
                             llvm::Function::InternalLinkage, "lane_loop", *exit->getModule());
  auto* const entry = llvm::BasicBlock::Create(context, "entry", function);
  llvm::ValueToValueMapTy map;
  for (unsigned i = 0; i < inputs.size(); ++i) {
    map[inputs[i]] = function->getArg(i);
  }
  map[loop.getLoopPreheader()] = entry;
  for (const llvm::BasicBlock* block : loop.blocks()) {
    map[block] = llvm::CloneBasicBlock(block, map, "", function);
  }
  auto* const end = llvm::BasicBlock::Create(context, "end", function);
  map[exit] = end;
  llvm::IRBuilder<> builder(end);
  llvm::Value* all = llvm::PoisonValue::get(result);
  llvm::SmallVector<llvm::Value*> values;
  for (llvm::PHINode& phi : exit->phis()) {
    values.push_back(builder.Insert(phi.clone()));
  }
  for (unsigned i = 0; i < values.size(); ++i) {
    all = builder.CreateInsertValue(all, values[i], i);
  }
  builder.CreateRet(all);
  for (llvm::BasicBlock& block : *function) {
    for (llvm::Instruction& instruction : block) {
      llvm::RemapInstruction(&instruction, map,
                             llvm::RF_NoModuleLevelChanges | llvm::RF_IgnoreMissingLocals);
    }
  }
  builder.SetInsertPoint(entry);
  builder.CreateBr(llvm::cast<llvm::BasicBlock>(map[loop.getHeader()]));
  return function;
}

llvm::Function* outline(const llvm::Loop& loop) {
  const auto inputs = inputs_of(loop);
  llvm::Function* const function = function_of(loop, inputs.getArrayRef());
  llvm::BasicBlock* const exit = loop.getUniqueExitBlock();
  llvm::Instruction* const branch = loop.getLoopPreheader()->getTerminator();
  llvm::IRBuilder<> builder(branch);
  llvm::Value* const results = builder.CreateCall(function, inputs.getArrayRef());
  unsigned number = 0;
  for (llvm::PHINode& phi : llvm::make_early_inc_range(exit->phis())) {
    phi.replaceAllUsesWith(builder.CreateExtractValue(results, number++));
    phi.eraseFromParent();
  }
  branch->replaceSuccessorWith(loop.getHeader(), exit);
  for (llvm::BasicBlock* block : loop.blocks()) {
    block->dropAllReferences();
  }
  for (llvm::BasicBlock* block : loop.blocks()) {
    block->eraseFromParent();
  }
  return function;
}

} // namespace

std::vector<llvm::Function*> outline_lane_loops(llvm::Function& function, exec::Geometry geometry,
                                                bool local_addresses) {
  FunctionLoops loops(function);
  if (loops.loops.empty()) {
    return {};
  }
  const DivergenceAnalysis analysis(function, geometry, local_addresses);
  std::vector<const llvm::Loop*> candidates;
  find_candidates(loops.loops.getTopLevelLoops(), loops, analysis, local_addresses, candidates);
  std::vector<llvm::Function*> made;
  for (const llvm::Loop* loop : candidates) {
    made.push_back(outline(*loop));
  }
  return made;
}

const llvm::Function* called_lane_loop(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  const llvm::Function* const callee = call == nullptr ? nullptr : call->getCalledFunction();
  return callee != nullptr && callee->hasInternalLinkage() ? callee : nullptr;
}

} // namespace gantry::simt::lower
