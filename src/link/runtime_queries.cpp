#include "link/runtime_queries.h"

#include "link/kernel_environment.h"

#include <map>
#include <optional>
#include <vector>

#include <gantry/gpu_image.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

namespace gantry::link {
namespace {

constexpr const char* kModeQuery = "__gantry_kernel_mode";
constexpr const char* kStatesQuery = "__gantry_may_have_thread_states";
/// Makes a thread's state; nothing else does.
constexpr const char* kStateMaker = "__gantry_make_thread_state";

/// The functions that a function calls or takes the address of.
std::vector<llvm::Function*> mentioned_by(const llvm::Function& function) {
  std::vector<llvm::Function*> found;
  std::vector<const llvm::Constant*> constants;
  const auto look_at = [&](const llvm::Value* value) {
    if (auto* mentioned = llvm::dyn_cast<llvm::Function>(value)) {
      found.push_back(const_cast<llvm::Function*>(mentioned));
    } else if (const auto* constant = llvm::dyn_cast<llvm::ConstantExpr>(value)) {
      constants.push_back(constant);
    }
  };
  for (const llvm::BasicBlock& block : function) {
    for (const llvm::Instruction& instruction : block) {
      for (const llvm::Use& operand : instruction.operands()) {
        look_at(operand.get());
      }
    }
  }
  while (!constants.empty()) {
    const llvm::Constant* const constant = constants.back();
    constants.pop_back();
    for (const llvm::Use& operand : constant->operands()) {
      look_at(operand.get());
    }
  }
  return found;
}

/// The modes of the kernels that reach a function: one, or several.
struct Modes {
  bool reached = false;
  bool several = false;
  std::uint8_t mode = 0;

  /// True if that is new.
  bool add(const Modes& other) {
    const Modes before = *this;
    several = several || other.several || (reached && mode != other.mode);
    mode = reached ? mode : other.mode;
    reached = true;
    return !before.reached || before.several != several;
  }
};

using Reach = std::map<const llvm::Function*, Modes>;

Reach modes_that_reach(llvm::Module& module) {
  Reach reach;
  std::vector<llvm::Function*> changed;
  const auto reach_with = [&](llvm::Function* function, const Modes& modes) {
    if (!function->isDeclaration() && reach[function].add(modes)) {
      changed.push_back(function);
    }
  };
  for (llvm::Function& function : module) {
    if (const auto mode = kernel_mode(function)) {
      reach_with(&function, {.reached = true, .mode = *mode});
    } else if (!function.hasLocalLinkage()) {
      // A kernel without an environment, or something that a variable mentions.
      reach_with(&function, {.reached = true, .several = true});
    }
  }
  for (const llvm::GlobalVariable& variable : module.globals()) {
    // A function in a variable can be called from everywhere.
    std::vector<const llvm::User*> constants;
    if (variable.hasInitializer()) {
      constants.push_back(&variable);
    }
    while (!constants.empty()) {
      const llvm::User* const user = constants.back();
      constants.pop_back();
      for (const llvm::Use& operand : user->operands()) {
        if (auto* function = llvm::dyn_cast<llvm::Function>(operand.get())) {
          reach_with(function, {.reached = true, .several = true});
        } else if (!llvm::isa<llvm::GlobalValue>(operand.get())) {
          constants.push_back(llvm::cast<llvm::User>(operand.get()));
        }
      }
    }
  }
  while (!changed.empty()) {
    const llvm::Function* const function = changed.back();
    changed.pop_back();
    const Modes modes = reach[function];
    for (llvm::Function* mentioned : mentioned_by(*function)) {
      reach_with(mentioned, modes);
    }
  }
  return reach;
}

/// Replaces calls of `query` by what `answer` gives for the function that they are in.
template <typename Answer>
void replace_calls(llvm::Module& module, const char* query, const Answer& answer) {
  llvm::Function* const asked = module.getFunction(query);
  if (asked == nullptr) {
    return;
  }
  for (llvm::User* user : llvm::make_early_inc_range(asked->users())) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(user);
    if (call == nullptr || call->getCalledFunction() != asked) {
      continue;
    }
    if (const std::optional<std::uint8_t> known = answer(*call->getFunction())) {
      call->replaceAllUsesWith(llvm::ConstantInt::get(call->getType(), *known));
      call->eraseFromParent();
    }
  }
}

} // namespace

void fold_runtime_queries(llvm::Module& module) {
  const Reach reach = modes_that_reach(module);
  using Answer = std::optional<std::uint8_t>;
  replace_calls(module, kModeQuery, [&](const llvm::Function& function) -> Answer {
    const auto modes = reach.find(&function);
    return modes == reach.end() || modes->second.several ? Answer() : Answer(modes->second.mode);
  });
  const llvm::Function* const maker = module.getFunction(kStateMaker);
  const bool may_have_states = maker != nullptr && reach.contains(maker);
  replace_calls(module, kStatesQuery,
                [&](const llvm::Function&) { return Answer(may_have_states ? 1 : 0); });
}

} // namespace gantry::link
