// LLVM modules that tests write as text.
#pragma once

#include <memory>
#include <string>

#include <gtest/gtest.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/SourceMgr.h>

namespace gantry::link {

/// The module; where the text is wrong the test fails, and it is empty.
inline std::unique_ptr<llvm::Module> module_of(const std::string& text,
                                               llvm::LLVMContext& context) {
  llvm::SMDiagnostic problem;
  std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(text, problem, context);
  if (module == nullptr) {
    ADD_FAILURE() << problem.getMessage().str() << "\n" << text;
    module = std::make_unique<llvm::Module>("empty", context);
  }
  return module;
}

} // namespace gantry::link
