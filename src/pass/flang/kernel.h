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

  /// Makes one thread run the kernel, whatever the optimiser finds, because it would let all
  /// threads run code that writes to variables which they share.
  void make_generic();
  /// Makes all threads wait for each other before a region begins, because the region may write to
  /// what they read before it.
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

/// Whether all threads may run the code outside of regions in a kernel or in one of its loops: it
/// writes only to its own variables, and these have the same values in each thread, because regions
/// do not write to them, or the kernel does not read them.
[[nodiscard]] bool may_all_run(llvm::Function& function);

/// Whether it reads anything other than its own variables.
[[nodiscard]] bool reads_outside(llvm::Function& function);

} // namespace gantry::pass
