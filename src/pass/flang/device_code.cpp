#include "pass/flang/device_code.h"

#include "pass/library.h"
#include "pass/translation.h"

#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>

#include <dlfcn.h>

namespace gantry::pass {
namespace {

/// The bitcode library's place beside this plugin.
std::string regions_library() {
  Dl_info here;
  if (dladdr(reinterpret_cast<void*>(&regions_library), &here) == 0) {
    return {};
  }
  const std::string plugin(here.dli_fname);
  return plugin.substr(0, plugin.find_last_of('/') + 1) + "../gantry-device-flang.bc";
}

/// Removes the CPU that the library was compiled for from its functions, because it would keep them
/// from being inlined; the library serves every CPU.
void forget_cpu(llvm::Module& module) {
  for (llvm::Function& function : module) {
    if (function.getName().starts_with("__kmpc_") && !function.isDeclaration()) {
      for (const char* attribute : {"target-cpu", "target-features", "tune-cpu"}) {
        function.removeFnAttr(attribute);
      }
    }
  }
}

} // namespace

bool is_flangs_device_code(const llvm::Module& module) {
  // Clang's code has the same flag.
  if (!is_device_module(module)) {
    return false;
  }
  const llvm::NamedMDNode* const producers = module.getNamedMetadata("llvm.ident");
  if (producers == nullptr) {
    return false;
  }
  for (const llvm::MDNode* producer : producers->operands()) {
    const auto* text = producer->getNumOperands() == 0
                           ? nullptr
                           : llvm::dyn_cast<llvm::MDString>(producer->getOperand(0));
    if (text != nullptr && text->getString().contains("flang")) {
      return true;
    }
  }
  return false;
}

llvm::PreservedAnalyses FlangRegions::run(llvm::Module& module,
                                          llvm::ModuleAnalysisManager& /*analyses*/) {
  if (!is_flangs_device_code(module) || is_gpu_module(module)) {
    return llvm::PreservedAnalyses::all();
  }
  if (llvm::Error error = link_library(module, regions_library())) {
    module.getContext().emitError("gantry: " + llvm::toString(std::move(error)) +
                                  "; Gantry's installation is not complete");
    return llvm::PreservedAnalyses::all();
  }
  forget_cpu(module);
  return llvm::PreservedAnalyses::none();
}

llvm::PreservedAnalyses FlangPlaces::run(llvm::Module& module,
                                         llvm::ModuleAnalysisManager& /*analyses*/) {
  constexpr llvm::StringLiteral kBegin(";FIRModule;");
  const auto units = module.debug_compile_units();
  if (units.begin() == units.end()) {
    return llvm::PreservedAnalyses::all();
  }
  const llvm::StringRef file = (*units.begin())->getFilename();
  llvm::SmallVector<llvm::GlobalVariable*> places;
  for (llvm::GlobalVariable& variable : module.globals()) {
    const auto* text = variable.hasInitializer()
                           ? llvm::dyn_cast<llvm::ConstantDataArray>(variable.getInitializer())
                           : nullptr;
    if (text != nullptr && text->isCString() && variable.hasLocalLinkage() &&
        text->getAsCString().starts_with(kBegin)) {
      places.push_back(&variable);
    }
  }
  for (llvm::GlobalVariable* const place : places) {
    const auto* text = llvm::cast<llvm::ConstantDataArray>(place->getInitializer());
    auto* const named = llvm::ConstantDataArray::getString(
        module.getContext(),
        (";" + file + ";" + text->getAsCString().drop_front(kBegin.size())).str());
    auto* const replacement =
        new llvm::GlobalVariable(module, named->getType(), true, place->getLinkage(), named);
    replacement->takeName(place);
    replacement->setUnnamedAddr(place->getUnnamedAddr());
    place->replaceAllUsesWith(replacement);
    place->eraseFromParent();
  }
  return places.empty() ? llvm::PreservedAnalyses::all() : llvm::PreservedAnalyses::none();
}

bool write_flang_bitcode(llvm::Module& module, llvm::raw_pwrite_stream& output) {
  if (!is_flangs_device_code(module) || !is_gpu_module(module)) {
    return false;
  }
  llvm::WriteBitcodeToFile(module, output);
  return true;
}

} // namespace gantry::pass
