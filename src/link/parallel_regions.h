// How the device runtime calls the body of a parallel region.
#pragma once

namespace llvm {
class Module;
} // namespace llvm

namespace gantry::link {

/// Clang hands the runtime a function with a parameter for each shared variable, and a list of
/// their values. Puts a function that takes the list in front of each, so that the runtime calls
/// all bodies in one way, whatever their number of parameters.
void unify_parallel_regions(llvm::Module& module);

} // namespace gantry::link
