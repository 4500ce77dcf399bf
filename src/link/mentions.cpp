#include "link/mentions.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

namespace gantry::link {
namespace {

/// Functions in a constant's operands, and in theirs, as far as no other symbol is between.
void collect(const llvm::User& constant, std::vector<const llvm::Function*>& found) {
  std::vector<const llvm::User*> left = {&constant};
  while (!left.empty()) {
    const llvm::User* const user = left.back();
    left.pop_back();
    for (const llvm::Use& operand : user->operands()) {
      if (const auto* function = llvm::dyn_cast<llvm::Function>(operand.get())) {
        found.push_back(function);
      } else if (llvm::isa<llvm::Constant>(operand.get()) &&
                 !llvm::isa<llvm::GlobalValue>(operand.get())) {
        left.push_back(llvm::cast<llvm::User>(operand.get()));
      }
    }
  }
}

} // namespace

std::vector<Mention> mentioned_by(const llvm::Function& function) {
  std::vector<Mention> found;
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    const auto* const call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    const llvm::Function* const callee = call == nullptr ? nullptr : call->getCalledFunction();
    for (const llvm::Use& operand : instruction.operands()) {
      if (const auto* mentioned = llvm::dyn_cast<llvm::Function>(operand.get())) {
        const bool is_call = call != nullptr && call->isCallee(&operand);
        const bool is_argument = callee != nullptr && !is_call && call->isArgOperand(&operand);
        found.push_back({.function = mentioned,
                         .is_call = is_call,
                         .argument_of = is_argument ? std::string_view(callee->getName()) : "",
                         .place = is_argument ? call->getArgOperandNo(&operand) : 0});
      } else if (const auto* constant = llvm::dyn_cast<llvm::Constant>(operand.get());
                 constant != nullptr && !llvm::isa<llvm::GlobalValue>(constant)) {
        std::vector<const llvm::Function*> inside;
        collect(*constant, inside);
        for (const llvm::Function* each : inside) {
          found.push_back({.function = each, .is_call = false, .argument_of = ""});
        }
      }
    }
  }
  return found;
}

std::vector<const llvm::Function*> mentioned_in(const llvm::GlobalVariable& variable) {
  std::vector<const llvm::Function*> found;
  collect(variable, found);
  return found;
}

} // namespace gantry::link
