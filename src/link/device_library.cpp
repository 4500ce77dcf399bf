#include "link/device_library.h"

#include <llvm/IR/Module.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Transforms/IPO/Internalize.h>

namespace gantry::link {

Status link_device_library(llvm::Module& module, const std::filesystem::path& path) {
  llvm::SMDiagnostic problem;
  std::unique_ptr<llvm::Module> library =
      llvm::getLazyIRFileModule(path.string(), problem, module.getContext());
  if (library == nullptr) {
    return fail("'{}' cannot be read as bitcode: {}", path.string(), problem.getMessage().str());
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
    return fail("'{}' cannot be linked into the image", path.string());
  }
  return {};
}

} // namespace gantry::link
