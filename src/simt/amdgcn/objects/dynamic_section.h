// A code object's dynamic section: its symbols and relocations.
#pragma once

#include "simt/amdgcn/objects/code_object.h"

#include <elf.h>

namespace gantry::simt::amdgcn {

/// Adds them to the object, whose segments are known.
[[nodiscard]] Status read_dynamic_section(CodeObject& object, Bytes bytes,
                                          const Elf64_Phdr& header);

} // namespace gantry::simt::amdgcn
