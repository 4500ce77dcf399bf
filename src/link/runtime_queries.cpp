#include "link/runtime_queries.h"

#include "link/kernel_environment.h"
#include "link/mentions.h"
#include "pass/runtime_calls.h"

#include <algorithm>
#include <optional>
#include <vector>

#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

namespace gantry::link {
namespace {

constexpr const char* kModeQuery = "__gantry_kernel_mode";
constexpr const char* kDepthQuery = "__gantry_region_depth";
constexpr const char* kStatesQuery = "__gantry_may_have_thread_states";
constexpr const char* kListsQuery = "__gantry_bodies_take_lists";
/// Makes a thread's state; nothing else does.
constexpr const char* kStateMaker = "__gantry_make_thread_state";

/// What is known of a number: nothing has been said of it, one value, or that there are several.
template <typename Number>
class Known {
public:
  Known() = default;
  explicit Known(Number value) : reached_(true), value_(value) {}
  [[nodiscard]] static Known several() {
    Known known;
    known.reached_ = known.several_ = true;
    return known;
  }

  [[nodiscard]] std::optional<Number> value() const {
    return reached_ && !several_ ? std::optional(value_) : std::nullopt;
  }
  /// True if that is new.
  bool add(const Known& other) {
    const Known before = *this;
    several_ = several_ || other.several_ || (reached_ && other.reached_ && value_ != other.value_);
    value_ = reached_ ? value_ : other.value_;
    reached_ = reached_ || other.reached_;
    return reached_ != before.reached_ || several_ != before.several_;
  }

private:
  bool reached_ = false;
  bool several_ = false;
  Number value_ = {};
};

} // namespace

/// How kernels reach a function: their mode, and the number of parallel regions around it.
struct RuntimeAnswers::Ways {
  Known<std::uint8_t> mode;
  Known<std::uint32_t> depth;

  bool add(const Ways& other) {
    const bool new_mode = mode.add(other.mode);
    return depth.add(other.depth) || new_mode;
  }
};

namespace {

bool is_region(const Mention& mention) {
  return std::ranges::find(pass::kParallelCalls, mention.argument_of) !=
             std::ranges::end(pass::kParallelCalls) &&
         (mention.place == pass::kParallelBody || mention.place == pass::kParallelWrapper);
}

RuntimeAnswers::Ways ways_through(const Mention& mention, RuntimeAnswers::Ways ways) {
  const std::optional<std::uint32_t> depth = ways.depth.value();
  if (depth && is_region(mention)) {
    ways.depth = Known(*depth + 1);
  } else if (!mention.is_call && std::ranges::find(pass::kReduceCalls, mention.argument_of) ==
                                     std::ranges::end(pass::kReduceCalls)) {
    ways.depth = Known<std::uint32_t>::several(); // may be called from anywhere
  }
  return ways;
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
    if (const std::optional<std::uint64_t> known = answer(*call->getFunction())) {
      call->replaceAllUsesWith(llvm::ConstantInt::get(call->getType(), *known));
      call->eraseFromParent();
    }
  }
}

} // namespace

RuntimeAnswers::RuntimeAnswers(const llvm::Module& module) {
  std::vector<const llvm::Function*> changed;
  const auto reach_with = [&](const llvm::Function* function, const Ways& ways) {
    if (!function->isDeclaration() && reach_[function].add(ways)) {
      changed.push_back(function);
    }
  };
  const Ways from_anywhere = {Known<std::uint8_t>::several(), Known<std::uint32_t>::several()};
  for (const llvm::Function& function : module) {
    if (const auto mode = kernel_mode(function)) {
      reach_with(&function, {Known(*mode), Known(std::uint32_t{0})});
    } else if (!function.hasLocalLinkage()) {
      // A kernel without an environment, or something that a variable mentions.
      reach_with(&function, from_anywhere);
    }
  }
  for (const llvm::GlobalVariable& variable : module.globals()) {
    // A function in a variable can be called from everywhere.
    for (const llvm::Function* function : mentioned_in(variable)) {
      reach_with(function, from_anywhere);
    }
  }
  while (!changed.empty()) {
    const llvm::Function* const function = changed.back();
    changed.pop_back();
    const Ways ways = reach_[function];
    for (const Mention& mention : mentioned_by(*function)) {
      reach_with(mention.function, ways_through(mention, ways));
    }
  }
  const llvm::Function* const maker = module.getFunction(kStateMaker);
  may_have_states_ = maker != nullptr && reach_.contains(maker);
}

RuntimeAnswers::~RuntimeAnswers() = default;

void RuntimeAnswers::fold(llvm::Module& module) const {
  using Answer = std::optional<std::uint64_t>;
  const auto ways_to = [&](const llvm::Function& function) {
    const auto found = reach_.find(&function);
    return found == reach_.end() ? Ways() : found->second;
  };
  replace_calls(module, kModeQuery, [&](const llvm::Function& function) -> Answer {
    return ways_to(function).mode.value();
  });
  replace_calls(module, kDepthQuery, [&](const llvm::Function& function) -> Answer {
    return ways_to(function).depth.value();
  });
  replace_calls(module, kStatesQuery,
                [&](const llvm::Function&) { return Answer(may_have_states_ ? 1 : 0); });
  replace_calls(module, kListsQuery, [](const llvm::Function&) { return Answer(1); });
}

} // namespace gantry::link
