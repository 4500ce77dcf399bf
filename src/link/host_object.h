// Objects for the host program that a link makes itself.
#pragma once

#include "base/result.h"

#include <string>

#include <llvm/IR/Module.h>

namespace gantry::link {

/// The relocatable object of `module`, which has its triple, position-independent. LLVM's host
/// target must be initialised.
[[nodiscard]] Result<std::string> compile_for_host(llvm::Module& module);

} // namespace gantry::link
