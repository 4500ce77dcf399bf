// Kernels of Flang's code for GPUs, and whether all threads may run them.
#pragma once

#include <optional>

#include <llvm/IR/Constants.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Instructions.h>

namespace gantry::pass {

/// A kernel, which begins with __kmpc_target_init.
class Kernel {
public:
  /// Nothing if the function has not the shape of Flang's kernels.
  static std::optional<Kernel> of(llvm::CallInst& init);

  [[nodiscard]] llvm::Function& function() const { return *code_->getParent(); }
  /// The block where the threads that do not wait go on.
  [[nodiscard]] llvm::BasicBlock& code() const { return *code_; }
  /// Whether all threads run it, and not one while the others wait for regions.
  [[nodiscard]] bool all_run() const;

  /// From now on one thread runs it, whatever the optimiser finds: it would let all threads run
  /// code that writes to variables which they share.
  void make_generic();
  /// From now on regions begin when all threads have come: they may write to what is read before.
  void make_wait_for_regions();

private:
  Kernel(llvm::GlobalVariable& environment, llvm::ConstantStruct& value,
         llvm::ConstantStruct& configuration, llvm::BasicBlock& code)
      : environment_(&environment), value_(&value), configuration_(&configuration), code_(&code) {}

  void set_field(unsigned field, std::uint64_t content);
  void set_mode(std::uint64_t number);

  llvm::GlobalVariable* environment_;
  llvm::ConstantStruct* value_;
  llvm::ConstantStruct* configuration_; ///< the first field of `value_`
  llvm::BasicBlock* code_;
};

/// Whether all threads may run what is outside of regions in a kernel, or in a loop of it: it
/// changes nothing but variables of its own, and those are the same in each thread, because regions
/// do not write to them, or not read.
[[nodiscard]] bool may_all_run(llvm::Function& function);

/// Whether it reads anything but variables of its own.
[[nodiscard]] bool reads_outside(llvm::Function& function);

} // namespace gantry::pass
