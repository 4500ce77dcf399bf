#include "link/team_shape.h"

#include "link/kernel_environment.h"
#include "link/mentions.h"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <set>
#include <vector>

#include <gantry/gpu_image.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

namespace gantry::link {
namespace {

constexpr unsigned kBodyArgument = 5;
constexpr unsigned kStrictArgument = 9; // of __kmpc_parallel_60: num_threads(strict : …)

bool has_any(llvm::StringRef name, std::initializer_list<llvm::StringRef> parts) {
  return std::ranges::any_of(parts, [&](llvm::StringRef part) { return name.contains(part); });
}

/// Whether a function of this name tells code which team it is in, on any kind of GPU. Fortran's
/// routines have an underscore behind.
bool tells_team(llvm::StringRef name) {
  return has_any(name, {"omp_get_team_num", "block_id", "ctaid", "workgroup.id"});
}

/// Whether it tells code how many threads its team has, or which of them it is.
bool tells_threads(llvm::StringRef name) {
  // Clang's own questions: for the chunks of distribute loops, and in reductions.
  return !name.starts_with("__kmpc_") &&
         has_any(name, {"omp_get_num_threads", "omp_get_thread_num", "omp_get_max_threads",
                        "omp_get_thread_limit", "omp_get_team_size", "omp_get_ancestor_thread_num",
                        "omp_get_num_procs", "thread_id", "block_dim", "threads_in_block",
                        "sreg.tid", "sreg.ntid", "sreg.warpid", "sreg.nwarpid", "sreg.laneid",
                        "mbcnt", "workitem.id", "workgroup.size", "dispatch.ptr"});
}

/// The functions that this one mentions, directly or not, with itself; nothing if it may do
/// anything: calls something by pointer, or is written in assembly.
std::optional<std::set<const llvm::Function*>> reached_from(const llvm::Function& start) {
  std::vector<const llvm::Function*> left = {&start};
  std::set<const llvm::Function*> reached = {&start};
  while (!left.empty()) {
    const llvm::Function* const function = left.back();
    left.pop_back();
    for (const llvm::Instruction& instruction : llvm::instructions(*function)) {
      const auto* const call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (call != nullptr && (call->isIndirectCall() || call->isInlineAsm())) {
        return std::nullopt;
      }
    }
    for (const Mention& mention : mentioned_by(*function)) {
      if (reached.insert(mention.function).second) {
        left.push_back(mention.function);
      }
    }
  }
  return reached;
}

bool calls_loop(const llvm::Function& body) {
  return std::ranges::any_of(mentioned_by(body), [](const Mention& mention) {
    const llvm::StringRef name = mention.function->getName();
    return name.starts_with("__kmpc_for_static_init_") || name.starts_with("__kmpc_dispatch_init_");
  });
}

/// Whether all parallel regions that the function begins are loops, of any number of threads.
bool has_only_loops(const llvm::Function& function) {
  return std::ranges::all_of(
      llvm::instructions(function), [](const llvm::Instruction& instruction) {
        const auto* const call = llvm::dyn_cast<llvm::CallInst>(&instruction);
        const llvm::Function* const callee = call == nullptr ? nullptr : call->getCalledFunction();
        if (callee == nullptr || !callee->getName().starts_with("__kmpc_parallel_")) {
          return true;
        }
        const auto argument = [&](unsigned place) -> const llvm::Value* {
          return place < call->arg_size() ? call->getArgOperand(place) : nullptr;
        };
        const auto* const body = llvm::dyn_cast_or_null<llvm::Function>(argument(kBodyArgument));
        const llvm::Value* const strict = argument(kStrictArgument);
        const auto* const known = llvm::dyn_cast_or_null<llvm::ConstantInt>(strict);
        return body != nullptr && calls_loop(*body) &&
               (strict == nullptr || (known != nullptr && known->isZero()));
      });
}

} // namespace

bool may_ask_for_team(const llvm::Function& start) {
  const auto reached = reached_from(start);
  return !reached || std::ranges::any_of(*reached, [](const llvm::Function* function) {
    return tells_team(function->getName());
  });
}

void mark_open_teams(llvm::Module& module) {
  std::vector<const llvm::Function*> open;
  for (const llvm::Function& function : module) {
    if ((kernel_mode(function).value_or(GANTRY_KERNEL_BARE) & GANTRY_KERNEL_SPMD) == 0) {
      continue;
    }
    const auto reached = reached_from(function);
    if (reached && std::ranges::all_of(*reached, [](const llvm::Function* other) {
          return has_only_loops(*other) && !tells_threads(other->getName());
        })) {
      open.push_back(&function);
    }
  }
  auto* const type = llvm::Type::getInt8Ty(module.getContext());
  for (const llvm::Function* kernel : open) {
    // As visible as what Clang says of the kernel.
    const llvm::GlobalVariable& environment = *environment_of(*kernel);
    auto* const mark = new llvm::GlobalVariable(
        module, type, /*isConstant=*/true, environment.getLinkage(),
        llvm::ConstantInt::get(type, 1), kernel->getName() + "_open_team", nullptr,
        llvm::GlobalValue::NotThreadLocal, environment.getAddressSpace());
    mark->setVisibility(environment.getVisibility());
  }
}

} // namespace gantry::link
