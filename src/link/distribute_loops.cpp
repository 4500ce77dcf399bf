#include "link/distribute_loops.h"

#include "link/kernel_environment.h"
#include "link/team_shape.h"

#include <string>

#include <gantry/gpu_image.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

namespace gantry::link {
namespace {

constexpr unsigned kScheduleArgument = 2;
constexpr unsigned kChunkArgument = 8;
constexpr std::uint64_t kDistributeChunked = 91;

/// Whether the chunk is the block's size: asked for, or what Clang knows of the kernel.
bool is_block_size(const llvm::CallInst& loop) {
  const llvm::Value* const chunk = loop.getArgOperand(kChunkArgument);
  if (const auto* query = llvm::dyn_cast<llvm::CallInst>(chunk)) {
    const llvm::Function* const asked = query->getCalledFunction();
    return asked != nullptr && asked->getName() == "__kmpc_get_hardware_num_threads_in_block";
  }
  const auto* const number = llvm::dyn_cast<llvm::ConstantInt>(chunk);
  return number != nullptr && !number->isNegative() &&
         max_threads(*loop.getFunction()) == number->getZExtValue();
}

} // namespace

void open_distribute_loops(llvm::Module& module) {
  for (const char* suffix : {"4", "4u", "8", "8u"}) {
    const llvm::Function* const begins =
        module.getFunction(std::string("__kmpc_distribute_static_init_") + suffix);
    if (begins == nullptr) {
      continue;
    }
    for (const llvm::User* user : begins->users()) {
      auto* const loop = const_cast<llvm::CallInst*>(llvm::dyn_cast<llvm::CallInst>(user));
      if (loop == nullptr || loop->getCalledFunction() != begins) {
        continue;
      }
      const auto* const schedule =
          llvm::dyn_cast<llvm::ConstantInt>(loop->getArgOperand(kScheduleArgument));
      if (schedule != nullptr && schedule->getZExtValue() == kDistributeChunked &&
          is_block_size(*loop) && !may_ask_for_team(*loop->getFunction())) {
        loop->setArgOperand(kScheduleArgument,
                            llvm::ConstantInt::get(schedule->getType(), GANTRY_DISTRIBUTE_OPEN));
      }
    }
  }
}

} // namespace gantry::link
