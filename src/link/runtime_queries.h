// Queries of the device runtime whose answer is known when the whole program is.
#pragma once

namespace llvm {
class Module;
} // namespace llvm

namespace gantry::link {

/// Folds runtime queries whose answer is the same for every kernel that reaches them, so that dead
/// paths disappear. The runtime's functions that query have to be inlined before.
///
/// __gantry_kernel_mode: whether one thread or all of them run what is outside of parallel regions;
/// folded in functions that only kernels of one mode reach.
/// __gantry_may_have_thread_states: whether any kernel reaches code that makes a thread's state.
void fold_runtime_queries(llvm::Module& module);

} // namespace gantry::link
