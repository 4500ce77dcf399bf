// Links Gantry's bitcode libraries into a module: an image's when it is linked, or Flang's device
// code when it is compiled.
#pragma once

#include <string>

#include <llvm/Support/Error.h>

namespace llvm {
class Module;
} // namespace llvm

namespace gantry::pass {

/// Links into the module what it needs of the bitcode file at `path`. Definitions become internal,
/// except protected ones, which the host looks up. The program's own definitions replace weak ones
/// of the library. The error names the file.
[[nodiscard]] llvm::Error link_library(llvm::Module& module, const std::string& path);

} // namespace gantry::pass
