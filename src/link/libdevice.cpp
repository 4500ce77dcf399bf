#include "link/libdevice.h"

#include "pass/library.h"

#include <charconv>

#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

namespace gantry::link {
namespace {

/// The text that a pointer to a constant points to.
llvm::StringRef text_at(const llvm::Value* pointer) {
  const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(pointer->stripPointerCasts());
  const auto* text = variable != nullptr && variable->hasInitializer()
                         ? llvm::dyn_cast<llvm::ConstantDataArray>(variable->getInitializer())
                         : nullptr;
  return text != nullptr && text->isCString() ? text->getAsCString() : "";
}

std::uint64_t answer_to(llvm::StringRef question, const std::string& arch) {
  unsigned number = 0;
  if (question == "__CUDA_ARCH") {
    std::from_chars(arch.data() + arch.find('_') + 1, arch.data() + arch.size(), number);
  }
  return std::uint64_t{number} * 10; // and no to __CUDA_FTZ
}

} // namespace

Status link_libdevice(llvm::Module& module, const std::filesystem::path& path,
                      const std::string& arch) {
  if (llvm::Error error = pass::link_library(module, path.string())) {
    return fail("{} (--libdevice names CUDA's nvvm/libdevice/libdevice.10.bc)",
                llvm::toString(std::move(error)));
  }
  llvm::Function* const reflect = module.getFunction("__nvvm_reflect");
  if (reflect == nullptr) {
    return {};
  }
  for (llvm::User* user : llvm::make_early_inc_range(reflect->users())) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(user);
    if (call != nullptr && call->getCalledFunction() == reflect) {
      const std::uint64_t answer = answer_to(text_at(call->getArgOperand(0)), arch);
      call->replaceAllUsesWith(llvm::ConstantInt::get(call->getType(), answer));
      call->eraseFromParent();
    }
  }
  return {};
}

} // namespace gantry::link
