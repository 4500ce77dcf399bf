// Mathematics under the names of C and of LLVM.
#pragma once

namespace llvm {
class Module;
} // namespace llvm

namespace gantry::link {

/// Clang's headers call most functions by the names of CUDA's libdevice. What comes by C's name or
/// as an intrinsic function (std::sin of an int, a declaration of one's own) gets that name too; it
/// is what the mathematics library defines.
void use_libdevice_names(llvm::Module& module);

} // namespace gantry::link
