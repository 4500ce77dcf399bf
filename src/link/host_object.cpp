#include "link/host_object.h"

#include <memory>

#include <llvm/ADT/SmallString.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Target/TargetOptions.h>

namespace gantry::link {

Result<std::string> compile_for_host(llvm::Module& module) {
  std::string reason;
  const llvm::Triple& triple = module.getTargetTriple();
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, reason);
  if (target == nullptr) {
    return fail("cannot make code for the host '{}': {}", triple.str(), reason);
  }
  llvm::TargetOptions options;
  options.UseInitArray = true; // .ctors is for toolchains that are gone; lld ignores it
  const std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      triple, "", "", options, llvm::Reloc::PIC_, std::nullopt, llvm::CodeGenOptLevel::None));
  module.setDataLayout(machine->createDataLayout());
  module.setPICLevel(llvm::PICLevel::BigPIC);

  llvm::SmallString<0> object;
  llvm::raw_svector_ostream stream(object);
  llvm::legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::ObjectFile)) {
    return fail("LLVM cannot write objects for the host '{}'", triple.str());
  }
  passes.run(module);
  return std::string(object.str());
}

} // namespace gantry::link
