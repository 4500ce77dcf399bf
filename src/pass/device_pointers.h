// Which pointers to functions and virtual tables are certainly device addresses, and need no
// translation.
#pragma once

#include <llvm/IR/Instructions.h>
#include <llvm/IR/Value.h>

namespace gantry::pass {

/// True if Clang's alias metadata (TBAA) marks the load as one of an object's virtual table
/// pointer. At -O0 and with -fno-strict-aliasing there is no such metadata.
[[nodiscard]] bool is_said_to_be_table_pointer(const llvm::LoadInst& load);

/// True if `pointer` can only be a device address: of something that device code defines or
/// declares, loaded from a constant of the image or from a device's virtual table, already
/// translated, or a phi or select of such.
[[nodiscard]] bool is_device_pointer(llvm::Value* pointer);

} // namespace gantry::pass
