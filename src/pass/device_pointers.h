// Which pointers to functions and virtual tables are surely the device's own.
#pragma once

#include <llvm/IR/Instructions.h>
#include <llvm/IR/Value.h>

namespace gantry::pass {

/// True if Clang says of the load, to those who ask what aliases what, that it reads the virtual
/// table pointer of an object. At -O0, and with -fno-strict-aliasing, it says nothing.
[[nodiscard]] bool is_said_to_be_table_pointer(const llvm::LoadInst& load);

/// True if `pointer` can be nothing but an address of the device: of something that device code
/// defines or declares, read from a constant of the image or from a virtual table of the device,
/// translated already, or a choice among such.
[[nodiscard]] bool is_device_pointer(llvm::Value* pointer);

} // namespace gantry::pass
