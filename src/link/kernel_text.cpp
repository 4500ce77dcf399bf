// The module is cut down to the function and what it reaches, and printed: numbers of unnamed
// values, attribute groups and metadata count from zero in every module, so they are the same where
// the code is.

#include "link/kernel_text.h"

#include "link/bitcode.h"

#include <vector>

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/Error.h>
#include <llvm/Support/MemoryBufferRef.h>
#include <llvm/Support/raw_ostream.h>

namespace gantry::link {
namespace {

/// The local functions and variables that a function reaches, through constants and each other.
class Reached {
public:
  explicit Reached(const llvm::Function& function) {
    keep_.insert(&function);
    add_function(function);
    while (!pending_.empty()) {
      const llvm::Value* value = pending_.back();
      pending_.pop_back();
      visit(*value);
    }
  }

  [[nodiscard]] bool contains(const llvm::GlobalValue& value) const { return keep_.count(&value); }

private:
  void add_function(const llvm::Function& function) {
    for (const llvm::BasicBlock& block : function) {
      for (const llvm::Instruction& instruction : block) {
        llvm::append_range(pending_, instruction.operand_values());
      }
    }
  }

  void visit(const llvm::Value& value) {
    const auto* constant = llvm::dyn_cast<llvm::Constant>(&value);
    if (constant == nullptr || !visited_.insert(constant).second) {
      return;
    }
    const auto* global = llvm::dyn_cast<llvm::GlobalValue>(constant);
    if (global != nullptr && !global->hasLocalLinkage()) {
      return; // another object's or merged by its own name
    }
    if (global != nullptr) {
      keep_.insert(global);
    }
    llvm::append_range(pending_, constant->operand_values()); // a variable's is its initializer
    if (const auto* function = llvm::dyn_cast<llvm::Function>(constant)) {
      add_function(*function);
    }
  }

  llvm::SmallPtrSet<const llvm::GlobalValue*, 16> keep_;
  llvm::SmallPtrSet<const llvm::Constant*, 32> visited_;
  std::vector<const llvm::Value*> pending_;
};

/// Removes definitions that are not in `reached`, and names that other modules cannot see.
void cut_down(llvm::Module& module, const Reached& reached) {
  for (llvm::Function& function : module) {
    if (!reached.contains(function)) {
      function.deleteBody();
      function.setComdat(nullptr);
    }
  }
  for (llvm::GlobalVariable& variable : module.globals()) {
    if (!reached.contains(variable)) {
      variable.setInitializer(nullptr);
      variable.setLinkage(llvm::GlobalValue::ExternalLinkage);
      variable.setComdat(nullptr);
    }
  }
  for (llvm::NamedMDNode& node : llvm::make_early_inc_range(module.named_metadata())) {
    node.eraseFromParent();
  }
  for (llvm::GlobalValue& value : llvm::make_early_inc_range(module.global_values())) {
    value.removeDeadConstantUsers();
    if (!reached.contains(value) && value.use_empty()) {
      value.eraseFromParent();
    } else if (value.hasLocalLinkage()) {
      value.setName(""); // ".str.3" in one module is ".str.7" in another
    }
  }
  module.setModuleIdentifier("");
  module.setSourceFileName("");
}

} // namespace

Result<std::string> kernel_text(Bytes bitcode, std::string_view name) {
  llvm::LLVMContext context;
  const auto module = GANTRY_TRY(result_of_reading(llvm::parseBitcodeFile(
      llvm::MemoryBufferRef(llvm::StringRef(as_text(bitcode)), ""), context)));
  const llvm::Function* function = module->getFunction(llvm::StringRef(name));
  if (function == nullptr) {
    return fail("the bitcode's symbol table has '{}' and its code does not", name);
  }
  llvm::StripDebugInfo(*module);
  cut_down(*module, Reached(*function));
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream, nullptr);
  return text;
}

} // namespace gantry::link
