#include "pass/flang/sharing.h"

#include "pass/flang/constructs.h"
#include "pass/flang/device_code.h"
#include "pass/flang/kernel.h"
#include "pass/flang/local_memory.h"
#include "pass/shared_variable.h"
#include "pass/translation.h"

#include <set>

#include <llvm/ADT/DenseMap.h>

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/Cloning.h>

namespace gantry::pass {
namespace {

/// Inlines the bodies of constructs that Flang outlines and calls in one place, also at -O0, so
/// that a kernel or a region's body can be analysed.
void inline_constructs(llvm::Module& module) {
  for (bool changed = true; changed;) {
    changed = false;
    for (llvm::Function& function : llvm::make_early_inc_range(module)) {
      if (!function.hasLocalLinkage() || !function.getName().contains("..omp_par")) {
        continue;
      }
      for (llvm::User* user : llvm::make_early_inc_range(function.users())) {
        auto* call = llvm::dyn_cast<llvm::CallInst>(user);
        if (call != nullptr && call->getCalledFunction() == &function) {
          llvm::InlineFunctionInfo information;
          changed |= llvm::InlineFunction(*call, information).isSuccess();
        }
      }
      if (function.use_empty()) {
        function.eraseFromParent();
      }
    }
  }
}

/// The function that waiting threads call: it loads the variables from the list of their team.
llvm::Function* make_waiting(llvm::Function& body) {
  llvm::Module& module = *body.getParent();
  llvm::IRBuilder<> builder(module.getContext());
  auto* pointer = builder.getPtrTy();
  auto* number = builder.getInt32Ty();
  auto* made = llvm::Function::Create(
      llvm::FunctionType::get(builder.getVoidTy(), {builder.getInt16Ty(), number}, false),
      llvm::GlobalValue::InternalLinkage, body.getName() + "_wrapper", module);
  builder.SetInsertPoint(llvm::BasicBlock::Create(module.getContext(), "", made));
  const auto variable = [&](llvm::Type* type) { return builder.CreateAlloca(type, 0U, nullptr); };
  llvm::Value* list = variable(pointer);
  llvm::Value* thread = variable(number);
  llvm::Value* zero = variable(number);
  builder.CreateStore(made->getArg(1), thread);
  builder.CreateStore(builder.getInt32(0), zero);
  builder.CreateCall(
      module.getOrInsertFunction("__kmpc_get_shared_variables", builder.getVoidTy(), pointer),
      list);
  llvm::Value* const variables = builder.CreateLoad(pointer, list);
  llvm::SmallVector<llvm::Value*> arguments = {thread, zero};
  for (unsigned i = kOwnParameters; i < body.arg_size(); ++i) {
    arguments.push_back(builder.CreateLoad(
        pointer, builder.CreateConstGEP1_64(pointer, variables, i - kOwnParameters)));
  }
  builder.CreateCall(&body, arguments);
  builder.CreateRetVoid();
  return made;
}

/// The functions of the program in which, or in what they call, a region may begin.
class RegionBeginners {
public:
  explicit RegionBeginners(llvm::Module& module) {
    for (bool changed = true; changed;) {
      changed = false;
      for (const llvm::Function& function : module) {
        changed |=
            !contains(function) && calls_one(function) && functions_.insert(&function).second;
      }
    }
  }

  [[nodiscard]] bool contains(const llvm::Function& function) const {
    return (function.isDeclaration() && !is_of_runtime(function)) || functions_.contains(&function);
  }

private:
  [[nodiscard]] bool calls_one(const llvm::Function& function) const {
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
      if (call != nullptr && !call->isInlineAsm() &&
          (is_region(call) || call->getCalledFunction() == nullptr ||
           contains(*call->getCalledFunction()) ||
           (is_loop(call) && body_of(*call) != nullptr && contains(*body_of(*call))))) {
        return true;
      }
    }
    return false;
  }

  llvm::SmallPtrSet<const llvm::Function*, 16> functions_;
};

/// Whether another thread may get an address, through a region or a function in which one may
/// begin. A region's list is copied when the region begins, and only the thread itself reads a
/// loop's structure, so what is stored in these counts.
bool may_be_shared(llvm::Value& address, const RegionBeginners& beginners, bool is_stored,
                   std::set<std::pair<llvm::Value*, bool>>& seen) {
  if (!seen.emplace(&address, is_stored).second) {
    return false;
  }
  return llvm::any_of(address.users(), [&](llvm::User* user) {
    if (auto* store = llvm::dyn_cast<llvm::StoreInst>(user)) {
      if (store->getValueOperand() != &address) {
        return false;
      }
      auto* holder =
          llvm::dyn_cast<llvm::AllocaInst>(llvm::getUnderlyingObject(store->getPointerOperand()));
      return holder == nullptr || may_be_shared(*holder, beginners, true, seen);
    }
    if (auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(user)) {
      auto* to = llvm::dyn_cast<llvm::AllocaInst>(llvm::getUnderlyingObject(copy->getRawDest()));
      return is_stored && copy->getRawSource() == &address &&
             (to == nullptr || may_be_shared(*to, beginners, true, seen));
    }
    if (auto* call = llvm::dyn_cast<llvm::CallInst>(user)) {
      const llvm::Function* const callee = call->getCalledFunction();
      if (is_region(call) || is_loop(call)) {
        const llvm::Function* const body = body_of(*call);
        return is_stored && (is_region(call) || body == nullptr || beginners.contains(*body));
      }
      return callee == nullptr || beginners.contains(*callee) ||
             (is_stored && callee->getName().starts_with("_FortranA"));
    }
    if (llvm::isa<llvm::LoadInst>(user)) { // what is stored may be what is loaded
      return is_stored && may_be_shared(*user, beginners, false, seen);
    }
    if (llvm::isa<llvm::ICmpInst>(user)) {
      return false;
    }
    // Addresses in descriptors, and these as values, among them.
    return !llvm::isa<llvm::GetElementPtrInst, llvm::AddrSpaceCastInst, llvm::PHINode,
                      llvm::SelectInst, llvm::InsertValueInst, llvm::ExtractValueInst>(user) ||
           may_be_shared(*user, beginners, is_stored, seen);
  });
}

/// The bodies of regions and of loops in regions: regions that they begin have one thread.
llvm::SmallPtrSet<llvm::Function*, 16> inside_of_regions(llvm::ArrayRef<llvm::CallInst*> calls) {
  llvm::SmallPtrSet<llvm::Function*, 16> inside;
  for (bool changed = true; changed;) {
    changed = false;
    for (llvm::CallInst* call : calls) {
      const bool counts =
          is_region(call) || (is_loop(call) && inside.contains(call->getFunction()));
      llvm::Function* const body = counts ? body_of(*call) : nullptr;
      changed |= body != nullptr && inside.insert(body).second;
    }
  }
  return inside;
}

/// Removes Flang's attribute that a procedure does not capture an argument, because it ignores the
/// threads of a region inside, and the optimiser would move the variable back.
void forget_no_capture(llvm::Module& module, const RegionBeginners& beginners) {
#if LLVM_VERSION_MAJOR >= 21
  constexpr auto kAttribute = llvm::Attribute::Captures;
#else
  constexpr auto kAttribute = llvm::Attribute::NoCapture;
#endif
  for (llvm::Function& function : module) {
    if (beginners.contains(function)) {
      for (unsigned i = 0; i < function.arg_size(); ++i) {
        function.removeParamAttr(i, kAttribute);
      }
    }
  }
}

void share_variables(llvm::Function& function, const RegionBeginners& beginners,
                     llvm::function_ref<void(llvm::AllocaInst&)> share_one) {
  llvm::SmallVector<llvm::AllocaInst*> variables;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
    std::set<std::pair<llvm::Value*, bool>> seen;
    if (variable != nullptr && may_be_shared(*variable, beginners, false, seen)) {
      variables.push_back(variable);
    }
  }
  for (llvm::AllocaInst* variable : variables) {
    share_one(*variable);
  }
}

/// A kernel's variables are allocated where its main thread goes on; the code before that uses
/// them, which stores parameters, moves behind the allocation.
void share_variables(const Kernel& kernel, const RegionBeginners& beginners) {
  llvm::Function& function = kernel.function();
  llvm::SmallVector<llvm::Instruction*> ends;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (is_call_of(&instruction, "__kmpc_target_deinit")) {
      ends.push_back(&instruction);
    }
  }
  llvm::Instruction& begin = *kernel.code().getFirstInsertionPt();
  share_variables(function, beginners, [&](llvm::AllocaInst& variable) {
    llvm::SmallVector<llvm::Instruction*> early;
    for (llvm::User* user : variable.users()) {
      auto* instruction = llvm::cast<llvm::Instruction>(user);
      if (instruction->getParent() == &function.getEntryBlock()) {
        early.push_back(instruction);
      }
    }
    llvm::sort(early,
               [](const auto* first, const auto* second) { return first->comesBefore(second); });
    share(variable, begin, ends);
    for (llvm::Instruction* instruction : early) {
      instruction->moveBefore(*begin.getParent(), begin.getIterator());
    }
  });
}

/// Keeps LLVM's OpenMP optimisations from making the kernel SPMD, because all threads would then
/// write variables that are shared by now. A call that OpenMPOpt does not know, of a device runtime
/// function that does nothing, prevents it.
void keep_one_thread(const Kernel& kernel) {
  llvm::IRBuilder<> builder(&*kernel.code().getFirstInsertionPt());
  llvm::FunctionCallee callee = kernel.function().getParent()->getOrInsertFunction(
      "__gantry_one_thread", builder.getVoidTy());
  auto* function = llvm::cast<llvm::Function>(callee.getCallee());
  function->addFnAttr("llvm.assume", "omp_no_openmp"); // it begins no region
  builder.CreateCall(callee);
}

} // namespace

llvm::PreservedAnalyses FlangSharing::run(llvm::Module& module,
                                          llvm::ModuleAnalysisManager& /*analyses*/) {
  if (!is_flangs_device_code(module) || !is_gpu_module(module)) {
    return llvm::PreservedAnalyses::all();
  }
  inline_constructs(module);
  move_variables_to_generic(module);
  llvm::SmallVector<llvm::CallInst*> calls;
  for (llvm::Function& function : module) {
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      if (auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction)) {
        calls.push_back(call);
      }
    }
  }
  llvm::DenseMap<llvm::Function*, llvm::Function*> waiting; ///< by body
  llvm::DenseMap<llvm::Function*, Kernel> kernels;
  for (llvm::CallInst* call : calls) {
    llvm::Function* const body = is_region(call) ? body_of(*call) : nullptr;
    if (body != nullptr && llvm::isa<llvm::ConstantPointerNull>(call->getArgOperand(kWaiting))) {
      llvm::Function*& made = waiting[body];
      made = made == nullptr ? make_waiting(*body) : made;
      call->setArgOperand(kWaiting, made);
    } else if (is_call_of(call, "__kmpc_target_init")) {
      if (const auto kernel = Kernel::of(*call)) {
        kernels.insert({call->getFunction(), *kernel});
      }
    }
  }
  for (auto& [function, kernel] : kernels) {
    if (!kernel.all_run() || !may_all_run(*function)) {
      kernel.make_generic();
      keep_one_thread(kernel);
    } else if (reads_outside(*function)) {
      kernel.make_wait_for_regions();
    }
  }
  const RegionBeginners beginners(module);
  const auto inside = inside_of_regions(calls);
  for (llvm::Function& function : module) {
    if (function.isDeclaration() || inside.contains(&function) || !beginners.contains(function)) {
      continue;
    }
    const auto kernel = kernels.find(&function);
    if (kernel == kernels.end()) {
      const auto returns = returns_of(function);
      share_variables(function, beginners,
                      [&](llvm::AllocaInst& variable) { share(variable, variable, returns); });
    } else if (!kernel->second.all_run()) {
      share_variables(kernel->second, beginners);
    }
  }
  forget_no_capture(module, beginners);
  move_variables_back(module);
  return llvm::PreservedAnalyses::none();
}

} // namespace gantry::pass
