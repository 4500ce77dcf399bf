#include "pass/library.h"

#include <llvm/IR/Module.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Transforms/IPO/Internalize.h>

namespace gantry::pass {

llvm::Error link_library(llvm::Module& module, const std::string& path) {
  llvm::SMDiagnostic problem;
  std::unique_ptr<llvm::Module> library =
      llvm::getLazyIRFileModule(path, problem, module.getContext());
  if (library == nullptr) {
    return llvm::createStringError("'" + path +
                                   "' cannot be read as bitcode: " + problem.getMessage());
  }
  library->setDataLayout(module.getDataLayout());
  library->setTargetTriple(module.getTargetTriple());
  const bool failed = llvm::Linker::linkModules(
      module, std::move(library), llvm::Linker::LinkOnlyNeeded,
      [](llvm::Module& linked, const llvm::StringSet<>& symbols) {
        llvm::internalizeModule(linked, [&](const llvm::GlobalValue& value) {
          return !symbols.contains(value.getName()) || value.hasProtectedVisibility();
        });
      });
  if (failed) {
    return llvm::createStringError("'" + path + "' cannot be linked into the device code");
  }
  return llvm::Error::success();
}

} // namespace gantry::pass
