// The verifier of PTX: accepts the instructions that the executor runs.
#pragma once

#include "simt/ptx/module.h"

#include <string>

namespace gantry::simt::exec {

/// What is wrong with an instruction, in the style of NVIDIA's assembler ("Feature 'mma' not
/// supported"); empty if the executor runs it. For an accepted instruction, ScalarFunction relies
/// on this: types, modifiers and the number and kinds of operands are those of a form in forms.def;
/// a result's register has the width of its type (of cvt, ld and ldu it may be wider if the type is
/// no float), or the result is the sink; a source's has at least that width, and exactly that of a
/// float; literals 0d… and decimal ones may be of an f32, integers may be the bits of 16-bit
/// floats; in mov.b64 d, v and mov.b64 v, d a vector register is packed or unpacked like {a, b};
/// accesses to .param variables are inside them.
[[nodiscard]] std::string verify(const ptx::Instruction& instruction,
                                 const ptx::Function& function);

} // namespace gantry::simt::exec
