// Kernels of which it is known at link time whether one thread or all of them run what is outside
// of parallel regions.
#pragma once

namespace llvm {
class Module;
} // namespace llvm

namespace gantry::link {

/// Replaces, in functions that kernels of one mode alone can come to, the device runtime's question
/// for the mode (__gantry_kernel_mode) by the answer, so that the paths for other modes go. The
/// runtime's functions that ask are to be inlined before.
void fold_kernel_modes(llvm::Module& module);

} // namespace gantry::link
