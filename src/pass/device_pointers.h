// Which pointers to functions and virtual tables are surely the device's own.
#pragma once

#include <llvm/IR/Value.h>

namespace gantry::pass {

/// True if `pointer` can be nothing but an address of the device: of something that device code
/// defines or declares, read from a constant of the image or from a virtual table of the device,
/// translated already, or a choice among such.
[[nodiscard]] bool is_device_pointer(llvm::Value* pointer);

} // namespace gantry::pass
