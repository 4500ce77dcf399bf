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

// The same bound as an attribute: "64" (in one dimension; kernels with more are bare ones), "1,64".
constexpr const char* kMaxThreadsOfNvidia = "nvvm.maxntid";
constexpr const char* kMaxThreadsOfAmd = "amdgpu-flat-work-group-size";
constexpr std::uint64_t kMostThreads = 1024; ///< of a block, on every GPU

/// A member of the structure in front; null if the environment does not have it.
const llvm::ConstantInt* member(const llvm::GlobalVariable& environment, unsigned place) {
  const llvm::Constant* configuration =
      environment.getInitializer()->getAggregateElement(kConfiguration);
  return configuration == nullptr
             ? nullptr
             : llvm::dyn_cast_or_null<llvm::ConstantInt>(configuration->getAggregateElement(place));
}

std::uint64_t with_main_thread(std::uint64_t threads, std::uint64_t warp_size) {
  return std::min(threads + warp_size, std::max(threads, kMostThreads));
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

void raise_bound_in_environment(llvm::Function& kernel, std::uint64_t warp_size) {
  const std::optional<std::uint64_t> most = max_threads(kernel);
  if (!most) {
    return;
  }
  llvm::GlobalVariable& environment = *environment_of(kernel);
  llvm::Constant* const whole = environment.getInitializer();
  llvm::Constant* const configuration = whole->getAggregateElement(kConfiguration);
  llvm::Constant* const raised =
      llvm::ConstantInt::get(configuration->getAggregateElement(kMaxThreads)->getType(),
                             with_main_thread(*most, warp_size));
  environment.setInitializer(
      replaced(whole, kConfiguration, replaced(configuration, kMaxThreads, raised)));
}

/// Raises the number at the end of an attribute.
void raise_bound_in_attribute(llvm::Function& kernel, const char* attribute,
                              std::uint64_t warp_size) {
  const llvm::StringRef text = kernel.getFnAttribute(attribute).getValueAsString();
  const std::size_t begin = text.rfind(',') + 1;
  std::uint64_t most = 0;
  if (llvm::to_integer(text.substr(begin), most)) {
    kernel.addFnAttr(attribute, text.take_front(begin).str() +
                                    std::to_string(with_main_thread(most, warp_size)));
  }
}

} // namespace

void make_room_for_main_threads(llvm::Module& module, std::uint64_t warp_size) {
  for (llvm::Function& function : module) {
    if (kernel_mode(function) == GANTRY_KERNEL_GENERIC) {
      raise_bound_in_environment(function, warp_size);
      raise_bound_in_attribute(function, kMaxThreadsOfNvidia, warp_size);
      raise_bound_in_attribute(function, kMaxThreadsOfAmd, warp_size);
    }
  }
}

} // namespace gantry::link
