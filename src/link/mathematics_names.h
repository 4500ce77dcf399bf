// Gives mathematical functions the names of CUDA's libdevice.
#pragma once

namespace llvm {
class Module;
} // namespace llvm

namespace gantry::link {

/// Renames calls of C's functions and of intrinsic functions (from std::sin of an int or a user's
/// own declaration) to the names of CUDA's libdevice, which Clang's headers use for most functions
/// and the mathematics library defines.
void use_libdevice_names(llvm::Module& module);

} // namespace gantry::link
