// The heap of a GPU's device code where blocks are resized or aligned.
#pragma once

#include <llvm/IR/Module.h>

namespace gantry::link {

/// Gives the heap functions of a module that uses realloc, aligned_alloc or the like the names of
/// the device runtime's, whose blocks have a header (src/device/gpu/sized_heap.cpp). Others keep
/// the driver's malloc and free.
void choose_heap(llvm::Module& module);

} // namespace gantry::link
