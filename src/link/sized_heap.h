// Chooses the heap of a GPU's device code: the driver's, or one whose blocks know their size.
#pragma once

#include <llvm/IR/Module.h>

namespace gantry::link {

/// Gives the heap functions of a module that uses realloc, aligned_alloc or the like the names of
/// the device runtime's, whose blocks have a header (src/device/gpu/sized_heap.cpp). Others keep
/// the driver's malloc and free.
void choose_heap(llvm::Module& module);

} // namespace gantry::link
