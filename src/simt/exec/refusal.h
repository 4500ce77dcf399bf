// Which instructions the executor runs.
#pragma once

#include "simt/ptx/module.h"

#include <string>

namespace gantry::simt::exec {

/// Whether the instruction is one that the executor can do: empty, or what is wrong with it, in the
/// style of NVIDIA's assembler ("Feature 'mma' not supported"). ScalarFunction may rely for an
/// accepted one on this: types, modifiers and the number and kinds of operands are those of a form
/// in refusal_forms.def; a result's register has the width of its type (of cvt, ld and ldu it may
/// be wider if the type is no float), or the result is the sink; a source's has at least that
/// width, and exactly that of a float; literals 0d… and decimal ones may be of an f32, integers may
/// be the bits of 16-bit floats; in mov.b64 d, v and mov.b64 v, d a vector register is packed or
/// unpacked like {a, b}; accesses to .param variables are inside them.
[[nodiscard]] std::string refusal_of(const ptx::Instruction& instruction,
                                     const ptx::Function& function);

} // namespace gantry::simt::exec
