// Bitcode of Gantry's own that becomes part of a module: of an image at its link, or of Flang's
// device code when it is compiled.
#pragma once

#include <string>

#include <llvm/Support/Error.h>

namespace llvm {
class Module;
} // namespace llvm

namespace gantry::pass {

/// Links into the module what it needs of the bitcode file at `path`, internal, but for
/// what is protected: the host asks for that. What the program defines itself stands in for weak
/// definitions of the library. The error names the file.
[[nodiscard]] llvm::Error link_library(llvm::Module& module, const std::string& path);

} // namespace gantry::pass
