#include "pass/flang/constructs.h"

#include <llvm/ADT/StringSet.h>
#include <llvm/IR/Function.h>

namespace gantry::pass {
namespace {

bool is_loop_name(llvm::StringRef name) {
  return name.starts_with("__kmpc_") && name.contains("_static_loop_");
}

} // namespace

bool is_call_of(const llvm::Value* value, llvm::StringRef name) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(value);
  const llvm::Function* const callee = call == nullptr ? nullptr : call->getCalledFunction();
  return callee != nullptr && callee->getName() == name;
}

bool is_region(const llvm::Value* value) {
  return is_call_of(value, "__kmpc_parallel_60");
}

bool is_loop(const llvm::Value* value) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(value);
  const llvm::Function* const callee = call == nullptr ? nullptr : call->getCalledFunction();
  return callee != nullptr && is_loop_name(callee->getName());
}

llvm::Function* body_of(const llvm::CallInst& call) {
  constexpr unsigned kBodyOfLoop = 1;
  const unsigned position = is_region(&call) ? kBody : kBodyOfLoop;
  return position < call.arg_size()
             ? llvm::dyn_cast<llvm::Function>(call.getArgOperand(position)->stripPointerCasts())
             : nullptr;
}

bool is_of_runtime(const llvm::Function& function) {
  static const llvm::StringSet<> known = {
#define OMP_RTL(Enumerator, name, ...) name,
#include <llvm/Frontend/OpenMP/OMPKinds.def>
  };
  const llvm::StringRef name = function.getName();
  return function.isIntrinsic() || known.contains(name) || is_loop_name(name) ||
         name.starts_with("_FortranA");
}

} // namespace gantry::pass
