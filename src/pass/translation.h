// The function that turns a host address of a function, or of a virtual table, into the device's:
// `ptr __kmpc_target_translate_fptr(ptr)`. Any other address comes back as it is, so a pointer that
// was made on the device may go through it, and one that went through it may do so again.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

namespace gantry::pass {

/// True if the module is code for a device: Clang says so with a module flag.
[[nodiscard]] bool is_device_module(const llvm::Module& module);

/// True if the module is code for a GPU.
[[nodiscard]] bool is_gpu_module(const llvm::Module& module);

/// Makes the call that translates `pointer`, which may be of any address space, at the builder's
/// place.
llvm::Value* make_translation(llvm::IRBuilder<>& builder, llvm::Value* pointer);

/// The argument of a translation; null if `value` is no translation.
[[nodiscard]] llvm::Value* translated(llvm::Value* value);

} // namespace gantry::pass
