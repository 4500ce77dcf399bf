#include "link/kernel_environment.h"

#include <algorithm>
#include <string>

#include <gantry/gpu_image.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Module.h>

namespace gantry::link {
namespace {

// Places in the type that Clang gives the environment: a structure in front, and members of it.
constexpr unsigned kConfiguration = 0;
constexpr unsigned kMode = 2;
constexpr unsigned kMaxThreads = 4;

constexpr const char* kMaxThreadsAttribute = "nvvm.maxntid";
constexpr std::uint64_t kWarp = 32;
constexpr std::uint64_t kMostThreads = 1024; ///< of a block, on every GPU

/// A member of the structure in front; null if the environment does not have it.
const llvm::ConstantInt* member(const llvm::GlobalVariable& environment, unsigned place) {
  const llvm::Constant* configuration =
      environment.getInitializer()->getAggregateElement(kConfiguration);
  return configuration == nullptr
             ? nullptr
             : llvm::dyn_cast_or_null<llvm::ConstantInt>(configuration->getAggregateElement(place));
}

std::uint64_t with_main_thread(std::uint64_t threads) {
  return std::min(threads + kWarp, std::max(threads, kMostThreads));
}

/// `whole` with another value of one member.
llvm::Constant* replaced(llvm::Constant* whole, unsigned place, llvm::Constant* value) {
  auto* const type = llvm::cast<llvm::StructType>(whole->getType());
  std::vector<llvm::Constant*> members;
  for (unsigned i = 0; i < type->getNumElements(); ++i) {
    members.push_back(i == place ? value : whole->getAggregateElement(i));
  }
  return llvm::ConstantStruct::get(type, members);
}

} // namespace

llvm::GlobalVariable* environment_of(const llvm::Function& function) {
  llvm::GlobalVariable* const environment =
      const_cast<llvm::Module*>(function.getParent())
          ->getGlobalVariable((function.getName() + "_kernel_environment").str(),
                              /*AllowInternal=*/true);
  return environment != nullptr && environment->hasInitializer() ? environment : nullptr;
}

std::optional<std::uint8_t> kernel_mode(const llvm::Function& function) {
  const llvm::GlobalVariable* const environment = environment_of(function);
  const llvm::ConstantInt* const mode =
      environment == nullptr ? nullptr : member(*environment, kMode);
  return mode == nullptr ? std::nullopt
                         : std::optional(static_cast<std::uint8_t>(mode->getZExtValue()));
}

std::optional<std::uint64_t> max_threads(const llvm::Function& function) {
  const llvm::GlobalVariable* const environment = environment_of(function);
  const llvm::ConstantInt* const most =
      environment == nullptr ? nullptr : member(*environment, kMaxThreads);
  return most == nullptr || most->isNegative() || most->isZero()
             ? std::nullopt
             : std::optional(most->getZExtValue());
}

namespace {

void raise_bound_in_environment(llvm::Function& kernel) {
  const std::optional<std::uint64_t> most = max_threads(kernel);
  if (!most) {
    return;
  }
  llvm::GlobalVariable& environment = *environment_of(kernel);
  llvm::Constant* const whole = environment.getInitializer();
  llvm::Constant* const configuration = whole->getAggregateElement(kConfiguration);
  llvm::Constant* const raised = llvm::ConstantInt::get(
      configuration->getAggregateElement(kMaxThreads)->getType(), with_main_thread(*most));
  environment.setInitializer(
      replaced(whole, kConfiguration, replaced(configuration, kMaxThreads, raised)));
}

} // namespace

void make_room_for_main_threads(llvm::Module& module) {
  for (llvm::Function& function : module) {
    if (kernel_mode(function) != GANTRY_KERNEL_GENERIC) {
      continue;
    }
    raise_bound_in_environment(function);
    std::uint64_t most = 0;
    // In one dimension: "64"; kernels with more are bare ones.
    if (llvm::to_integer(function.getFnAttribute(kMaxThreadsAttribute).getValueAsString(), most)) {
      function.addFnAttr(kMaxThreadsAttribute, std::to_string(with_main_thread(most)));
    }
  }
}

} // namespace gantry::link
