// What the device runtime asks about the whole program, which is known at link time.
#pragma once

namespace llvm {
class Module;
} // namespace llvm

namespace gantry::link {

/// Replaces, in code that kernels come to, what the device runtime asks by the answer, so that the
/// paths that are not taken go. The runtime's functions that ask are to be inlined before.
///
/// __gantry_kernel_mode: whether one thread or all of them run what is outside of parallel regions;
/// answered in functions that kernels of one mode alone can come to.
/// __gantry_may_have_thread_states: whether some code makes a thread's state.
void answer_runtime_questions(llvm::Module& module);

} // namespace gantry::link
