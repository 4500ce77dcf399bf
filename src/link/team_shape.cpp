#include "link/team_shape.h"

#include "link/kernel_environment.h"
#include "link/loop_regions.h"
#include "link/mentions.h"
#include "pass/runtime_calls.h"

#include <algorithm>
#include <initializer_list>
#include <map>
#include <optional>
#include <vector>

#include <gantry/gpu_image.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

namespace gantry::link {
namespace {

bool is_any(llvm::StringRef name, std::initializer_list<llvm::StringRef> names) {
  return std::ranges::any_of(names, [&](llvm::StringRef each) { return name == each; });
}

/// The register that an intrinsic of NVIDIA's GPUs reads, "tid.x" say; empty if it is none.
llvm::StringRef special_register(llvm::StringRef name) {
  return name.consume_front("llvm.nvvm.read.ptx.sreg.") ? name : "";
}

/// A routine of OpenMP by its name in C; Fortran's has an underscore behind.
llvm::StringRef routine(llvm::StringRef name) {
  name.consume_back("_");
  return name;
}

/// Whether a function tells code which team it is in, on any kind of GPU.
bool tells_team(const llvm::Function& function) {
  const llvm::StringRef name = function.getName();
  return name.starts_with("ompx_") || routine(name) == "omp_get_team_num" ||
         special_register(name).contains("cta") || name.starts_with("llvm.amdgcn.workgroup.id.");
}

/// Whether it tells code how many threads its team has, which of them it is, or what others of the
/// same warp do. Clang's own questions do not count: for the chunks of distribute loops, and in
/// reductions.
bool tells_threads(const llvm::Function& function) {
  const llvm::StringRef name = function.getName();
  if (function.isIntrinsic()) {
    const llvm::StringRef of = special_register(name);
    return (!of.empty() && !of.contains("cta") && !of.contains("clock") && !of.contains("timer")) ||
           function.isConvergent() || name.starts_with("llvm.amdgcn.");
  }
  return name.starts_with("ompx_") || is_any(name, {"__kmpc_masked", "__kmpc_master"}) ||
         is_any(routine(name), {"omp_get_num_threads", "omp_get_thread_num", "omp_get_max_threads",
                                "omp_get_thread_limit", "omp_get_team_size",
                                "omp_get_ancestor_thread_num", "omp_get_num_procs"});
}

/// The functions that this one mentions, directly or not, with itself, and of each whether it is
/// nothing but a part of a reduction. Nothing if it may do anything: calls something by pointer, or
/// is written in assembly.
std::optional<std::map<const llvm::Function*, bool>> reached_from(const llvm::Function& start) {
  std::vector<const llvm::Function*> left = {&start};
  std::map<const llvm::Function*, bool> reached = {{&start, false}};
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
      const bool is_clangs = std::ranges::find(pass::kReduceCalls, mention.argument_of) !=
                             std::ranges::end(pass::kReduceCalls);
      const auto [place, is_new] = reached.emplace(mention.function, is_clangs);
      place->second &= is_clangs;
      if (is_new) {
        left.push_back(mention.function);
      }
    }
  }
  return reached;
}

/// Whether a region may have any number of threads, and is nothing but a loop.
bool is_open_loop(const llvm::CallInst& region) {
  const auto* const body = llvm::dyn_cast<llvm::Function>(
      region.getArgOperand(pass::kParallelBody)->stripPointerCasts());
  const auto* const threads =
      llvm::dyn_cast<llvm::ConstantInt>(region.getArgOperand(pass::kParallelThreads));
  return body != nullptr && !body->isDeclaration() && threads != nullptr && threads->isNegative() &&
         has_only_loops(*body);
}

/// Whether the function leaves open how many threads execute what it does; `is_clangs`: it is part
/// of a reduction.
bool leaves_threads_open(const llvm::Function& function, bool is_clangs) {
  return !tells_threads(function) && (is_clangs || !may_wait_for_threads(function)) &&
         std::ranges::all_of(
             llvm::instructions(function), [](const llvm::Instruction& instruction) {
               const llvm::CallInst* const region = pass::parallel_call(instruction);
               return region == nullptr || is_open_loop(*region);
             });
}

} // namespace

bool may_ask_for_team(const llvm::Function& start) {
  const auto reached = reached_from(start);
  return !reached ||
         std::ranges::any_of(*reached, [](const auto& each) { return tells_team(*each.first); });
}

void mark_open_teams(llvm::Module& module) {
  std::vector<const llvm::Function*> open;
  for (const llvm::Function& function : module) {
    if ((kernel_mode(function).value_or(GANTRY_KERNEL_BARE) & GANTRY_KERNEL_SPMD) == 0) {
      continue;
    }
    const auto reached = reached_from(function);
    if (reached && std::ranges::all_of(*reached, [](const auto& each) {
          return leaves_threads_open(*each.first, each.second);
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
