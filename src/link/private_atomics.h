// What LLVM's code generation for NVIDIA's GPUs leaves to do.
#pragma once

namespace llvm {
class Module;
} // namespace llvm

namespace gantry::link {

/// A thread's own variables are in local memory, for which PTX has no atomic operations. LLVM 22
/// knows that of all of them but compare-and-exchange, such as that of an OpenMP lock, and writes
/// what ptxas and drivers refuse. Replaces those on local variables by a load and a store. To be
/// called when the module is optimised, which shows whose variables they are.
void lower_private_atomics(llvm::Module& module);

} // namespace gantry::link
