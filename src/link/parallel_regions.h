// Gives the bodies of all parallel regions one signature.
#pragma once

namespace llvm {
class Module;
} // namespace llvm

namespace gantry::link {

/// Clang passes the runtime a function with a parameter for each shared variable, and a list of
/// their values. Wraps each such function in one that takes the list, so that the runtime calls all
/// bodies the same way.
void unify_parallel_regions(llvm::Module& module);

} // namespace gantry::link
