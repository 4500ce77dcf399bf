#include "pass/shared_arguments.h"

#include <llvm/IR/Module.h>

namespace gantry::pass {

llvm::PreservedAnalyses SharedArguments::run(llvm::Module& module,
                                             llvm::ModuleAnalysisManager& /*analyses*/) {
  bool changed = false;
  for (llvm::Function& function : module) {
    if (!function.getName().ends_with("_debug__")) {
      continue;
    }
    for (llvm::Argument& argument : function.args()) {
      changed |= argument.hasNoAliasAttr();
      argument.removeAttr(llvm::Attribute::NoAlias);
    }
  }
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

} // namespace gantry::pass
